#include "report/xml_text.h"

#include "report/display.h"

#include <string.h>

/* U+FFFE and U+FFFF, which are UTF-8 and no characters of XML 1.0 (production 2). */
static bool is_noncharacter(const char *s)
{
    return strncmp(s, "\xEF\xBF\xBE", 3) == 0 || strncmp(s, "\xEF\xBF\xBF", 3) == 0;
}

static void append_escaped(struct text *text, const char *string)
{
    for (const char *s = string; *s != '\0'; s++) {
        switch (*s) {
        case '&':
            text_append(text, "&amp;");
            break;
        case '<':
            text_append(text, "&lt;");
            break;
        case '>':
            text_append(text, "&gt;");
            break;
        case '"':
            text_append(text, "&quot;");
            break;
        default:
            if (is_noncharacter(s)) {
                text_append(text, "\xEF\xBF\xBD");
                s += 2;
            } else {
                text_append_char(text, *s);
            }
        }
    }
}

void xml_append_line(struct text *text, const char *string)
{
    struct text clean = {0};
    display_append_clean(&clean, string == NULL ? "" : string, true);
    append_escaped(text, text_string(&clean));
    display_drop(text, &clean);
}

void xml_append_lines(struct text *text, const char *string)
{
    struct text clean = {0};
    display_append_message(&clean, string, true);
    append_escaped(text, text_string(&clean));
    display_drop(text, &clean);
}
