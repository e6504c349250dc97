#include "cli/help/suggest.h"

#include "cli/cli.h"
#include "cli/help/topics.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_MAX = 40, LETTERS_A_MISTAKE = 3 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* Row i of the table of distances holds those between the first i letters of `word` and
 * the first j of `name`; three rows are kept. Both have at most LETTERS_MAX. */
static size_t mistakes_between(const char *word, size_t length, const char *name,
                               size_t name_length)
{
    size_t rows[3][LETTERS_MAX + 1] = {{0}};
    for (size_t j = 0; j <= name_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= length; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= name_length; j++) {
            size_t wrong = word[i - 1] != name[j - 1];
            row[j] = least(before[j] + 1, row[j - 1] + 1, before[j - 1] + wrong);
            bool swapped = i > 1 && j > 1 && word[i - 1] == name[j - 2] &&
                           word[i - 2] == name[j - 1];
            if (swapped && rows[(i - 2) % 3][j - 2] + 1 < row[j]) {
                row[j] = rows[(i - 2) % 3][j - 2] + 1;
            }
        }
    }
    return rows[length % 3][name_length];
}

void suggest_consider(struct suggestion *best, const char *word, size_t length,
                      const char *name)
{
    size_t name_length = strlen(name);
    if (length > LETTERS_MAX || name_length > LETTERS_MAX) {
        return;
    }
    size_t mistakes = mistakes_between(word, length, name, name_length);
    bool similar = mistakes * LETTERS_A_MISTAKE <= length;
    if (similar && (best->name == NULL || mistakes < best->mistakes)) {
        *best = (struct suggestion){.name = name, .mistakes = mistakes};
    }
}

static void consider_commands(struct suggestion *best, const char *word)
{
    for (size_t i = 0; cli_commands[i] != NULL; i++) {
        if (cli_whole_of(cli_commands[i]) == NULL) {
            suggest_consider(best, word, strlen(word), cli_commands[i]->name);
        }
    }
}

const char *suggest_subject(const char *word)
{
    struct suggestion best = {0};
    consider_commands(&best, word);
    for (const struct topic *topic = topics; topic->name != NULL; topic++) {
        suggest_consider(&best, word, strlen(word), topic->name);
    }
    suggest_consider(&best, word, strlen(word), "topics");
    return best.name;
}

/* `duet --store FILE show` was read as `duet run --store FILE show`. */
static void tell_of_command_behind(int count, char *const *words)
{
    for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++) {
        int used = 0;
        if (cli_find(count - i, words + i, &used) != NULL) {
            (void)fprintf(
                stderr,
                "If you meant duet's own '%s': it comes before the options, duet %s ...\n",
                words[i], words[i]);
            return;
        }
    }
}

void suggest_commands(int count, char *const *words)
{
    static const char *const without_command[] = {"--version", "--help"};
    struct suggestion best = {0};
    for (size_t i = 0; i < sizeof without_command / sizeof without_command[0]; i++) {
        suggest_consider(&best, words[0], strlen(words[0]), without_command[i]);
    }
    if (best.name == NULL && words[0][0] != '-') { /* --store is an option */
        consider_commands(&best, words[0]);
    }
    if (best.name != NULL && best.mistakes > 0) {
        (void)fprintf(stderr, "Did you mean 'duet %s'?\n", best.name);
        return;
    }
    if (count == 1 && topic_find(words[0]) != NULL) {
        (void)fprintf(stderr, "Did you mean 'duet help %s'?\n", words[0]);
        return;
    }
    tell_of_command_behind(count, words);
}
