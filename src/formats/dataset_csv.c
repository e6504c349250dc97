#include "formats/dataset_csv.h"

#include "base/text.h"
#include "formats/counted.h"
#include "formats/csv_header.h"
#include "formats/dataset_columns.h"
#include "formats/scan.h"

#include <stdlib.h>
#include <string.h>

/* A value may stand for so many. */
enum { COUNT_MAX = 1000000 };

struct reader {
    struct formats_source *source;
    const struct formats_dataset_options *options;
    struct formats_dataset_columns columns;
    struct formats_csv_row row;
    struct text joined[MODEL_LEVELS]; /* names of several columns */
    struct text commit;               /* of the rows so far */
    struct model_name given[MODEL_LEVELS];
    struct model_dataset_builder *builder;
    struct formats_dataset_counts *counts;
    uint64_t counted;
};

static const char *field_text(const struct reader *reader, size_t column,
                              size_t *ret_length)
{
    *ret_length = reader->row.fields[column].length;
    return formats_csv_row_text(&reader->row, column);
}

static bool field_is(const struct reader *reader, size_t column, const char *wanted)
{
    size_t length = 0;
    const char *text = field_text(reader, column, &length);
    formats_csv_trim(&text, &length);
    return strlen(wanted) == length && strncmp(text, wanted, length) == 0;
}

static enum duet_code wrong_field(const struct reader *reader, size_t column,
                                  const char *what, struct duet_error *reterr)
{
    const struct formats_csv_field *field = &reader->row.fields[column];
    return formats_source_error(reader->source, field->line, field->column, reterr,
                                "'%.60s' is not a %s",
                                formats_csv_row_text(&reader->row, column), what);
}

/* A name of one column lies in the row. */
static enum duet_code name_of(struct reader *reader, int level,
                              struct model_name *ret_name, struct duet_error *reterr)
{
    const struct formats_dataset_list *list = &reader->columns.names[level];
    if (list->count == 0) {
        *ret_name = reader->given[level];
        return DUET_OK;
    }
    if (list->count == 1) {
        ret_name->bytes = field_text(reader, list->columns[0], &ret_name->length);
        return DUET_OK;
    }
    struct text *joined = &reader->joined[level];
    joined->length = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t length = 0;
        const char *text = field_text(reader, list->columns[i], &length);
        if (length > 0 && joined->length > 0) {
            text_append_char(joined, ':');
        }
        text_append_n(joined, text, length);
    }
    *ret_name = (struct model_name){text_string(joined), joined->length};
    return text_failed(joined) ? error_no_memory(reterr) : DUET_OK;
}

/* *ret_there: false when there is no value. `strict`: what is no number is an error. */
static enum duet_code take_value(const struct reader *reader, size_t column,
                                 bool strict, bool inverse, double *ret_value,
                                 bool *ret_there, struct duet_error *reterr)
{
    size_t length = 0;
    const char *text = field_text(reader, column, &length);
    double value = 0;
    bool number = length > 0 && formats_scan_number(text, length, &value);
    *ret_there = number && value > 0;
    if (!*ret_there && strict && !formats_scan_is_missing(text, length)) {
        return wrong_field(reader, column,
                           number ? "time: it must be positive"
                                  : formats_scan_wanted(text, length),
                           reterr);
    }
    *ret_value = inverse && *ret_there ? 1.0 / value : value;
    return DUET_OK;
}

static enum duet_code take_count(struct reader *reader, uint64_t *ret_count,
                                 struct duet_error *reterr)
{
    const struct formats_dataset_list *list = &reader->columns.count;
    if (list->count == 0) {
        return DUET_OK;
    }
    size_t length = 0;
    const char *text = field_text(reader, list->columns[0], &length);
    if (!formats_scan_whole(text, length, ret_count) || *ret_count == 0 ||
        *ret_count > COUNT_MAX) {
        return wrong_field(reader, list->columns[0], "count of values from 1 to 10^6",
                           reterr);
    }
    /* Each column of values has them. */
    uint64_t columns =
        reader->columns.values.count > 1 ? reader->columns.values.count : 1;
    return formats_counted_add(reader->source, *ret_count * columns, &reader->counted,
                               reterr);
}

static enum duet_code take_pair(struct reader *reader, struct model_point *point,
                                uint64_t count, struct duet_error *reterr)
{
    const struct formats_dataset_columns *columns = &reader->columns;
    bool has_new = false;
    bool has_old = false;
    bool inverse = reader->options->throughput;
    enum duet_code code = take_value(reader, columns->new_side.columns[0], true,
                                     inverse, &point->value, &has_new, reterr);
    if (code == DUET_OK) {
        code = take_value(reader, columns->old_side.columns[0], true, inverse,
                          &point->old, &has_old, reterr);
    }
    if (code == DUET_OK && has_new && has_old) {
        return model_dataset_builder_add_again(reader->builder, point, count, reterr);
    }
    reader->counts->missing += code == DUET_OK ? count : 0;
    return code;
}

/* The name of the column behind that of the row's benchmark. */
static enum duet_code name_column(struct reader *reader, size_t column,
                                  const struct model_name *benchmark,
                                  struct text *ret_name, struct duet_error *reterr)
{
    ret_name->length = 0;
    if (reader->columns.names[MODEL_LEVEL_BENCHMARK].count > 0) {
        text_append_n(ret_name, benchmark->bytes, benchmark->length);
        text_append_char(ret_name, ':');
    }
    text_append(ret_name, reader->columns.header[column]);
    return text_failed(ret_name) ? error_no_memory(reterr) : DUET_OK;
}

static enum duet_code take_values(struct reader *reader, struct model_point *point,
                                  uint64_t count, struct duet_error *reterr)
{
    const struct formats_dataset_list *values = &reader->columns.values;
    struct model_name benchmark = point->names[MODEL_LEVEL_BENCHMARK];
    struct text name = {0};
    enum duet_code code = DUET_OK;
    bool inverse = reader->options->throughput;
    if (reader->columns.has_mode) {
        inverse = inverse || field_is(reader, reader->columns.mode, "thrpt");
    }
    for (size_t i = 0; i < values->count && code == DUET_OK; i++) {
        bool there = false;
        code = take_value(reader, values->columns[i], values->count == 1, inverse,
                          &point->value, &there, reterr);
        if (code == DUET_OK && there && values->count > 1) {
            code = name_column(reader, values->columns[i], &benchmark, &name, reterr);
            point->names[MODEL_LEVEL_BENCHMARK] =
                (struct model_name){text_string(&name), name.length};
        }
        if (code == DUET_OK && there) {
            code =
                model_dataset_builder_add_again(reader->builder, point, count, reterr);
        }
        reader->counts->missing += code == DUET_OK && !there ? count : 0;
    }
    text_release(&name);
    return code;
}

/* Values of two commits are not one benchmark's. */
static enum duet_code check_commit(struct reader *reader, struct duet_error *reterr)
{
    size_t length = 0;
    const char *text = field_text(reader, reader->columns.commit, &length);
    if (reader->commit.length == 0) {
        text_append_n(&reader->commit, text, length);
        return text_failed(&reader->commit) ? error_no_memory(reterr) : DUET_OK;
    }
    if (reader->commit.length == length &&
        memcmp(text_string(&reader->commit), text, length) == 0) {
        return DUET_OK;
    }
    const struct formats_csv_field *field = &reader->row.fields[reader->columns.commit];
    return formats_source_error(
        reader->source, field->line, field->column, reterr,
        "a second commit, '%.60s'; choose one with --where commit=..., or tell them "
        "apart with --map benchmark=project+commit+benchmark+params",
        text);
}

static enum duet_code take_row(struct reader *reader, struct duet_error *reterr)
{
    if (reader->row.count != reader->columns.count_of_header) {
        return formats_source_error(reader->source, reader->row.fields[0].line, 1,
                                    reterr,
                                    "%zu fields where the first row names %zu columns",
                                    reader->row.count, reader->columns.count_of_header);
    }
    reader->counts->rows++;
    if (!formats_where_holds(&reader->columns.where, &reader->row)) {
        reader->counts->filtered++;
        return DUET_OK;
    }
    struct model_point point = {.value = 0};
    uint64_t count = 1;
    enum duet_code code = DUET_OK;
    if (reader->columns.has_commit) {
        code = check_commit(reader, reterr);
    }
    for (int level = 0; level < MODEL_LEVELS && code == DUET_OK; level++) {
        code = name_of(reader, level, &point.names[level], reterr);
    }
    if (code == DUET_OK) {
        code = take_count(reader, &count, reterr);
    }
    if (code == DUET_OK) {
        code = reader->columns.values.count == 0
                   ? take_pair(reader, &point, count, reterr)
                   : take_values(reader, &point, count, reterr);
    }
    return code;
}

enum duet_code formats_dataset_csv_read(struct formats_source *source,
                                        const struct formats_dataset_options *options,
                                        const char *environment, const char *instance,
                                        struct model_dataset_builder *builder,
                                        struct formats_dataset_counts *counts,
                                        struct duet_error *reterr)
{
    struct reader reader = {
        .source = source,
        .options = options,
        .given = {{"-", 1},
                  {environment, strlen(environment)},
                  {instance, strlen(instance)},
                  {"-", 1}},
        .builder = builder,
        .counts = counts,
    };
    char separator = options->separator;
    bool more = true;
    enum duet_code code =
        formats_csv_header_read(source, &separator, &reader.row, reterr);
    if (code == DUET_OK) {
        code = formats_dataset_columns_find(&reader.row, source->name, options,
                                            &reader.columns, reterr);
    }
    while (code == DUET_OK && more) {
        code = formats_csv_row_read(source, separator, &reader.row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(&reader, reterr);
        }
    }
    formats_dataset_columns_release(&reader.columns);
    formats_csv_row_release(&reader.row);
    for (int level = 0; level < MODEL_LEVELS; level++) {
        text_release(&reader.joined[level]);
    }
    text_release(&reader.commit);
    return code;
}
