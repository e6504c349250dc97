#include "session/parameter.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 10000 };

static void parameter_release(struct parameter *parameter)
{
    for (size_t i = 0; i < parameter->count; i++) {
        free(parameter->values[i]);
    }
    free((void *)parameter->values);
    free(parameter->name);
    *parameter = (struct parameter){0};
}

void parameter_list_release(struct parameter_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        parameter_release(&list->parameters[i]);
    }
    free(list->parameters);
    *list = (struct parameter_list){0};
}

static enum duet_code check_name(const struct parameter_list *list, const char *name,
                                 struct duet_error *reterr)
{
    if (*name == '\0' || strpbrk(name, "{}") != NULL) {
        return error_set(reterr, DUET_E_USAGE, "'%s' is not a parameter's name", name);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->parameters[i].name, name) == 0) {
            return error_set(reterr, DUET_E_USAGE, "parameter '%s' is given twice",
                             name);
        }
    }
    return DUET_OK;
}

/* Takes `values` (count of them) over, also on failure. */
static enum duet_code list_add(struct parameter_list *list, const char *name,
                               char **take_values, size_t count,
                               struct duet_error *reterr)
{
    struct parameter added = {
        .name = alloc_string(name), .values = take_values, .count = count};
    struct parameter *grown =
        alloc_resize(list->parameters, list->count + 1, sizeof *list->parameters);
    if (grown != NULL) {
        list->parameters = grown;
    }
    if (added.name == NULL || grown == NULL) {
        parameter_release(&added);
        return error_no_memory(reterr);
    }
    list->parameters[list->count++] = added;
    return DUET_OK;
}

enum duet_code parameter_add_list(struct parameter_list *list, const char *name,
                                  const char *values, struct duet_error *reterr)
{
    enum duet_code code = check_name(list, name, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t count = 1;
    for (const char *c = values; *c != '\0'; c++) {
        count += *c == ',';
    }
    char **split = alloc_array(count, sizeof *split);
    if (split == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(values, ",");
        split[i] = alloc_string_n(values, length);
        if (split[i] == NULL) {
            struct parameter rest = {.values = split, .count = i};
            parameter_release(&rest);
            return error_no_memory(reterr);
        }
        values += length + 1;
    }
    return list_add(list, name, split, count, reterr);
}

enum duet_code parameter_add_values(struct parameter_list *list, const char *name,
                                    const char *const *values, size_t count,
                                    struct duet_error *reterr)
{
    enum duet_code code = check_name(list, name, reterr);
    char **copies = code == DUET_OK ? alloc_array(count, sizeof *copies) : NULL;
    if (code != DUET_OK) {
        return code;
    }
    if (copies == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = alloc_string(values[i]);
        if (copies[i] == NULL) {
            struct parameter rest = {.values = copies, .count = i};
            parameter_release(&rest);
            return error_no_memory(reterr);
        }
    }
    return list_add(list, name, copies, count, reterr);
}

enum duet_code parameter_add_scan(struct parameter_list *list, const char *name,
                                  const char *low, const char *high, const char *step,
                                  struct duet_error *reterr)
{
    double from = 0;
    double to = 0;
    double by = 1;
    enum duet_code code = check_name(list, name, reterr);
    if (code == DUET_OK) {
        code = parse_number(low, "--parameter-scan MIN", &from, reterr);
    }
    if (code == DUET_OK) {
        code = parse_number(high, "--parameter-scan MAX", &to, reterr);
    }
    if (code == DUET_OK && step != NULL) {
        code = parse_number(step, "--parameter-step-size", &by, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    double count = floor((to - from) / by + 1e-9) + 1;
    if (by <= 0 || to < from || count > VALUES_MAX) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--parameter-scan %s %s %s: MIN must not exceed MAX, the step must be above 0, "
            "and there may be at most %d values",
            name, low, high, (int)VALUES_MAX);
    }
    char **values = alloc_array((size_t)count, sizeof *values);
    if (values == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        values[i] = alloc_format("%.12g", from + (double)i * by);
        if (values[i] == NULL) {
            struct parameter rest = {.values = values, .count = i};
            parameter_release(&rest);
            return error_no_memory(reterr);
        }
    }
    return list_add(list, name, values, (size_t)count, reterr);
}

size_t parameter_combinations(const struct parameter_list *list)
{
    size_t combinations = 1;
    for (size_t i = 0; i < list->count; i++) {
        size_t count = list->parameters[i].count;
        if (count != 0 && combinations > SIZE_MAX / count) {
            return SIZE_MAX;
        }
        combinations *= count;
    }
    return combinations;
}

/* The first parameter varies slowest. */
static const char *value_of(const struct parameter_list *list, size_t index,
                            size_t which)
{
    for (size_t i = list->count; i-- > 0;) {
        const struct parameter *parameter = &list->parameters[i];
        if (i == which) {
            return parameter->values[index % parameter->count];
        }
        index /= parameter->count;
    }
    return "";
}

char *parameter_expand(const struct parameter_list *list, size_t index,
                       const char *text)
{
    struct text expanded = {0};
    text_append(&expanded, "");
    while (*text != '\0') {
        const char *value = NULL;
        size_t length = 0;
        for (size_t i = 0; i < list->count && *text == '{' && value == NULL; i++) {
            const char *name = list->parameters[i].name;
            length = strlen(name);
            if (strncmp(text + 1, name, length) == 0 && text[length + 1] == '}') {
                value = value_of(list, index, i);
            }
        }
        if (value != NULL) {
            text_append(&expanded, value);
            text += length + 2;
        } else {
            text_append_char(&expanded, *text++);
        }
    }
    return text_take(&expanded);
}

char *parameter_label(const struct parameter_list *list, size_t index)
{
    struct text label = {0};
    text_append(&label, "");
    for (size_t i = 0; i < list->count; i++) {
        text_append_format(&label, "%s%s=%s", i == 0 ? "" : ", ",
                           list->parameters[i].name, value_of(list, index, i));
    }
    return text_take(&label);
}
