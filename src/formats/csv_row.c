#include "formats/csv_row.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static enum duet_code no_memory(const struct formats_source *source,
                                struct duet_error *reterr)
{
    (void)error_set(reterr, DUET_E_NOMEM, "no memory for a row of '%s'", source->name);
    return DUET_E_NOMEM;
}

static enum duet_code add_field(const struct formats_source *source,
                                struct formats_csv_row *row, struct duet_error *reterr)
{
    if (row->count == FORMATS_CSV_FIELDS_MAX) {
        return formats_source_error(source, source->line, source->column, reterr,
                                    "a row has more than %d fields",
                                    FORMATS_CSV_FIELDS_MAX);
    }
    struct formats_csv_field *fields =
        alloc_grow(row->fields, row->count, &row->fields_capacity, sizeof *fields);
    if (fields == NULL) {
        return no_memory(source, reterr);
    }
    row->fields = fields;
    row->fields[row->count++] = (struct formats_csv_field){
        .start = row->length, .line = source->line, .column = source->column};
    return DUET_OK;
}

static enum duet_code grow(const struct formats_source *source,
                           struct formats_csv_row *row, struct duet_error *reterr)
{
    size_t capacity = row->capacity == 0 ? 256 : 2 * row->capacity;
    char *bytes = alloc_resize(row->bytes, capacity, 1);
    if (bytes == NULL) {
        return no_memory(source, reterr);
    }
    row->bytes = bytes;
    row->capacity = capacity;
    return DUET_OK;
}

static inline enum duet_code add_byte(const struct formats_source *source,
                                      struct formats_csv_row *row, int byte,
                                      struct duet_error *reterr)
{
    if (row->length == row->capacity) {
        enum duet_code code = grow(source, row, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    row->bytes[row->length++] = (char)byte;
    return DUET_OK;
}

static enum duet_code check_byte(const struct formats_source *source,
                                 const struct formats_csv_row *row, int byte,
                                 struct duet_error *reterr)
{
    const struct formats_csv_field *field = &row->fields[row->count - 1];
    if (byte == '\0') {
        return formats_source_error(source, source->line, source->column - 1, reterr,
                                    "a NUL byte: this is not a text file");
    }
    if (row->length - field->start >= FORMATS_CSV_FIELD_BYTES_MAX) {
        return formats_source_error(source, field->line, field->column, reterr,
                                    "a field is longer than %d bytes",
                                    FORMATS_CSV_FIELD_BYTES_MAX);
    }
    return DUET_OK;
}

/* Behind the opening quote, up to and with the closing one. */
static enum duet_code read_quoted(struct formats_source *source,
                                  struct formats_csv_row *row,
                                  struct duet_error *reterr)
{
    const struct formats_csv_field field = row->fields[row->count - 1];
    for (;;) {
        int byte = formats_source_next(source);
        if (byte == FORMATS_SOURCE_END) {
            return formats_source_error(source, field.line, field.column, reterr,
                                        "this field's quote is never closed");
        }
        if (byte == '"') {
            if (formats_source_peek(source) != '"') {
                return DUET_OK;
            }
            byte = formats_source_next(source);
        }
        enum duet_code code = check_byte(source, row, byte, reterr);
        if (code == DUET_OK) {
            code = add_byte(source, row, byte, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
    }
}

static bool ends_line(int byte)
{
    return byte == '\n' || byte == FORMATS_SOURCE_END;
}

/* What follows a closing quote: *ret_byte is the separator or the line's end. */
static enum duet_code read_behind_quote(struct formats_source *source, char separator,
                                        int *ret_byte, struct duet_error *reterr)
{
    int byte = formats_source_next(source);
    if (byte == '\r' && ends_line(formats_source_peek(source))) {
        byte = formats_source_next(source);
    }
    if (byte != (unsigned char)separator && !ends_line(byte)) {
        return formats_source_error(
            source, source->line, source->column - 1, reterr,
            "text behind a closing quote; a quote within a field must be doubled");
    }
    *ret_byte = byte;
    return DUET_OK;
}

static enum duet_code read_plain(struct formats_source *source,
                                 struct formats_csv_row *row, char separator,
                                 int *ret_byte, struct duet_error *reterr)
{
    size_t start = row->length;
    int byte = formats_source_next(source);
    while (byte != (unsigned char)separator && !ends_line(byte)) {
        enum duet_code code = check_byte(source, row, byte, reterr);
        if (code == DUET_OK && byte == '"') {
            code = formats_source_error(
                source, source->line, source->column - 1, reterr,
                "a quote within a field; put the whole field into quotes and double this one");
        }
        if (code == DUET_OK) {
            code = add_byte(source, row, byte, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
        byte = formats_source_next(source);
    }
    if (ends_line(byte) && row->length > start && row->bytes[row->length - 1] == '\r') {
        row->length--;
    }
    *ret_byte = byte;
    return DUET_OK;
}

/* One field with what ends it. */
static enum duet_code read_field(struct formats_source *source,
                                 struct formats_csv_row *row, char separator,
                                 int *ret_byte, struct duet_error *reterr)
{
    enum duet_code code = add_field(source, row, reterr);
    if (code == DUET_OK && formats_source_peek(source) == '"') {
        (void)formats_source_next(source);
        code = read_quoted(source, row, reterr);
        if (code == DUET_OK) {
            code = read_behind_quote(source, separator, ret_byte, reterr);
        }
    } else if (code == DUET_OK) {
        code = read_plain(source, row, separator, ret_byte, reterr);
    }
    if (code == DUET_OK) {
        struct formats_csv_field *field = &row->fields[row->count - 1];
        field->length = row->length - field->start;
        code = add_byte(source, row, '\0', reterr);
    }
    return code;
}

/* ---- Lines without quotes that lie in the buffer as a whole: nearly all ---- */

static enum duet_code reserve(const struct formats_source *source,
                              struct formats_csv_row *row, size_t bytes,
                              struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    while (row->capacity < bytes && code == DUET_OK) {
        code = grow(source, row, reterr);
    }
    return code;
}

/* Divides the line that row->bytes holds, NUL at its end. */
static enum duet_code divide(const struct formats_source *source, char separator,
                             struct formats_csv_row *row, struct duet_error *reterr)
{
    char *end = row->bytes + row->length;
    for (char *at = row->bytes; at <= end;) {
        char *stop = memchr(at, separator, (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        *stop = '\0';
        enum duet_code code = add_field(source, row, reterr);
        if (code != DUET_OK) {
            return code;
        }
        struct formats_csv_field *field = &row->fields[row->count - 1];
        field->start = (size_t)(at - row->bytes);
        field->length = (size_t)(stop - at);
        field->column = field->start + 1;
        at = stop + 1;
    }
    return DUET_OK;
}

/* Takes the line when it is such a one (*ret_taken). */
static enum duet_code read_line(struct formats_source *source, char separator,
                                struct formats_csv_row *row, bool *ret_taken,
                                struct duet_error *reterr)
{
    const unsigned char *line = source->buffer + source->at;
    size_t left = source->length - source->at;
    const unsigned char *end = memchr(line, '\n', left);
    *ret_taken = end != NULL && source->column == 1 &&
                 memchr(line, '"', (size_t)(end - line)) == NULL &&
                 memchr(line, '\0', (size_t)(end - line)) == NULL;
    if (!*ret_taken) {
        return DUET_OK;
    }
    size_t length = (size_t)(end - line);
    enum duet_code code = reserve(source, row, length + 1, reterr);
    if (code == DUET_OK) {
        memcpy(row->bytes, line, length);
        row->length = length - (length > 0 && line[length - 1] == '\r' ? 1 : 0);
        code = divide(source, separator, row, reterr);
    }
    if (code == DUET_OK) {
        source->at += length + 1;
        source->line++;
    }
    return code;
}

static enum duet_code read_fields(struct formats_source *source, char separator,
                                  struct formats_csv_row *row,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    int byte = (unsigned char)separator;
    while (byte == (unsigned char)separator && code == DUET_OK) {
        code = read_field(source, row, separator, &byte, reterr);
    }
    return code;
}

enum duet_code formats_csv_row_read(struct formats_source *source, char separator,
                                    struct formats_csv_row *row, bool *ret_more,
                                    struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool blank = true;
    while (blank && formats_source_peek(source) != FORMATS_SOURCE_END) {
        bool taken = false;
        row->count = 0;
        row->length = 0;
        code = read_line(source, separator, row, &taken, reterr);
        if (code == DUET_OK && !taken) {
            code = read_fields(source, separator, row, reterr);
        }
        if (code != DUET_OK) {
            return code;
        }
        blank = row->count == 1 && row->fields[0].length == 0;
    }
    code = formats_source_check(source, reterr);
    if (code == DUET_OK) {
        *ret_more = !blank;
    }
    return code;
}

void formats_csv_row_release(struct formats_csv_row *row)
{
    if (row != NULL) {
        free(row->bytes);
        free(row->fields);
        *row = (struct formats_csv_row){0};
    }
}
