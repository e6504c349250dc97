#include "formats/json_load.h"

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

enum duet_code formats_json_load(struct formats_source *source, json_t **ret_document,
                                 struct duet_error *reterr)
{
    json_error_t error;
    json_t *document = json_load_callback(read_more, source, 0, &error);
    enum duet_code code = formats_source_check(source, reterr);
    if (code != DUET_OK) {
        json_decref(document);
        return code;
    }
    if (document == NULL && json_error_code(&error) == json_error_out_of_memory) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", source->name);
    }
    if (document == NULL) {
        return formats_source_error(source, error.line > 0 ? (uint64_t)error.line : 1,
                                    error.column > 0 ? (uint64_t)error.column : 1,
                                    reterr, "not JSON: %s", error.text);
    }
    *ret_document = document;
    return DUET_OK;
}
