#include "report/quote.h"

#include "report/display.h"
#include "json/utf8.h"

#include <stdbool.h>
#include <string.h>

/* What a spreadsheet takes for a formula; a sign alone is none. */
static bool is_formula(const char *string)
{
    return *string != '\0' && strchr("=+-@\t\r\n", *string) != NULL &&
           string[1] != '\0';
}

void quote_append_csv(struct text *text, const char *string)
{
    struct text clean = {0};
    text_append(&clean, is_formula(string) ? "'" : "");
    utf8_append(&clean, string);
    bool quoted = strpbrk(text_string(&clean), ",;\t\"\r\n") != NULL;
    text_append(text, quoted ? "\"" : "");
    for (const char *s = text_string(&clean); *s != '\0'; s++) {
        text_append(text, *s == '"' ? "\"" : "");
        text_append_char(text, *s);
    }
    text_append(text, quoted ? "\"" : "");
    display_drop(text, &clean);
}

void quote_append_shell(struct text *text, const char *string)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+=:,@%";
    bool bare = *string != '\0' && string[strspn(string, plain)] == '\0';
    if (bare) {
        text_append(text, string);
    } else {
        text_append_quoted(text, string);
    }
}
