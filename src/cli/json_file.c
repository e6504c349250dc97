#include "cli/json_file.h"

#include "base/file.h"
#include "json/json_text.h"

enum duet_code file_write_json(const char *path, json_t *document,
                               struct duet_error *reterr)
{
    struct text text = {0};
    bool whole = json_text_append(&text, document);
    json_decref(document);
    if (!whole) {
        text_release(&text);
        return error_no_memory(reterr);
    }
    text_append(&text, file_is_stdout(path) ? "\n" : "");
    return file_write_text(path, &text, reterr);
}
