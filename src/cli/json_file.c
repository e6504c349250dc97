#include "cli/json_file.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

enum duet_code file_write_json(const char *path, json_t *document,
                               struct duet_error *reterr)
{
    struct text text = {0};
    char *bytes = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(document);
    if (bytes == NULL) {
        return error_no_memory(reterr);
    }
    text_append(&text, bytes);
    text_append(&text, file_is_stdout(path) ? "\n" : "");
    free(bytes);
    return file_write_text(path, &text, reterr);
}
