#include "json/utf8.h"

#include <utf8proc.h>

size_t utf8_decode(const char *string, int32_t *ret_code)
{
    utf8proc_ssize_t length =
        utf8proc_iterate((const utf8proc_uint8_t *)string, -1, ret_code);
    return length > 0 ? (size_t)length : 0;
}

bool utf8_is_valid(const char *string)
{
    int32_t code = 0;
    size_t length = 1;
    while (*string != '\0' && length > 0) {
        length = utf8_decode(string, &code);
        string += length;
    }
    return length > 0;
}

void utf8_append(struct text *text, const char *string)
{
    while (*string != '\0') {
        int32_t code = 0;
        size_t length = utf8_decode(string, &code);
        if (length == 0) {
            text_append(text, "\xEF\xBF\xBD");
            length = 1;
        } else {
            text_append_n(text, string, length);
        }
        string += length;
    }
}
