#include "formats/json_load.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static size_t read_more(void *bytes, size_t size, void *context)
{
    struct formats_source *source = context;
    size_t ready = 0;
    const unsigned char *from = formats_source_look(source, &ready);
    size_t taken = ready < size ? ready : size;
    memcpy(bytes, from, taken);
    source->at += taken;
    return taken;
}

/* It is JSON all the same, but a C string ends there. */
static bool is_nul(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_null_character || code == json_error_null_byte_in_key;
}

enum duet_code formats_json_load(struct formats_source *source, json_t **ret_document,
                                 struct duet_error *reterr)
{
    json_error_t error;
    errno = 0;
    json_t *document = json_load_callback(read_more, source, 0, &error);
    /* jansson itself calls that a mistake in the file. */
    bool no_memory = document == NULL && errno == ENOMEM;
    enum duet_code code = formats_source_check(source, reterr);
    if (code != DUET_OK) {
        json_decref(document);
        return code;
    }
    if (no_memory) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", source->name);
    }
    if (document == NULL) {
        bool nul = is_nul(&error);
        return formats_source_error(
            source, error.line > 0 ? (uint64_t)error.line : 1,
            error.column > 0 ? (uint64_t)error.column : 1, reterr, "%s%s",
            nul ? "" : "not JSON: ",
            nul ? "a string holds \\u0000, which no name or text may hold: remove it"
                : error.text);
    }
    *ret_document = document;
    return DUET_OK;
}
