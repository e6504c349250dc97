#include "session/comparison/self_calibrating.h"

#include "base/parse.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static const char *program_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash == NULL ? word : slash + 1;
}

static bool has_word(const char *const *words, const char *wanted)
{
    bool found = false;
    for (size_t i = 0; words[i] != NULL; i++) {
        found = found || strcmp(words[i], wanted) == 0;
    }
    return found;
}

static bool has_option(const char *const *words, const char *option)
{
    bool found = false;
    for (size_t i = 1; words[i] != NULL; i++) {
        found = found || begins(words[i], option);
    }
    return found;
}

/* What -benchtime says, in the same word or behind; NULL: nothing. */
static const char *go_time(const char *const *words)
{
    for (size_t i = 1; words[i] != NULL; i++) {
        const char *at = strstr(words[i], "benchtime");
        if (at != NULL && words[i][0] == '-') {
            at += strlen("benchtime");
            return at[0] == '=' ? at + 1 : words[i + 1];
        }
    }
    return NULL;
}

/* Whether that is a number of iterations: "100x". */
static bool has_go_count(const char *const *words)
{
    const char *time = go_time(words);
    return time != NULL && text_ends_with(time, "x");
}

/* Google Benchmark: --benchmark_min_time=100x. */
static bool has_google_count(const char *const *words)
{
    bool found = false;
    for (size_t i = 1; words[i] != NULL; i++) {
        found = found || (begins(words[i], "--benchmark_min_time=") &&
                          text_ends_with(words[i], "x"));
    }
    return found;
}

static bool is_shell(const char *program)
{
    return strcmp(program, "sh") == 0 || strcmp(program, "bash") == 0 ||
           strcmp(program, "dash") == 0 || strcmp(program, "zsh") == 0;
}

/* Criterion's and libtest's own programs are in target/release/deps, and cargo gives
 * them --bench. */
static bool is_cargo_bench(const char *program, const char *const *words)
{
    return (strcmp(program, "cargo") == 0 && words[1] != NULL &&
            (strcmp(words[1], "bench") == 0 || strcmp(words[1], "criterion") == 0)) ||
           (strstr(words[0], "/deps/") != NULL && has_word(words, "--bench"));
}

/* One pass, as bindings/go says for those that take part: the start takes longer. */
static const char go_once[] =
    "select one with -test.bench that calls duettest.Run(), or give it a larger "
    "-test.benchtime";

static const char *advice_of(const char *const *words)
{
    const char *program = program_of(words[0]);
    bool go_test = (strcmp(program, "go") == 0 && has_word(words, "test") &&
                    has_option(words, "-bench")) ||
                   has_option(words, "-test.bench");
    if (go_test && !has_go_count(words)) {
        return "give it a number of iterations (-benchtime 100x), or compare its results: "
               "duet compare OLD.txt NEW.txt";
    }
    if (go_test && strcmp(go_time(words), "1x") == 0) {
        return go_once;
    }
    if (has_option(words, "--benchmark-only") ||
        has_option(words, "--benchmark-enable")) {
        return "compare its results: pytest --benchmark-json FILE, then duet compare "
               "OLD.json NEW.json";
    }
    if (is_cargo_bench(program, words)) {
        return "compare its results (duet compare with Criterion's sample.json), or use "
               "duet's own harness";
    }
    if ((has_option(words, "--benchmark_filter") ||
         has_option(words, "--benchmark_min_time")) &&
        !has_google_count(words)) {
        return "give it a number of iterations (--benchmark_min_time=100x), or compare its "
               "results (--benchmark_out)";
    }
    if (begins(program, "python") && has_word(words, "timeit") &&
        !has_option(words, "-n") && !has_option(words, "--number")) {
        return "give it a number of iterations (-n 1000)";
    }
    return NULL;
}

static const char *advice_within(const char *const *words)
{
    char **inner = NULL;
    if (!is_shell(program_of(words[0])) || words[1] == NULL ||
        strcmp(words[1], "-c") != 0 || words[2] == NULL ||
        parse_command_words(words[2], &inner, NULL) != DUET_OK) {
        return advice_of(words);
    }
    const char *advice = advice_of((const char *const *)inner);
    free(inner);
    return advice;
}

void self_calibrating_warn(const struct model_plan *plan, enum model_mode mode,
                           const struct listener *listener)
{
    if (mode != MODEL_MODE_COMMAND) {
        return;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        const char *advice = advice_within(plan->sides[side].argv);
        if (advice == go_once) {
            listener_warn(
                listener,
                "no benchmark of '%s' takes part, so its start is compared, too; %s",
                plan->sides[side].command, advice);
            return;
        }
        if (advice != NULL) {
            listener_warn(
                listener,
                "'%s' chooses its number of iterations itself, so its duration "
                "says little about the code; %s",
                plan->sides[side].command, advice);
            return;
        }
    }
}
