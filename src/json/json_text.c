#include "json/json_text.h"

static int append(const char *bytes, size_t length, void *context)
{
    text_append_n(context, bytes, length);
    return 0; /* the text remembers a failure */
}

bool json_text_append(struct text *text, const json_t *document)
{
    return json_dump_callback(document, append, text,
                              JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0 &&
           !text_failed(text);
}
