// link: duet_base
/* Everything that reads what users type (base/parse.h). Checked beside memory safety:
 * results within what the header promises, and untouched after a failure. */
#include "base/parse.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

static void try_numbers(const char *text)
{
    uint64_t ns = 7;
    double fraction = -7;
    double number = 7.5;
    uint64_t whole = 7;
    if (parse_duration_ns(text, "x", &ns, NULL) == DUET_OK) {
        require(ns <= (uint64_t)INT64_MAX + 1);
    } else {
        require(ns == 7);
    }
    if (parse_fraction(text, "x", &fraction, NULL) == DUET_OK) {
        require(isfinite(fraction) && fraction >= 0);
    } else {
        require(fraction == -7);
    }
    if (parse_number(text, "x", &number, NULL) == DUET_OK) {
        require(isfinite(number));
    } else {
        require(number == 7.5);
    }
    if (parse_whole(text, "x", 10, 1000, &whole, NULL) == DUET_OK) {
        require(whole >= 10 && whole <= 1000);
    } else {
        require(whole == 7);
    }
}

static void try_cpu_list(const char *text)
{
    enum { CAPACITY = 64 };
    unsigned cpus[CAPACITY];
    size_t count = 7;
    if (parse_cpu_list(text, "x", cpus, CAPACITY, &count, NULL) != DUET_OK) {
        require(count == 7);
        return;
    }
    require(count >= 1 && count <= CAPACITY);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            require(cpus[i] != cpus[j]);
        }
    }
}

/* Puts '...' around each word, as a careful user would, into a new string. */
static char *quote_words(char **words)
{
    size_t bytes = 1;
    for (char **word = words; *word != NULL; word++) {
        bytes += 4 * strlen(*word) + 3;
    }
    char *line = calloc(bytes, 1);
    require(line != NULL);
    char *to = line;
    for (char **word = words; *word != NULL; word++) {
        *to++ = '\'';
        for (const char *from = *word; *from != '\0'; from++) {
            if (*from == '\'') {
                memcpy(to, "'\\''", 4);
                to += 4;
            } else {
                *to++ = *from;
            }
        }
        *to++ = '\'';
        *to++ = ' ';
    }
    return line;
}

static void try_command(const char *text)
{
    char **words = NULL;
    struct duet_error error;
    if (parse_command_words(text, &words, &error) != DUET_OK) {
        require(words == NULL && error.message[0] != '\0');
        return;
    }
    require(words[0] != NULL);
    char *line = quote_words(words);
    char **again = NULL;
    require(parse_command_words(line, &again, NULL) == DUET_OK);
    size_t i = 0;
    for (; words[i] != NULL; i++) {
        require(again[i] != NULL && strcmp(words[i], again[i]) == 0);
    }
    require(again[i] == NULL);
    free(line);
    free(again);
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(size + 1, 1);
    require(text != NULL);
    memcpy(text, data, size);
    try_numbers(text);
    try_cpu_list(text);
    try_command(text);
    free(text);
    return 0;
}
