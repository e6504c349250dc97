#include "cli/git/bench_words.h"

#include "report/quote.h"

#include <string.h>

int bench_words_find(int argc, char **argv)
{
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0) {
        at++;
    }
    return at;
}

void bench_words_append(struct text *text, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        text_append(text, i > 0 ? " " : "");
        if (count == 1) {
            text_append(text, words[i]);
        } else {
            quote_append_shell(text, words[i]);
        }
    }
}
