/* What is printed and exported of a search among commits, however it ended. */
#include "cli/git/bisect_show.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COMMITS_MAX = 200, TEXT_BYTES = 16384 };

static struct git_commit commits[COMMITS_MAX];
static char labels[COMMITS_MAX][16];
static char subjects[COMMITS_MAX][32];
static double weights[COMMITS_MAX];
static bool skipped[COMMITS_MAX];
static struct bisect_result result;
static const struct bisect_request request = {.alpha = 0.01};
static struct output_options output;
static struct duet_error error;
static char said[TEXT_BYTES]; /* on standard output, or standard error */

/* A history of c0, c1, ... cN, of which cN is bad. */
static void make_history(size_t count)
{
    static char author[] = "You";
    static char date[] = "2026-11-20";
    result = (struct bisect_result){.history = {.commits = commits, .count = count},
                                    .weights = weights,
                                    .skipped = skipped,
                                    .threshold = 0.02,
                                    .builds = 2,
                                    .blocks = 30,
                                    .elapsed_ns = UINT64_C(4000000000)};
    memset(weights, 0, sizeof weights);
    memset(skipped, 0, sizeof skipped);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(labels[i], sizeof labels[i], "c%zu", i);
        (void)snprintf(subjects[i], sizeof subjects[i], "number %zu", i);
        commits[i] = (struct git_commit){.revision.label = labels[i],
                                         .subject = subjects[i],
                                         .author = author,
                                         .date = date};
        (void)snprintf(commits[i].revision.commit, sizeof commits[i].revision.commit,
                       "%040zu", i);
    }
}

/* A change of 3 %, known to a percent. */
static struct answer change_of(double ratio)
{
    return (struct answer){
        .comparison = {.ratio = ratio,
                       .interval = {.low = ratio - 0.005, .high = ratio + 0.005}}};
}

static int setup(void **state)
{
    (void)state;
    output = (struct output_options){.verbosity = 1};
    make_history(6);
    return setenv("LC_ALL", "C.UTF-8", 1);
}

/* Standard output or error goes to a file while something is shown. */
static FILE *catch_begin(int fd, int *ret_kept)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)fflush(NULL);
    *ret_kept = dup(fd);
    assert_true(*ret_kept >= 0 && dup2(fileno(file), fd) == fd);
    return file;
}

static void catch_end(FILE *file, int fd, int kept)
{
    (void)fflush(NULL);
    assert_int_equal(dup2(kept, fd), fd);
    (void)close(kept);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    (void)fclose(file);
}

static const char *show(void)
{
    int kept = -1;
    FILE *file = catch_begin(STDOUT_FILENO, &kept);
    enum duet_code code = bisect_show_result(&output, &request, &result, &error);
    catch_end(file, STDOUT_FILENO, kept);
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return said;
}

static const char *show_step(const struct bisect_step *step)
{
    int kept = -1;
    FILE *file = catch_begin(STDERR_FILENO, &kept);
    bisect_show_step(step);
    catch_end(file, STDERR_FILENO, kept);
    return said;
}

/* Candidates from `first` to `last`, each with its weight. */
static void leave(size_t first, size_t last, double (*weight)(size_t b))
{
    double sum = 0;
    for (size_t b = first; b <= last; b++) {
        sum += weights[b] = weight(b);
    }
    for (size_t b = first; b <= last; b++) {
        weights[b] /= sum;
    }
    result.first = first;
    result.last = last;
    result.count = last - first + 1;
}

static double evenly(size_t b)
{
    (void)b;
    return 1;
}

static double later_ones(size_t b)
{
    return (double)b;
}

/* ---- Answers ---- */

static void one_commit(void **state)
{
    (void)state;
    result.end = BISECT_FOUND;
    leave(3, 3, evenly);
    result.has_whole = result.has_step = true;
    result.whole = change_of(1.04);
    result.step = change_of(1.03);
    assert_string_equal(
        show(), "first slow commit: c3, +3.00 % [+2.50 %, +3.50 %]\n"
                "  c3  2026-11-20  number 3 (You)\n"
                "  c0..c5, 5 commits: +4.00 % [+3.50 %, +4.50 %]\n"
                "  99 % confidence; 2 builds, 30 blocks, 4 s; looked for a step of "
                "+2 % or more\n");
    result.step_is_small = true;
    assert_non_null(
        strstr(show(), "number 3 (You)\n  its step is smaller than --effect\n"));
    result.step_is_small = false;
    result.step_is_part = true;
    assert_non_null(strstr(show(), "number 3 (You)\n  other commits made it slower, "
                                   "too: look on both sides of this one\n"));
    output.verbosity = 0;
    assert_string_equal(show(), "first slow commit: c3, +3.00 % [+2.50 %, +3.50 %]\n"
                                "  c3  2026-11-20  number 3 (You)\n"
                                "  other commits made it slower, too: look on both "
                                "sides of this one\n");
}

/* Of one whose step could not be measured, in a history of one commit. */
static void one_commit_without_its_step(void **state)
{
    (void)state;
    make_history(2);
    result.end = BISECT_FOUND;
    result.builds = 1;
    result.resumed = 12;
    leave(1, 1, evenly);
    assert_string_equal(show(),
                        "first slow commit: c1\n"
                        "  c1  2026-11-20  number 1 (You)\n"
                        "  c0..c1, 1 commit\n"
                        "  99 % confidence; 1 build, 30 blocks (12 of an earlier "
                        "call), 4 s; looked for a step of +2 % or more\n");
}

static void a_change_whose_interval_is_not_known(void **state)
{
    (void)state;
    result.end = BISECT_FOUND;
    leave(3, 3, evenly);
    result.has_step = true;
    result.step = change_of(1.03);
    result.step.comparison.interval.low = (double)NAN;
    result.step.comparison.interval.high = (double)NAN;
    output.verbosity = 0;
    assert_int_equal(strncmp(show(), "first slow commit: c3, +3", 25), 0);
    assert_null(strchr(said, '['));
}

static void several_steps(void **state)
{
    (void)state;
    output.verbosity = 0;
    result.end = BISECT_SEVERAL;
    static const char head[] = "no single commit explains it: the benchmark became "
                               "slower in several steps, or faster in between\n";
    static const char tail[] = "  try: the same command for each half of the history, "
                               "or a larger --effect\n";
    char expected[1024];
    (void)snprintf(expected, sizeof expected, "%s%s", head, tail);
    assert_string_equal(show(), expected);
    leave(4, 4, evenly);
    result.has_step = true;
    result.step = change_of(1.01);
    (void)snprintf(expected, sizeof expected,
                   "%s  the likeliest commit beside the one before it: +1.00 %% [+0.50 "
                   "%%, +1.50 %%]\n  c4  2026-11-20  number 4 (You)\n%s",
                   head, tail);
    assert_string_equal(show(), expected);
}

static void not_slower(void **state)
{
    (void)state;
    result.end = BISECT_NOT_SLOWER;
    result.weights = NULL; /* there was no search */
    result.has_whole = true;
    result.whole = change_of(1.0);
    result.builds = 1;
    assert_string_equal(show(), "not slower: there is no commit to look for\n"
                                "  try: a longer --time-budget, or other commits\n"
                                "  c0..c5, 5 commits: 0.00 % [-0.50 %, +0.50 %]\n"
                                "  99 % confidence; 1 build, 30 blocks, 4 s\n");
    result.whole.comparison.verdict = MODEL_VERDICT_UNSURE;
    assert_string_equal(show(), "unsure whether it became slower: there is no commit "
                                "to look for yet\n"
                                "  try: a longer --time-budget, or other commits\n"
                                "  c0..c5, 5 commits: 0.00 % [-0.50 %, +0.50 %]\n"
                                "  99 % confidence; 1 build, 30 blocks, 4 s\n");
}

static void a_few_that_are_left(void **state)
{
    (void)state;
    output.verbosity = 0;
    leave(2, 4, later_ones);
    static const char list[] = "   22.2 %  c2  2026-11-20  number 2 (You)\n"
                               "   33.3 %  c3  2026-11-20  number 3 (You)\n"
                               "   44.4 %  c4  2026-11-20  number 4 (You)\n";
    char expected[1024];
    result.end = BISECT_GROUP;
    (void)snprintf(expected, sizeof expected,
                   "first slow commit: one of 3, since those between them cannot be "
                   "measured\n%s",
                   list);
    assert_string_equal(show(), expected);
    result.end = BISECT_UNSURE;
    (void)snprintf(expected, sizeof expected,
                   "unsure: the time is over, and 3 commits are left\n%s"
                   "  try: the same command with --resume and a longer --time-budget\n",
                   list);
    assert_string_equal(show(), expected);
}

/* How many commits are listed, and which are the first and the last of them. */
static size_t listed(const char **ret_first, const char **ret_last)
{
    size_t count = 0;
    for (const char *at = show(); (at = strstr(at, " %  c")) != NULL; at += 4) {
        *ret_first = count == 0 ? at + 4 : *ret_first;
        *ret_last = at + 4;
        count++;
    }
    return count;
}

/* No commit that is left out is likelier than one that is listed. */
static void the_likeliest_of_many(void **state)
{
    (void)state;
    const char *first = NULL;
    const char *last = NULL;
    make_history(COMMITS_MAX);
    result.end = BISECT_UNSURE;
    leave(51, 70, later_ones);
    assert_int_equal(listed(&first, &last), 12);
    assert_int_equal(strncmp(first, "c59 ", 4), 0);
    assert_int_equal(strncmp(last, "c70 ", 4), 0);
    assert_non_null(strstr(said, "\n  and 8 others, none of them more likely\n"));
    memset(weights, 0, sizeof weights);
    leave(51, 62, later_ones); /* twelve are not many */
    assert_int_equal(listed(&first, &last), 12);
    assert_null(strstr(said, "others"));
    leave(1, COMMITS_MAX - 1, evenly);
    assert_int_equal(listed(&first, &last), 12);
    assert_int_equal(strncmp(last, "c12 ", 4), 0);
    assert_non_null(strstr(said, "\n  and 187 others, none of them more likely\n"));
}

static void names_are_clean(void **state)
{
    (void)state;
    char subject[] = "\x1b[31mred \xe2\x86\x92";
    output.verbosity = 0;
    result.end = BISECT_FOUND;
    leave(3, 3, evenly);
    commits[3].subject = subject;
    assert_null(strchr(show(), '\x1b'));
    assert_non_null(strstr(said, "red \xe2\x86\x92 (You)"));
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    for (const char *c = show(); *c != '\0'; c++) {
        assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
    }
}

/* ---- While it goes on ---- */

static void how_far_it_is(void **state)
{
    (void)state;
    struct bisect_step step = {.history = &result.history,
                               .weights = weights,
                               .at = 3,
                               .candidates = 4,
                               .builds = 2,
                               .builds_left = 3,
                               .left_ns = (double)NAN};
    leave(2, 5, later_ones);
    assert_string_equal(show_step(&step), "duet: measuring c3 (3 of 5); 4 left "
                                          "| ▄▅▇█|; 2 built, about 3 to go\n");
    step.left_ns = 90e9;
    assert_string_equal(show_step(&step),
                        "duet: measuring c3 (3 of 5); 4 left | ▄▅▇█|; 2 built, about 3 "
                        "to go, about 1 min 30 s\n");
    memset(weights, 0, sizeof weights); /* none is left */
    step.candidates = 0;
    assert_non_null(strstr(show_step(&step), "; 0 left |     |; "));
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    assert_string_equal(show_step(&step), "duet: measuring c3 (3 of 5); 0 left; 2 "
                                          "built, about 3 to go, about 1 min 30 s\n");
}

/* A column of the strip stands for several: none is left out. */
static void many_commits_share_columns(void **state)
{
    (void)state;
    struct bisect_step step = {.history = &result.history,
                               .weights = weights,
                               .at = 1,
                               .left_ns = (double)NAN};
    make_history(COMMITS_MAX);
    for (size_t b = 1; b < COMMITS_MAX; b++) {
        memset(weights, 0, sizeof weights);
        weights[b] = 1;
        const char *strip = strchr(show_step(&step), '|');
        assert_non_null(strip);
        size_t blanks = strspn(strip + 1, " ");
        assert_int_equal(blanks, (b - 1) * 32 / (COMMITS_MAX - 1));
        assert_int_equal(strncmp(strip + 1 + blanks, "█", 3), 0);
        assert_int_equal(strspn(strip + 1 + blanks + 3, " "), 31 - blanks);
    }
}

/* ---- JSON ---- */

static json_t *exported(void)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/bisect-XXXXXX", TEST_BINARY_DIR);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    output.json = path;
    (void)show();
    output.json = NULL;
    json_t *document = json_load_file(path, 0, NULL);
    assert_non_null(document);
    assert_int_equal(unlink(path), 0);
    return document;
}

static const char *text_of(const json_t *document, const char *key)
{
    return json_string_value(json_object_get(document, key));
}

static void what_is_exported(void **state)
{
    (void)state;
    static const char *const outcomes[] = {"found", "group", "several", "unsure",
                                           "not_slower"};
    leave(2, 3, later_ones);
    skipped[4] = true;
    result.has_whole = true;
    result.whole = change_of(1.04);
    for (unsigned end = BISECT_FOUND; end <= BISECT_NOT_SLOWER; end++) {
        result.end = (enum bisect_end)end;
        json_t *document = exported();
        assert_string_equal(text_of(document, "outcome"), outcomes[end]);
        const char *found = text_of(document, "first_slow_commit");
        assert_true((found != NULL) == (end == BISECT_FOUND));
        assert_true(found == NULL || strcmp(found, commits[2].revision.commit) == 0);
        assert_true(json_is_object(json_object_get(document, "bad_to_good")));
        assert_true(json_is_null(json_object_get(document, "step")));
        json_t *listed_commits = json_object_get(document, "commits");
        assert_int_equal(json_array_size(listed_commits), 6);
        for (size_t i = 0; i < 6; i++) {
            const json_t *one = json_array_get(listed_commits, i);
            double probability = json_real_value(json_object_get(one, "probability"));
            double expected = i == 2 ? 0.4 : i == 3 ? 0.6 : 0;
            assert_string_equal(text_of(one, "commit"), commits[i].revision.commit);
            assert_string_equal(text_of(one, "subject"), subjects[i]);
            assert_true(fabs(probability - expected) < 1e-12);
            assert_true(json_is_true(json_object_get(one, "measurable")) == (i != 4));
        }
        json_decref(document);
    }
    result.has_whole = false;
    result.has_step = true;
    result.step = change_of(1.03);
    json_t *document = exported();
    assert_true(json_is_null(json_object_get(document, "bad_to_good")));
    assert_true(json_is_object(json_object_get(document, "step")));
    json_decref(document);
}

/* Then nothing else is there. */
static void standard_output_may_be_the_export(void **state)
{
    (void)state;
    result.end = BISECT_SEVERAL;
    output.json = "-";
    json_t *document = json_loads(show(), 0, NULL);
    assert_non_null(document);
    assert_string_equal(text_of(document, "outcome"), "several");
    json_decref(document);
}

static void an_export_that_cannot_be_written(void **state)
{
    (void)state;
    int kept = -1;
    result.end = BISECT_SEVERAL;
    output.json = "/nowhere/at/all.json";
    FILE *file = catch_begin(STDOUT_FILENO, &kept);
    enum duet_code code = bisect_show_result(&output, &request, &result, &error);
    catch_end(file, STDOUT_FILENO, kept);
    assert_int_equal(code, DUET_E_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.json"));
    assert_int_equal(strncmp(said, "no single commit", 16),
                     0); /* the answer is there */
}

#define CASE(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_commit),
        CASE(one_commit_without_its_step),
        CASE(a_change_whose_interval_is_not_known),
        CASE(several_steps),
        CASE(not_slower),
        CASE(a_few_that_are_left),
        CASE(the_likeliest_of_many),
        CASE(names_are_clean),
        CASE(how_far_it_is),
        CASE(many_commits_share_columns),
        CASE(what_is_exported),
        CASE(standard_output_may_be_the_export),
        CASE(an_export_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
