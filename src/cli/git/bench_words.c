#include "cli/git/bench_words.h"

#include <string.h>

int bench_words_find(int argc, char **argv)
{
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0) {
        at++;
    }
    return at;
}

static void append_quoted(struct text *text, const char *word)
{
    text_append_char(text, '\'');
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            text_append(text, "'\\''");
        } else {
            text_append_char(text, *c);
        }
    }
    text_append_char(text, '\'');
}

void bench_words_append(struct text *text, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        text_append(text, i > 0 ? " " : "");
        if (count == 1) {
            text_append(text, words[i]);
        } else {
            append_quoted(text, words[i]);
        }
    }
}
