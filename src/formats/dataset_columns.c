#include "formats/dataset_columns.h"

#include "base/alloc.h"
#include "base/text.h"
#include "formats/csv_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_MAX = 8 };

static const struct {
    const char *name;
    const char *usual[USUAL_MAX]; /* ended by NULL */
} roles[FORMATS_DATASET_ROLES] = {
    [FORMATS_DATASET_BENCHMARK] = {"benchmark", {"benchmark", "bench"}},
    [FORMATS_DATASET_ENVIRONMENT] = {"environment", {"environment", "env"}},
    [FORMATS_DATASET_INSTANCE] = {"instance",
                                  {"instance", "vm_id", "vm", "host", "machine"}},
    [FORMATS_DATASET_TRIAL] = {"trial", {"trial", "run", "fork"}},
    [FORMATS_DATASET_VALUE] = {"value",
                               {"value", "time", "duration", "elapsed", "real",
                                "wall"}},
    [FORMATS_DATASET_OLD] = {"old", {NULL}},
    [FORMATS_DATASET_NEW] = {"new", {NULL}},
    [FORMATS_DATASET_COUNT] = {"count", {"value_count"}},
};

const char *formats_dataset_role_name(unsigned role)
{
    return role < FORMATS_DATASET_ROLES ? roles[role].name : "unknown";
}

bool formats_dataset_is_paired(const struct formats_dataset_options *options)
{
    return options->columns[FORMATS_DATASET_OLD] != NULL &&
           options->columns[FORMATS_DATASET_NEW] != NULL;
}

struct finder {
    const char *file;
    struct formats_dataset_columns *columns;
    const struct formats_dataset_options *options;
};

static enum duet_code no_memory(struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM, "no memory for the columns of a file");
}

static enum duet_code not_found(const struct finder *finder, const char *what,
                                struct duet_error *reterr)
{
    struct text names = {0};
    for (size_t i = 0; i < finder->columns->count_of_header; i++) {
        text_append_format(&names, "%s%s", i == 0 ? "" : ", ",
                           finder->columns->header[i]);
    }
    enum duet_code code =
        error_set(reterr, DUET_E_NOT_FOUND, "'%s' has no %s; its columns: %.600s",
                  finder->file, what, text_string(&names));
    text_release(&names);
    return code;
}

static bool find_column(const struct formats_dataset_columns *columns, const char *name,
                        size_t length, size_t *ret_column)
{
    char wanted[512];
    (void)snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    for (size_t i = 0; i < columns->count_of_header; i++) {
        const char *text = columns->header[i];
        if (formats_csv_is_called(text, strlen(text), wanted)) {
            *ret_column = i;
            return true;
        }
    }
    return false;
}

static enum duet_code append(struct formats_dataset_list *list, size_t column,
                             struct duet_error *reterr)
{
    size_t *grown = alloc_resize(list->columns, list->count + 1, sizeof *grown);
    if (grown == NULL) {
        return no_memory(reterr);
    }
    list->columns = grown;
    list->columns[list->count++] = column;
    return DUET_OK;
}

/* "a+b" */
static enum duet_code find_named(const struct finder *finder, const char *names,
                                 struct formats_dataset_list *list,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (const char *at = names; code == DUET_OK; at++) {
        size_t length = strcspn(at, "+");
        size_t column = 0;
        if (!find_column(finder->columns, at, length, &column)) {
            char what[300];
            (void)snprintf(what, sizeof what, "column '%.*s'",
                           length < 250 ? (int)length : 250, at);
            return not_found(finder, what, reterr);
        }
        code = append(list, column, reterr);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return code;
}

static enum duet_code find_usual(const struct finder *finder,
                                 enum formats_dataset_role role,
                                 struct formats_dataset_list *list,
                                 struct duet_error *reterr)
{
    for (const char *const *usual = roles[role].usual; *usual != NULL; usual++) {
        for (size_t i = 0; i < finder->columns->count_of_header; i++) {
            if (formats_csv_is_usually_called(finder->columns->header[i], *usual)) {
                return append(list, i, reterr);
            }
        }
    }
    return DUET_OK;
}

/* The columns that only pa writes together; what says more than one column of them. */
static bool is_pa(const struct formats_dataset_columns *columns)
{
    static const char *const marks[] = {"project", "commit", "params", "value_count"};
    size_t column = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (!find_column(columns, marks[i], strlen(marks[i]), &column)) {
            return false;
        }
    }
    return true;
}

static enum duet_code find_role(const struct finder *finder, bool pa,
                                enum formats_dataset_role role,
                                struct formats_dataset_list *list,
                                struct duet_error *reterr)
{
    const char *named = finder->options->columns[role];
    if (named == NULL && pa && role == FORMATS_DATASET_BENCHMARK) {
        named = "project+benchmark+params";
    }
    if (named == NULL && pa && role == FORMATS_DATASET_TRIAL) {
        named = "trial+fork";
    }
    return named != NULL ? find_named(finder, named, list, reterr)
                         : find_usual(finder, role, list, reterr);
}

static bool holds(const struct formats_dataset_list *list, size_t column)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->columns[i] == column) {
            return true;
        }
    }
    return false;
}

static bool is_taken(const struct formats_dataset_columns *columns, size_t column)
{
    for (int level = 0; level < MODEL_LEVELS; level++) {
        if (holds(&columns->names[level], column)) {
            return true;
        }
    }
    return holds(&columns->count, column);
}

static enum duet_code find_values(const struct finder *finder, bool pa,
                                  struct duet_error *reterr)
{
    struct formats_dataset_columns *columns = finder->columns;
    const char *named = finder->options->columns[FORMATS_DATASET_VALUE];
    enum duet_code code = DUET_OK;
    if (formats_dataset_is_paired(finder->options)) {
        code = find_role(finder, pa, FORMATS_DATASET_OLD, &columns->old_side, reterr);
        return code != DUET_OK ? code
                               : find_role(finder, pa, FORMATS_DATASET_NEW,
                                           &columns->new_side, reterr);
    }
    if (named != NULL && strcmp(named, "*") == 0) {
        for (size_t i = 0; i < columns->count_of_header && code == DUET_OK; i++) {
            code = is_taken(columns, i) ? DUET_OK : append(&columns->values, i, reterr);
        }
    } else {
        code = find_role(finder, pa, FORMATS_DATASET_VALUE, &columns->values, reterr);
    }
    if (code == DUET_OK && columns->values.count == 0) {
        code = not_found(finder,
                         "column with a known name for values; name it with --map "
                         "value=NAME",
                         reterr);
    }
    return code;
}

static enum duet_code copy_header(const struct formats_csv_row *row,
                                  struct formats_dataset_columns *columns,
                                  struct duet_error *reterr)
{
    columns->header = alloc_array(row->count, sizeof *columns->header);
    if (columns->header == NULL) {
        return no_memory(reterr);
    }
    columns->count_of_header = row->count;
    for (size_t i = 0; i < row->count; i++) {
        columns->header[i] = alloc_string(formats_csv_row_text(row, i));
        if (columns->header[i] == NULL) {
            return no_memory(reterr);
        }
    }
    return DUET_OK;
}

enum duet_code
formats_dataset_columns_find(const struct formats_csv_row *row, const char *file,
                             const struct formats_dataset_options *options,
                             struct formats_dataset_columns *ret_columns,
                             struct duet_error *reterr)
{
    static const enum formats_dataset_role levels[MODEL_LEVELS] = {
        [MODEL_LEVEL_BENCHMARK] = FORMATS_DATASET_BENCHMARK,
        [MODEL_LEVEL_ENVIRONMENT] = FORMATS_DATASET_ENVIRONMENT,
        [MODEL_LEVEL_INSTANCE] = FORMATS_DATASET_INSTANCE,
        [MODEL_LEVEL_TRIAL] = FORMATS_DATASET_TRIAL,
    };
    struct finder finder = {.file = file, .columns = ret_columns, .options = options};
    enum duet_code code = copy_header(row, ret_columns, reterr);
    bool pa = code == DUET_OK && is_pa(ret_columns);
    for (int level = 0; level < MODEL_LEVELS && code == DUET_OK; level++) {
        code =
            find_role(&finder, pa, levels[level], &ret_columns->names[level], reterr);
    }
    if (code == DUET_OK) {
        code =
            find_role(&finder, pa, FORMATS_DATASET_COUNT, &ret_columns->count, reterr);
    }
    if (code == DUET_OK) {
        code = find_values(&finder, pa, reterr);
    }
    if (code == DUET_OK) {
        ret_columns->where = options->where;
        code = formats_where_find(&ret_columns->where, row, file, reterr);
    }
    if (code == DUET_OK && pa) {
        ret_columns->has_mode =
            find_column(ret_columns, "mode", strlen("mode"), &ret_columns->mode);
        ret_columns->has_commit = find_column(ret_columns, "commit", strlen("commit"),
                                              &ret_columns->commit) &&
                                  options->columns[FORMATS_DATASET_BENCHMARK] == NULL;
    }
    return code;
}

void formats_dataset_columns_release(struct formats_dataset_columns *columns)
{
    for (size_t i = 0; columns->header != NULL && i < columns->count_of_header; i++) {
        free(columns->header[i]);
    }
    free(columns->header);
    for (int level = 0; level < MODEL_LEVELS; level++) {
        free(columns->names[level].columns);
    }
    free(columns->values.columns);
    free(columns->old_side.columns);
    free(columns->new_side.columns);
    free(columns->count.columns);
    *columns = (struct formats_dataset_columns){0};
}
