#include "report/markdown_text.h"

#include "report/display.h"

#include <string.h>

/* The longest run of backticks in a string: a code span needs a longer fence. */
static size_t longest_backticks(const char *string)
{
    size_t longest = 0;
    for (const char *s = string; *s != '\0'; s++) {
        size_t run = strspn(s, "`");
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* In a table GitHub ends a cell at every `|`, in code too, unless it is escaped;
 * outside it shows the escape. */
static void append_code(struct text *text, const char *string, bool unicode,
                        bool in_table)
{
    struct text clean = {0};
    display_append_clean(&clean, string, unicode);
    size_t fence = longest_backticks(text_string(&clean)) + 1;
    for (size_t i = 0; i < fence; i++) {
        text_append_char(text, '`');
    }
    text_append(text, fence > 1 ? " " : "");
    for (const char *s = text_string(&clean); *s != '\0'; s++) {
        text_append(text, in_table && *s == '|' ? "\\" : "");
        text_append_char(text, *s);
    }
    text_append(text, fence > 1 ? " " : "");
    for (size_t i = 0; i < fence; i++) {
        text_append_char(text, '`');
    }
    display_drop(text, &clean);
}

void markdown_append_code(struct text *text, const char *string, bool unicode)
{
    append_code(text, string, unicode, false);
}

void markdown_append_code_cell(struct text *text, const char *string, bool unicode)
{
    append_code(text, string, unicode, true);
}

void markdown_append_prose(struct text *text, const char *string, bool unicode)
{
    struct text clean = {0};
    display_append_clean(&clean, string, unicode);
    for (const char *s = text_string(&clean); *s != '\0'; s++) {
        text_append(text, strchr("\\`*_[]<>|#&~", *s) != NULL ? "\\" : "");
        text_append_char(text, *s);
        /* Names are looked for in what is shown: an escape would not part them. */
        text_append(text, *s == '@' ? "<!-- -->" : "");
    }
    display_drop(text, &clean);
}
