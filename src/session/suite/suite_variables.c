#include "session/suite/suite_variables.h"

#include "base/alloc.h"
#include "session/parameter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Variables ---- */

/* Length of the name in "NAME=VALUE"; 0: it is the value of {build}. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
           text[length] == '-') {
        length++;
    }
    return text[length] == '=' ? length : 0;
}

/* The command line's value of a variable; NULL: none. The last one wins. */
static const char *given_value(const struct suite_request *request,
                               enum model_side side, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < request->side_counts[side]; i++) {
        const char *text = request->sides[side][i];
        size_t length = name_length(text);
        if (length == 0 && strcmp(name, "build") == 0) {
            value = text;
        } else if (length != 0 && strlen(name) == length &&
                   strncmp(text, name, length) == 0) {
            value = text + length + 1;
        }
    }
    return value;
}

static const char *file_value(const struct model_suite_variables *variables,
                              enum model_side side, const char *name)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (strcmp(variables->items[i].name, name) == 0) {
            return variables->items[i].values[side];
        }
    }
    return NULL;
}

static bool has_name(const struct parameter_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->parameters[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* What one side's variables are made of. */
struct setting_out {
    const struct suite_request *request;
    const struct model_suite *suite;
    const struct model_suite_benchmark *benchmark;
    const struct parameter_list *own; /* duet's */
    enum model_side side;
};

/* Adds {name} unless it is there; its value may name duet's own. */
static enum duet_code add_variable(const struct setting_out *out, const char *name,
                                   struct parameter_list *list,
                                   struct duet_error *reterr)
{
    if (has_name(out->own, name)) {
        return error_set(reterr, DUET_E_USAGE,
                         "%s: the variable '%s' is duet's own; take another name",
                         out->suite->path, name);
    }
    if (has_name(list, name)) {
        return DUET_OK;
    }
    const char *value = given_value(out->request, out->side, name);
    value =
        value != NULL ? value : file_value(&out->benchmark->variables, out->side, name);
    value = value != NULL ? value : file_value(&out->suite->variables, out->side, name);
    if (value == NULL) {
        const char *side = model_side_name(out->side);
        return error_set(
            reterr, DUET_E_USAGE,
            "%s: the variable '%s' has no value for side %s: give one there, or --%s %s=VALUE",
            out->suite->path, name, side, side, name);
    }
    char *whole = parameter_expand(out->own, 0, value);
    if (whole == NULL) {
        return error_no_memory(reterr);
    }
    const char *const values[] = {whole};
    enum duet_code code = parameter_add_values(list, name, values, 1, reterr);
    free(whole);
    return code;
}

static enum duet_code add_file(const struct setting_out *out,
                               const struct model_suite_variables *variables,
                               struct parameter_list *list, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < variables->count && code == DUET_OK; i++) {
        code = add_variable(out, variables->items[i].name, list, reterr);
    }
    return code;
}

/* Those of both sides: one that is given for one only lacks the other's value. */
static enum duet_code add_given(const struct setting_out *out, enum model_side side,
                                struct parameter_list *list, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < out->request->side_counts[side] && code == DUET_OK; i++) {
        const char *text = out->request->sides[side][i];
        size_t length = name_length(text);
        char *name = length == 0 ? alloc_string("build") : alloc_string_n(text, length);
        code = name == NULL ? error_no_memory(reterr)
                            : add_variable(out, name, list, reterr);
        free(name);
    }
    return code;
}

static enum duet_code add_own(const struct suite_folders *folders, enum model_side side,
                              struct parameter_list *list, struct duet_error *reterr)
{
    const char *const values[][2] = {{"suite", folders->suite},
                                     {"scratch", folders->scratch},
                                     {"side", model_side_name(side)}};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < sizeof values / sizeof values[0] && code == DUET_OK; i++) {
        code = parameter_add_values(list, values[i][0], &values[i][1], 1, reterr);
    }
    return code;
}

enum duet_code suite_variables_set(const struct suite_request *request,
                                   const struct suite_folders *folders,
                                   const struct model_suite *suite,
                                   const struct model_suite_benchmark *benchmark,
                                   struct run_request *options,
                                   struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct parameter_list own = {0};
        struct parameter_list *list = &options->variables[side];
        struct setting_out out = {.request = request,
                                  .suite = suite,
                                  .benchmark = benchmark,
                                  .own = &own,
                                  .side = (enum model_side)side};
        code = add_own(folders, out.side, &own, reterr);
        if (code == DUET_OK) {
            code = add_given(&out, MODEL_OLD, list, reterr);
        }
        if (code == DUET_OK) {
            code = add_given(&out, MODEL_NEW, list, reterr);
        }
        if (code == DUET_OK) {
            code = add_file(&out, &benchmark->variables, list, reterr);
        }
        if (code == DUET_OK) {
            code = add_file(&out, &suite->variables, list, reterr);
        }
        parameter_list_release(&own);
        if (code == DUET_OK) {
            code = add_own(folders, out.side, list, reterr);
        }
    }
    return code;
}

/* ---- Parameters ---- */

/* `benchmark`: NULL: of the defaults. */
static enum duet_code add_parameter(const struct model_suite *suite,
                                    const struct model_suite_benchmark *benchmark,
                                    const struct model_suite_parameter *parameter,
                                    struct parameter_list *list,
                                    struct duet_error *reterr)
{
    struct duet_error error;
    char where[64] = "defaults";
    bool scan = parameter->values == NULL;
    enum duet_code code =
        scan ? parameter_add_scan(list, parameter->name, parameter->scan[0],
                                  parameter->scan[1], parameter->scan[2], &error)
             : parameter_add_values(list, parameter->name,
                                    (const char *const *)parameter->values,
                                    parameter->count, &error);
    if (code == DUET_OK) {
        return DUET_OK;
    }
    if (benchmark != NULL) {
        (void)snprintf(where, sizeof where, "benchmarks[%zu]",
                       (size_t)(benchmark - suite->benchmarks));
    }
    return error_set(
        reterr, code, "%s:%llu:%llu: %s.parameters.%s: %s", suite->path,
        (unsigned long long)parameter->position.line,
        (unsigned long long)parameter->position.column, where, parameter->name,
        scan && code == DUET_E_USAGE
            ? "'from' must not exceed 'to', 'step' must be above 0, and there can be 10000 values"
            : error.message);
}

static bool is_replaced(const struct model_suite_benchmark *benchmark, const char *name)
{
    for (size_t i = 0; i < benchmark->parameters.count; i++) {
        if (strcmp(benchmark->parameters.items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

enum duet_code suite_parameters_set(const struct model_suite *suite,
                                    const struct model_suite_benchmark *benchmark,
                                    struct run_request *options,
                                    struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < suite->parameters.count && code == DUET_OK; i++) {
        const struct model_suite_parameter *parameter = &suite->parameters.items[i];
        if (!is_replaced(benchmark, parameter->name)) {
            code = add_parameter(suite, NULL, parameter, &options->parameters, reterr);
        }
    }
    for (size_t i = 0; i < benchmark->parameters.count && code == DUET_OK; i++) {
        code = add_parameter(suite, benchmark, &benchmark->parameters.items[i],
                             &options->parameters, reterr);
    }
    return code;
}
