/* A search among commits whose times are known: what it measures, and how it ends. */
// link: -Wl,--wrap=git_history_find
// link: -Wl,--wrap=commit_folders_open,--wrap=commit_folders_close
// link: -Wl,--wrap=bisect_measure_decide,--wrap=bisect_measure_block
// link: -Wl,--wrap=store_open_scratch,--wrap=store_close
#include "session/git/bisect_search.h"

#include "session/git/bisect_measure.h"
#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LAST = 7, NEVER = 1000 };

/* What the commits do: from `slow` on they take 5 % longer. */
static struct {
    size_t slow;
    bool fails[LAST + 1]; /* its benchmark does */
    size_t good_fails_at; /* as of this block; NEVER */
    bool timeless[LAST + 1];
    struct model_interval whole; /* of the ends' ratio */
    struct model_interval step;
    enum duet_code whole_code;
    enum duet_code step_code;
    size_t interrupted_at; /* the block before which it is; NEVER */
} truth;

static struct run_request run;
static struct bisect_request request;
static struct bisect_result result;
static const struct git_repo repo = {.cancel_fd = -1};
static struct git_cache cache;
static char folder[256];
static struct duet_error error;
static char warnings[1024];
static struct store *const scratch = (struct store *)&truth; /* only its address */
static size_t scratches;                                     /* that are open */
static enum duet_code scratch_code;
static size_t blocks;          /* measured */
static size_t decisions[4][2]; /* pairs that were measured until decided */
static double confidences[4];
static uint64_t budgets_ns[4];
static size_t decision_count;
static uint64_t first_number; /* of a search's blocks: what their seeds differ by */
static uint64_t last_number;
static size_t told; /* steps, and the last one's commit */
static size_t told_at;

enum duet_code __wrap_git_history_find(const struct git_repo *of, const char *from,
                                       const char *to, struct git_history *ret_history,
                                       struct duet_error *reterr);
enum duet_code __wrap_store_open_scratch(struct store **ret_store,
                                         struct duet_error *reterr);
void __wrap_store_close(struct store *store);
enum duet_code __wrap_commit_folders_open(struct commit_folders *folders,
                                          const struct git_revision *first,
                                          const struct git_revision *second,
                                          struct duet_error *reterr);
void __wrap_commit_folders_close(struct commit_folders *folders);
enum duet_code __wrap_bisect_measure_decide(struct bisect_measure *measure,
                                            const size_t commits[2], double confidence,
                                            uint64_t budget_ns,
                                            struct answer *ret_answer,
                                            struct duet_error *reterr);
enum duet_code __wrap_bisect_measure_block(struct bisect_measure *measure, size_t at,
                                           double *ret_log_ratio,
                                           struct duet_error *reterr);

enum duet_code __wrap_store_open_scratch(struct store **ret_store,
                                         struct duet_error *reterr)
{
    if (scratch_code != DUET_OK) {
        return error_set(reterr, scratch_code, "as planned");
    }
    scratches++;
    *ret_store = scratch;
    return DUET_OK;
}

void __wrap_store_close(struct store *store)
{
    assert_true(store == NULL || store == scratch);
    scratches -= store != NULL;
}

enum duet_code __wrap_git_history_find(const struct git_repo *of, const char *from,
                                       const char *to, struct git_history *ret_history,
                                       struct duet_error *reterr)
{
    assert_ptr_equal(of, &repo);
    (void)reterr;
    assert_string_equal(from, "good");
    assert_string_equal(to, "bad");
    struct git_history history = {
        .commits = calloc(LAST + 1, sizeof(struct git_commit)), .count = LAST + 1};
    assert_non_null(history.commits);
    for (size_t i = 0; i <= LAST; i++) {
        struct git_revision *revision = &history.commits[i].revision;
        char label[16];
        (void)snprintf(label, sizeof label, "c%zu", i);
        revision->label = strdup(label);
        (void)snprintf(revision->commit, sizeof revision->commit, "%040zu", i);
    }
    *ret_history = history;
    return DUET_OK;
}

enum duet_code __wrap_commit_folders_open(struct commit_folders *folders,
                                          const struct git_revision *first,
                                          const struct git_revision *second,
                                          struct duet_error *reterr)
{
    (void)reterr;
    assert_string_equal(first->label, "c0");
    assert_string_equal(second->label, "c7");
    folders->builds = 2;
    return DUET_OK;
}

void __wrap_commit_folders_close(struct commit_folders *folders)
{
    (void)folders;
}

enum duet_code __wrap_bisect_measure_decide(struct bisect_measure *measure,
                                            const size_t commits[2], double confidence,
                                            uint64_t budget_ns,
                                            struct answer *ret_answer,
                                            struct duet_error *reterr)
{
    bool whole = commits[0] == 0 && commits[1] == LAST;
    enum duet_code code = whole ? truth.whole_code : truth.step_code;
    assert_true(decision_count < 4);
    assert_int_equal(measure->schedule_known, !whole);
    measure->count++;
    memcpy(decisions[decision_count], commits, 2 * sizeof commits[0]);
    confidences[decision_count] = confidence;
    budgets_ns[decision_count++] = budget_ns;
    if (code != DUET_OK) {
        return error_set(reterr, code, "as planned");
    }
    *ret_answer =
        (struct answer){.comparison = {.schedule = MODEL_SCHEDULE_TIMESLICE,
                                       .interval = whole ? truth.whole : truth.step}};
    return DUET_OK;
}

enum duet_code __wrap_bisect_measure_block(struct bisect_measure *measure, size_t at,
                                           double *ret_log_ratio,
                                           struct duet_error *reterr)
{
    assert_true(at < LAST);
    assert_int_equal(measure->schedule, MODEL_SCHEDULE_TIMESLICE);
    assert_ptr_equal(measure->scratch, scratch);
    last_number = measure->count++;
    first_number = first_number < last_number ? first_number : last_number;
    if (blocks >= truth.good_fails_at) {
        return error_set(reterr, DUET_E_WORKLOAD, "exit status 3");
    }
    if (at == 0) {
        *ret_log_ratio = 0.0;
        return DUET_OK;
    }
    if (blocks == truth.interrupted_at) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    blocks++;
    if (truth.fails[at]) {
        return error_set(reterr, DUET_E_WORKLOAD, "exit status 7");
    }
    double noise = blocks % 2 == 0 ? 0.002 : -0.002;
    *ret_log_ratio = truth.timeless[at] ? -(double)INFINITY
                                        : log(at < truth.slow ? 1.0 : 1.05) + noise;
    return DUET_OK;
}

static void take_notice(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    (void)snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings),
                   "%s\n", line);
}

static void tell(void *context, const struct bisect_step *step)
{
    double sum = 0;
    assert_ptr_equal(context, &told);
    for (size_t b = 1; b <= LAST; b++) {
        sum += step->weights[b];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(step->fresh || step->at != 0 || step->candidates > 0);
    told++;
    told_at = step->at;
}

static enum duet_code search(void)
{
    static const struct listener listener = {.notice = take_notice};
    static const struct session session = {.cancel_fd = -1, .listener = &listener};
    bisect_result_release(&result);
    blocks = decision_count = told = 0;
    first_number = UINT64_MAX;
    warnings[0] = '\0';
    enum duet_code code = bisect_search(&request, &cache, &session, &result, &error);
    assert_int_equal(scratches, 0);
    return code;
}

static void assert_ends(enum bisect_end end)
{
    enum duet_code code = search();
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(result.end, end);
}

static void assert_left(size_t first, size_t last, size_t count)
{
    assert_int_equal(result.first, first);
    assert_int_equal(result.last, last);
    assert_int_equal(result.count, count);
}

static int setup(void **state)
{
    (void)state;
    scratch_code = DUET_OK;
    memset(&truth, 0, sizeof truth);
    truth.slow = 5;
    truth.whole = (struct model_interval){.low = 1.04, .high = 1.06};
    truth.step = (struct model_interval){.low = 1.045, .high = 1.055};
    truth.interrupted_at = NEVER;
    truth.good_fails_at = NEVER;
    run_request_init(&run);
    request = (struct bisect_request){.good = "good",
                                      .bad = "bad",
                                      .bench = "./bench",
                                      .run = &run,
                                      .alpha = 0.01,
                                      .effect = (double)NAN,
                                      .budget_ns = UINT64_C(1800000000000),
                                      .tell = tell,
                                      .context = &told};
    (void)snprintf(folder, sizeof folder, "%s/bisect-XXXXXX", TEST_BINARY_DIR);
    cache = (struct git_cache){.folder = folder, .repo = &repo};
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    bisect_result_release(&result);
    return remove_tree(folder);
}

/* ---- Tests ---- */

static void the_first_slow_commit_is_found(void **state)
{
    (void)state;
    for (truth.slow = 1; truth.slow <= LAST; truth.slow++) {
        assert_ends(BISECT_FOUND);
        assert_left(truth.slow, truth.slow, 1);
        assert_true(fabs(result.weights[truth.slow] - 1) < 1e-9);
        assert_int_equal(result.blocks, blocks);
        assert_int_equal(result.builds, 2);
        assert_true(fabs(result.threshold - 0.04) < 1e-9);
        assert_true(result.has_whole && result.has_step && !result.step_is_part);
        assert_int_equal(decision_count, 2);
        assert_int_equal(decisions[0][1], LAST);
        assert_true(fabs(confidences[0] - 0.995) < 1e-9);
        assert_int_equal(budgets_ns[0], request.budget_ns / 4);
        assert_int_equal(decisions[1][0], truth.slow - 1);
        assert_int_equal(decisions[1][1], truth.slow);
        assert_true(fabs(confidences[1] - 0.99) < 1e-9);
        assert_true(told > 1 && told_at == 0);
        assert_string_equal(warnings, "");
    }
    request.tell = NULL; /* nobody needs to be told */
    truth.slow = 2;
    assert_ends(BISECT_FOUND);
    assert_left(2, 2, 1);
}

static void a_small_step_is_not_all(void **state)
{
    (void)state;
    truth.step = (struct model_interval){.low = 1.01, .high = 1.0197};
    assert_ends(BISECT_SEVERAL); /* below half of what was looked for */
    assert_true(result.has_step && result.step_is_part && result.step_is_small);
    truth.step.high = 1.039;
    assert_ends(BISECT_FOUND);
    assert_true(result.step_is_part && result.step_is_small);
    request.effect = 0.03;
    assert_ends(BISECT_FOUND);
    assert_true(fabs(result.threshold - 0.03) < 1e-9);
    assert_true(result.step_is_part && !result.step_is_small);
}

/* One below --effect, though: there are no others. */
static void a_step_below_the_effect_may_be_all(void **state)
{
    (void)state;
    request.effect = 0.06;
    assert_ends(BISECT_FOUND);
    assert_left(5, 5, 1);
    assert_true(result.step_is_small && !result.step_is_part);
}

/* The step is a number for the reader: without it the answer stays. */
static void a_step_that_cannot_be_measured(void **state)
{
    (void)state;
    truth.step_code = DUET_E_WORKLOAD;
    assert_ends(BISECT_FOUND);
    assert_left(5, 5, 1);
    assert_false(result.has_step);
    truth.step_code = DUET_E_INTERRUPTED;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    assert_string_equal(error.message, "as planned");
}

static void who_is_not_slower_is_not_searched(void **state)
{
    (void)state;
    truth.whole.low = 0.99;
    assert_ends(BISECT_NOT_SLOWER);
    assert_true(result.has_whole && !result.has_step);
    assert_int_equal(blocks, 0);
    assert_int_equal(told, 0);
    truth.whole.low = 1.04;
    request.effect = 0.1; /* and half of it is more than is sure */
    assert_ends(BISECT_NOT_SLOWER);
    truth.whole_code = DUET_E_WORKLOAD;
    assert_int_equal(search(), DUET_E_WORKLOAD);
    assert_string_equal(error.message, "as planned");
    assert_false(result.has_whole);
}

static void who_cannot_be_measured_is_left_out(void **state)
{
    (void)state;
    truth.fails[4] = true;
    truth.timeless[5] = true;
    assert_ends(BISECT_GROUP);
    assert_left(4, 6, 3);
    assert_false(result.has_step);
    assert_true(result.skipped[4] && result.skipped[5] && !result.skipped[3]);
    assert_non_null(strstr(warnings, "c4 is left out: exit status 7\n"));
    assert_non_null(strstr(warnings, "c5 is left out: its times have no ratio\n"));
}

/* Then nothing is said of the commits, and what was measured is kept. */
static void good_fails_meanwhile(void **state)
{
    (void)state;
    truth.good_fails_at = 7;
    assert_int_equal(search(), DUET_E_WORKLOAD);
    assert_string_equal(error.message, "GOOD (c0) fails by now: exit status 3");
    assert_string_equal(warnings, "");
    assert_int_equal(result.blocks, 7);
    truth.good_fails_at = NEVER;
    request.resume = true;
    assert_ends(BISECT_FOUND);
    assert_left(5, 5, 1);
    assert_int_equal(result.resumed, 7);
}

static void without_time_all_are_left(void **state)
{
    (void)state;
    request.budget_ns = 0;
    assert_ends(BISECT_UNSURE);
    assert_left(1, LAST, LAST);
    assert_int_equal(blocks, 0);
    assert_true(fabs(result.weights[3] - 1.0 / LAST) < 1e-9);
}

/* Also of a call that was interrupted twice, and only of the same question. */
static void an_interrupted_search_goes_on(void **state)
{
    (void)state;
    truth.interrupted_at = 7;
    truth.fails[4] = true;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    size_t kept = result.blocks;
    assert_int_equal(kept, 7 - result.skipped[4]);
    request.resume = true;
    truth.interrupted_at = 2;
    uint64_t seen = last_number;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    assert_true(first_number > seen); /* coins that nobody has seen */
    seen = last_number;
    assert_int_equal(result.resumed, kept);
    assert_int_equal(result.blocks, kept + 2);
    truth.interrupted_at = NEVER;
    request.bench = "./another\nbench";
    assert_ends(BISECT_GROUP);
    assert_int_equal(result.resumed, 0);
    request.bench = "./bench";
    assert_ends(BISECT_GROUP);
    assert_left(4, 5, 2);
    assert_true(first_number > seen);
    assert_int_equal(result.resumed, kept + 2);
    assert_int_equal(result.blocks, kept + 2 + blocks);
    assert_true(result.skipped[4]);
    assert_string_equal(warnings, ""); /* it was told before */
    assert_ends(BISECT_GROUP);         /* what has ended is not gone on with */
    assert_int_equal(result.resumed, 0);
}

/* Blocks that were measured in another way are of another question. */
static void only_what_was_measured_alike_goes_on(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("CFLAGS"), 0);
    request.build = "make";
    truth.interrupted_at = 7;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    request.resume = true;
    truth.interrupted_at = 0;
    const struct run_request first = run;
    for (int i = 0; i < 8; i++) {
        run = first;
        run.plan.iterations = i == 0 ? 10 : 0;
        run.plan.warmup = i == 1;
        run.plan.layout = i == 2 ? MODEL_LAYOUT_FIXED : first.plan.layout;
        run.prepare = i == 3 ? "sync" : NULL;
        run.setup = i == 4 ? "sync" : NULL;
        run.shell = i == 5 ? "/bin/sh" : NULL;
        run.cpus = i == 6 ? "0,1" : NULL;
        assert_int_equal(setenv("CFLAGS", i == 7 ? "-O3" : "", 1), 0);
        assert_int_equal(search(), DUET_E_INTERRUPTED);
        assert_int_equal(result.resumed, 0);
    }
    assert_int_equal(unsetenv("CFLAGS"), 0);
    run = first;
    run.plan.seed++; /* is drawn each time */
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    assert_int_equal(result.resumed, 7);
}

static void without_a_cache_nothing_is_kept(void **state)
{
    (void)state;
    cache.fresh = true;
    truth.interrupted_at = 7;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    assert_int_equal(mkdir(folder, 0700), 0);
    request.resume = true;
    truth.interrupted_at = NEVER;
    assert_ends(BISECT_FOUND);
    assert_int_equal(result.resumed, 0);
}

/* The path of the one log in the folder. */
static const char *log_path(void)
{
    static char path[600];
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    path[0] = '\0';
    for (const struct dirent *entry = NULL; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, ".bisect-", 8) == 0) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        }
    }
    (void)closedir(entries);
    return path;
}

/* Blocks of the ends and of commits that are not there are nobody's; from what is no
 * block on, nothing counts. */
static void what_others_write_into_a_log(void **state)
{
    (void)state;
    truth.interrupted_at = 7;
    assert_int_equal(search(), DUET_E_INTERRUPTED);
    FILE *file = fopen(log_path(), "ae");
    assert_non_null(file);
    assert_true(fputs("0 0.1\n7 0.1\n99 skip\n3 nan\n3 0.1\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    request.resume = true;
    truth.interrupted_at = NEVER;
    assert_ends(BISECT_FOUND);
    assert_left(5, 5, 1);
    assert_int_equal(result.resumed, 7);
    assert_string_equal(log_path(), ""); /* it has ended */
}

static void blocks_without_a_store(void **state)
{
    (void)state;
    scratch_code = DUET_E_IO;
    assert_int_equal(search(), DUET_E_IO);
    assert_string_equal(error.message, "as planned");
    assert_int_equal(blocks, 0);
}

static void a_log_that_cannot_be_kept(void **state)
{
    (void)state;
    static char nowhere[300]; /* the cache outlives the test */
    (void)snprintf(nowhere, sizeof nowhere, "%s/nowhere", folder);
    cache.folder = nowhere;
    for (int resume = 0; resume < 2; resume++) {
        request.resume = resume != 0;
        assert_int_equal(search(), DUET_E_IO);
        assert_non_null(strstr(error.message, "cannot keep what is measured in '"));
        assert_int_equal(blocks, 0);
    }
}

/* Nor does it lose what was measured before. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    for (int resume = 0; resume < 2; resume++) {
        unsigned long n = 0;
        enum duet_code code = DUET_E_NOMEM;
        request.resume = resume != 0;
        truth.interrupted_at = resume != 0 ? 7 : NEVER;
        assert_true(resume == 0 || search() == DUET_E_INTERRUPTED);
        truth.interrupted_at = NEVER;
        while (code == DUET_E_NOMEM) {
            alloc_fail_at(++n);
            code = search();
            alloc_fail_at(0);
        }
        assert_int_equal(code, DUET_OK);
        assert_int_equal(result.end, BISECT_FOUND);
        assert_left(5, 5, 1);
        assert_true(resume == 0 || result.resumed >= 7);
        assert_true(n > 10);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_first_slow_commit_is_found),
        CASE(a_small_step_is_not_all),
        CASE(a_step_below_the_effect_may_be_all),
        CASE(a_step_that_cannot_be_measured),
        CASE(who_is_not_slower_is_not_searched),
        CASE(who_cannot_be_measured_is_left_out),
        CASE(good_fails_meanwhile),
        CASE(without_time_all_are_left),
        CASE(an_interrupted_search_goes_on),
        CASE(only_what_was_measured_alike_goes_on),
        CASE(without_a_cache_nothing_is_kept),
        CASE(what_others_write_into_a_log),
        CASE(blocks_without_a_store),
        CASE(a_log_that_cannot_be_kept),
        CASE(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
