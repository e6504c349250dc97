#include "report/json/json_writer.h"

#include <assert.h>
#include <string.h>

enum { HANDED_ON_BYTES = 65536, INDENT = 2 };

static void no_memory(struct json_writer *writer)
{
    if (writer->error.code == DUET_OK) {
        (void)error_no_memory(&writer->error);
    }
}

static void hand_on(struct json_writer *writer)
{
    if (text_failed(&writer->text)) {
        no_memory(writer);
    }
    if (writer->error.code == DUET_OK) {
        writer->error.code = writer->write(writer->context, text_string(&writer->text),
                                           writer->text.length, &writer->error);
    }
    writer->text.length = 0;
}

static void begin_line(struct json_writer *writer)
{
    /* banned-ok: indents */
    text_append_format(&writer->text, "\n%*s", (int)(writer->depth * INDENT), "");
}

/* What stands before a value. */
static void begin_value(struct json_writer *writer, const char *key)
{
    if (writer->text.length > HANDED_ON_BYTES) {
        hand_on(writer);
    }
    if (writer->depth > 0) {
        text_append(&writer->text, writer->filled ? "," : "");
        begin_line(writer);
    }
    if (key != NULL) {
        text_append_format(&writer->text, "\"%s\": ", key);
    }
    writer->filled = true;
}

static void open_value(struct json_writer *writer, const char *key, char opener,
                       char closer)
{
    assert(writer->depth < JSON_WRITER_DEPTH_MAX);
    begin_value(writer, key);
    text_append_char(&writer->text, opener);
    writer->closers[writer->depth++] = closer;
    writer->filled = false;
}

void json_writer_object(struct json_writer *writer, const char *key)
{
    open_value(writer, key, '{', '}');
}

void json_writer_array(struct json_writer *writer, const char *key)
{
    open_value(writer, key, '[', ']');
}

void json_writer_end(struct json_writer *writer)
{
    writer->depth--;
    if (writer->filled) {
        begin_line(writer);
    }
    text_append_char(&writer->text, writer->closers[writer->depth]);
    writer->filled = true;
}

/* Moves the value's lines to its depth: no string holds a raw line break. */
static int append_piece(const char *bytes, size_t length, void *context)
{
    struct json_writer *writer = context;
    const char *end = bytes + length;
    for (const char *line = bytes; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        text_append_n(&writer->text, line,
                      (size_t)((stop != NULL ? stop : end) - line));
        if (stop == NULL) {
            break;
        }
        begin_line(writer);
        line = stop + 1;
    }
    return 0;
}

void json_writer_value(struct json_writer *writer, const char *key, json_t *value)
{
    if (value == NULL) {
        no_memory(writer);
    } else if (writer->error.code == DUET_OK) {
        begin_value(writer, key);
        if (json_dump_callback(value, append_piece, writer,
                               JSON_INDENT(INDENT) | JSON_REAL_PRECISION(17) |
                                   JSON_ENCODE_ANY) != 0) {
            no_memory(writer);
        }
    }
    json_decref(value);
}

void json_writer_members(struct json_writer *writer, json_t *object)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (object == NULL) {
        no_memory(writer);
    }
    json_object_foreach(object, key, value)
    {
        json_writer_value(writer, key, json_incref(value));
    }
    json_decref(object);
}

bool json_writer_check(struct json_writer *writer, enum duet_code code,
                       const struct duet_error *error)
{
    if (code != DUET_OK && writer->error.code == DUET_OK) {
        writer->error = *error;
        writer->error.code = code;
    }
    return writer->error.code == DUET_OK;
}

enum duet_code json_writer_finish(struct json_writer *writer, struct duet_error *reterr)
{
    hand_on(writer);
    text_release(&writer->text);
    if (writer->error.code != DUET_OK && reterr != NULL) {
        *reterr = writer->error;
    }
    return writer->error.code;
}
