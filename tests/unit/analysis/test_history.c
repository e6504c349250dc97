// labels: novalgrind
/* Histories: levels, changes, and how often a stable one has a false change.
 * HISTORY_COUNT in the environment: histories of each simulated case; 60. With
 * HISTORY_TABLE set, the rates are printed. */
#include "analysis/history/history.h"
#include "base/random.h"
#include "stats/gaussian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/alloc_fail.h"
#include "support/trials.h"

enum { COMMITS_MAX = 256 };

static const struct analysis_history_options usual = {.confidence = 0.99,
                                                      .error = 0.01,
                                                      .least = 0.005,
                                                      .replicates = 9999,
                                                      .seed = 7,
                                                      .reference = SIZE_MAX};

/* A 99 % interval of so many standard deviations on either side. */
static struct analysis_link link_of(size_t from, size_t to, double log_ratio, double sd)
{
    double half = stats_gaussian_quantile(0.995) * sd;
    return (struct analysis_link){.from = from,
                                  .to = to,
                                  .ratio = exp(log_ratio),
                                  .low = exp(log_ratio - half),
                                  .high = exp(log_ratio + half),
                                  .confidence = 0.99};
}

static bool whole_line[COMMITS_MAX];

static struct analysis_history answer(const struct analysis_link *links, size_t count,
                                      size_t commits,
                                      const struct analysis_history_options *options)
{
    struct analysis_history history = {0};
    struct duet_error error;
    for (size_t i = 0; i < COMMITS_MAX; i++) {
        whole_line[i] = true;
    }
    if (analysis_history_make(links, count, whole_line, commits, options, &history,
                              &error) != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return history;
}

/* ---- Simulated histories ---- */

enum shape { SHAPE_NORMAL, SHAPE_HEAVY, SHAPE_SPIKES, SHAPE_DEPENDENT };

struct course {
    const char *name;
    size_t commits;
    bool chain;       /* each against the one before it; else against the first */
    double error;     /* standard deviation of a comparison */
    double scatter;   /* ... of a commit's own level */
    enum shape shape; /* of the scatter */
    double step;      /* at `at` */
    size_t at;
};

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile(random_uniform(stream));
}

/* Of standard deviation 1, or nearly so. */
static double shaped(enum shape shape, double last, struct random_stream *stream)
{
    const double follow = 0.5;
    double one = normal(stream);
    switch (shape) {
    case SHAPE_NORMAL:
        break;
    case SHAPE_HEAVY: /* Student's t with 3 degrees of freedom, scaled */
        one /= sqrt(pow(normal(stream), 2) + pow(normal(stream), 2) +
                    pow(normal(stream), 2));
        break;
    case SHAPE_SPIKES:
        one += random_below(stream, 20) == 0 ? 15 : 0;
        break;
    case SHAPE_DEPENDENT:
        one = follow * last + sqrt(1 - follow * follow) * one;
        break;
    }
    return one;
}

/* ---- Known answers ---- */

static void test_a_chain(void **state)
{
    (void)state;
    const struct analysis_link links[] = {
        link_of(0, 1, 0.01, 0.003), link_of(2, 1, -0.02, 0.004), link_of(3, 3, 1, 1)};
    struct analysis_history history = answer(links, 3, 4, &usual);
    assert_int_equal(history.piece_count, 1);
    assert_int_equal(history.pieces[0].reference, 0);
    assert_int_equal(history.pieces[0].commits, 3);
    const struct analysis_commit *last = &history.commits[2];
    double half = stats_gaussian_quantile(0.995) * 0.005;
    assert_true(fabs(log(last->ratio) - 0.03) < 1e-12);
    assert_true(fabs(log(last->high) - 0.03 - half) < 1e-9);
    assert_true(fabs(log(last->low) - 0.03 + half) < 1e-9);
    assert_int_equal(history.commits[3].kind, ANALYSIS_COMMIT_UNKNOWN);
    assert_true(isnan(history.commits[3].ratio));
    assert_int_equal(history.change_count, 0);
    analysis_history_release(&history);
}

static void test_pieces_and_references(void **state)
{
    (void)state;
    struct analysis_link links[] = {link_of(0, 1, 0.01, 0.003),
                                    link_of(2, 3, 0.02, 0.004),
                                    link_of(4, 5, 0.5, 0.003)};
    struct analysis_history_options options = usual;
    links[2].high = (double)NAN; /* open */
    options.reference = 3;
    struct analysis_history history = answer(links, 3, 6, &options);
    assert_int_equal(history.piece_count, 2);
    assert_int_equal(history.pieces[0].reference, 0);
    assert_int_equal(history.pieces[1].reference, 3);
    assert_true(fabs(log(history.commits[2].ratio) + 0.02) < 1e-12);
    assert_int_equal(history.commits[2].piece, 1);
    assert_int_equal(history.commits[4].kind, ANALYSIS_COMMIT_UNKNOWN);
    analysis_history_release(&history);
}

/* Chains of 8 commits that nothing connects, the first with a step; at most two. */
static struct analysis_history of_chains(size_t chains, double error)
{
    enum { COMMITS = 8 };
    struct analysis_link links[2 * (COMMITS - 1)];
    struct analysis_history_options options = usual;
    size_t count = 0;
    options.error = error;
    for (size_t i = 0; i < chains * COMMITS; i++) {
        if (i % COMMITS > 0) {
            links[count++] = link_of(i - 1, i, i == 4 ? 0.006 : 0, 0.003);
        }
    }
    return answer(links, count, chains * COMMITS, &options);
}

/* A history of several pieces has one probability of a false change, not several. */
static void test_pieces_share_the_error(void **state)
{
    (void)state;
    struct analysis_history alone = of_chains(1, 0.9);
    assert_int_equal(alone.change_count, 1);
    double p_value = alone.changes[0].p_value;
    assert_true(p_value > 0.01 && p_value < 0.3);
    analysis_history_release(&alone);
    const struct {
        size_t chains;
        double error;
        size_t changes;
    } cases[] = {
        {1, 1.01 * p_value, 1}, {2, 1.99 * p_value, 0}, {2, 2.01 * p_value, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct analysis_history history = of_chains(cases[i].chains, cases[i].error);
        assert_int_equal(history.piece_count, cases[i].chains);
        assert_int_equal(history.change_count, cases[i].changes);
        analysis_history_release(&history);
    }
}

/* A chain of 7 whose link 2 - 3 is as given. */
static struct analysis_history broken_chain(double log_ratio, double sd, bool bridge)
{
    struct analysis_link links[7];
    for (size_t i = 0; i < 6; i++) {
        links[i] = link_of(i, i + 1, 0, 0.003);
    }
    links[2] = link_of(2, 3, log_ratio, sd);
    links[6] = link_of(1, 4, 0, 0.003);
    return answer(links, bridge ? 6 : 7, 7, &usual);
}

static void test_a_vague_link_joins_no_pieces(void **state)
{
    (void)state;
    struct analysis_history history = broken_chain(0.01, 0.016, true);
    assert_int_equal(history.vague_count, 1);
    assert_int_equal(history.vague[0].from, 2);
    assert_int_equal(history.vague[0].to, 3);
    assert_int_equal(history.piece_count, 2);
    assert_int_equal(history.pieces[1].reference, 3);
    double half = stats_gaussian_quantile(0.995) * 0.003 * sqrt(3);
    assert_true(fabs(log(history.commits[6].high) - half) < 1e-9);
    analysis_history_release(&history);
}

static void test_links_that_are_not_too_vague(void **state)
{
    (void)state;
    const struct {
        double log_ratio;
        double sd;
        bool bridge;
    } cases[] = {
        {0.01, 0.0149, true}, /* less than five times the median */
        {0.5, 0.016, true},   /* shows a change */
        {0.01, 0.1, false}    /* another path leads around it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct analysis_history history =
            broken_chain(cases[i].log_ratio, cases[i].sd, cases[i].bridge);
        assert_int_equal(history.vague_count, 0);
        assert_int_equal(history.piece_count, 1);
        analysis_history_release(&history);
    }
}

/* The newest commit is shown by what there is of it, and what is behind it is not. */
static void test_a_vague_link_keeps_a_single_commit(void **state)
{
    (void)state;
    struct analysis_link links[6];
    for (size_t i = 0; i < 4; i++) {
        links[i] = link_of(i, i + 1, 0, 0.003);
    }
    links[4] = link_of(4, 5, 0, 0.1);
    links[5] = link_of(6, 6, 0, 0.1); /* of a commit with itself: nothing */
    struct analysis_history history = answer(links, 6, 7, &usual);
    assert_int_equal(history.vague_count, 0);
    assert_int_equal(history.piece_count, 1);
    assert_int_equal(history.commits[5].piece, 0);
    assert_int_equal(history.commits[6].kind, ANALYSIS_COMMIT_UNKNOWN);
    analysis_history_release(&history);
    links[4].to = 9;
    struct duet_error error;
    assert_int_equal(
        analysis_history_make(links, 5, whole_line, 7, &usual, &history, &error),
        DUET_E_DOMAIN);
}

/* A side branch connects, and is no part of the series. */
static void test_off_the_line(void **state)
{
    (void)state;
    const struct analysis_link links[] = {link_of(0, 2, 0.01, 0.003),
                                          link_of(2, 1, 0.02, 0.004)};
    const bool on_line[] = {true, true, false};
    struct analysis_history history = {0};
    assert_int_equal(
        analysis_history_make(links, 2, on_line, 3, &usual, &history, NULL), DUET_OK);
    assert_int_equal(history.pieces[0].commits, 2);
    assert_true(fabs(log(history.commits[1].ratio) - 0.03) < 1e-12);
    assert_int_equal(history.commits[2].kind, ANALYSIS_COMMIT_UNKNOWN);
    analysis_history_release(&history);
}

/* Levels against commit 0, or each against the one before it. */
static struct analysis_history of_levels(const double *levels, size_t count, bool chain)
{
    struct analysis_link links[COMMITS_MAX];
    for (size_t i = 1; i < count; i++) {
        size_t from = chain ? i - 1 : 0;
        links[i - 1] = link_of(from, i, levels[i] - levels[from], 0.001);
    }
    return answer(links, count - 1, count, &usual);
}

static void test_a_change_and_its_size(void **state)
{
    (void)state;
    for (int chain = 0; chain < 2; chain++) {
        double levels[20] = {0};
        for (size_t i = 0; i < 20; i++) {
            levels[i] = (i >= 12 ? 0.03 : 0) + 0.0005 * (double)(i % 3);
        }
        struct analysis_history history = of_levels(levels, 20, chain != 0);
        assert_int_equal(history.change_count, 1);
        const struct analysis_change *change = &history.changes[0];
        assert_int_equal(change->before, 11);
        assert_int_equal(change->at, 12);
        assert_true(change->low < exp(0.03) && change->high > exp(0.03));
        assert_true(change->beside == (chain != 0));
        assert_true(change->p_value <= 0.01);
        analysis_history_release(&history);
    }
}

static void test_several_changes(void **state)
{
    (void)state;
    double levels[40] = {0};
    for (size_t i = 0; i < 40; i++) {
        levels[i] = (i >= 10 && i < 25 ? 0.04 : 0) + (i >= 33 ? 0.02 : 0);
        levels[i] += 0.0004 * (double)((7 * i) % 5);
    }
    for (int chain = 0; chain < 2; chain++) {
        struct analysis_history history = of_levels(levels, 40, chain != 0);
        assert_int_equal(history.change_count, 3);
        assert_int_equal(history.changes[0].at, 10);
        assert_int_equal(history.changes[1].at, 25);
        assert_int_equal(history.changes[2].at, 33);
        assert_true(history.changes[1].ratio < 1);
        analysis_history_release(&history);
    }
}

/* Below `least`, it is left out. */
static void test_small_changes(void **state)
{
    (void)state;
    double levels[40] = {0};
    for (size_t i = 20; i < 40; i++) {
        levels[i] = 0.004;
    }
    struct analysis_history history = of_levels(levels, 40, true);
    assert_int_equal(history.change_count, 0);
    analysis_history_release(&history);
}

static void test_spikes(void **state)
{
    (void)state;
    for (int chain = 0; chain < 2; chain++) {
        double levels[20] = {0};
        levels[7] = 0.05;
        levels[12] = levels[13] = -0.04;
        levels[19] = 0.06;
        struct analysis_history history = of_levels(levels, 20, chain != 0);
        assert_int_equal(history.change_count, 0);
        for (size_t i = 0; i < 20; i++) {
            enum analysis_commit_kind expected = i == 19 ? ANALYSIS_COMMIT_EDGE
                                                 : i == 7 || i == 12 || i == 13
                                                     ? ANALYSIS_COMMIT_SPIKE
                                                     : ANALYSIS_COMMIT_USUAL;
            assert_int_equal(history.commits[i].kind, expected);
        }
        analysis_history_release(&history);
    }
}

/* It is no commit before the change; the change may have begun with it. */
static void test_a_spike_before_a_change(void **state)
{
    (void)state;
    double levels[20] = {0};
    levels[9] = 0.1;
    for (size_t i = 10; i < 20; i++) {
        levels[i] = 0.03;
    }
    struct analysis_history history = of_levels(levels, 20, true);
    assert_int_equal(history.commits[9].kind, ANALYSIS_COMMIT_SPIKE);
    assert_int_equal(history.change_count, 1);
    assert_int_equal(history.changes[0].at, 10);
    assert_int_equal(history.changes[0].before, 8);
    assert_false(history.changes[0].beside);
    analysis_history_release(&history);
}

/* From the third commit on it is a change. */
static void test_near_the_end(void **state)
{
    (void)state;
    for (size_t since = 1; since <= 4; since++) {
        double levels[20] = {0};
        for (size_t i = 20 - since; i < 20; i++) {
            levels[i] = 0.03;
        }
        struct analysis_history history = of_levels(levels, 20, true);
        assert_int_equal(history.change_count, since >= 3);
        assert_int_equal(history.commits[19].kind,
                         since >= 3 ? ANALYSIS_COMMIT_USUAL : ANALYSIS_COMMIT_EDGE);
        analysis_history_release(&history);
    }
}

static void test_errors(void **state)
{
    (void)state;
    struct analysis_link links[12];
    struct analysis_history history = {.count = 77};
    struct duet_error error = {0};
    for (size_t i = 0; i < 11; i++) {
        links[i] = link_of(i, i + 1, i == 5 ? 0.05 : 0.0001 * (double)(i % 3), 0.001);
        whole_line[i] = whole_line[i + 1] = true;
    }
    links[11] = link_of(0, 12, 0, 0.1);
    assert_int_equal(
        analysis_history_make(links, 12, whole_line, 12, &usual, &history, &error),
        DUET_E_DOMAIN);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        assert_int_equal(history.count, 77);
        alloc_fail_at(n);
        code =
            analysis_history_make(links, 11, whole_line, 12, &usual, &history, &error);
        alloc_fail_at(0);
        assert_true(n < 200);
    }
    assert_int_equal(code, DUET_OK);
    assert_int_equal(history.change_count, 1);
    analysis_history_release(&history);
}

static struct analysis_history simulate(const struct course *course, uint64_t number)
{
    static struct analysis_link links[COMMITS_MAX];
    double levels[COMMITS_MAX];
    struct random_stream stream = random_stream_at(11, number);
    struct analysis_history_options options = usual;
    double last = normal(&stream);
    options.seed = number;
    for (size_t i = 0; i < course->commits; i++) {
        last = shaped(course->shape, last, &stream);
        levels[i] = course->scatter * last +
                    (course->step != 0 && i >= course->at ? course->step : 0);
    }
    for (size_t i = 1; i < course->commits; i++) {
        size_t from = course->chain ? i - 1 : 0;
        links[i - 1] =
            link_of(from, i, levels[i] - levels[from] + course->error * normal(&stream),
                    course->error);
    }
    return answer(links, course->commits - 1, course->commits, &options);
}

static size_t histories(void)
{
    const char *asked = getenv("HISTORY_COUNT");
    return asked != NULL ? (size_t)strtoul(asked, NULL, 10) : TRIALS_OF(60);
}

struct tally {
    size_t any;   /* histories with a change */
    size_t near;  /* ... with one within two commits of the step */
    size_t exact; /* ... at it */
    size_t other; /* ... with one elsewhere */
};

static struct tally tally_of(const struct course *course)
{
    struct tally tally = {0};
    for (size_t i = 0; i < histories(); i++) {
        struct analysis_history history = simulate(course, i);
        bool near = false;
        bool exact = false;
        bool other = false;
        for (size_t k = 0; k < history.change_count; k++) {
            size_t at = history.changes[k].at;
            size_t off = at > course->at ? at - course->at : course->at - at;
            exact = exact || off == 0;
            near = near || off <= 2;
            other = other || off > 2;
        }
        tally.any += history.change_count > 0;
        tally.near += near;
        tally.exact += exact;
        tally.other += course->step != 0 && other;
        analysis_history_release(&history);
    }
    if (getenv("HISTORY_TABLE") != NULL) {
        double all = (double)histories();
        (void)printf("%-34s %4zu %s  any %.4f near %.4f exact %.4f other %.4f\n",
                     course->name, course->commits, course->chain ? "chain" : "star ",
                     (double)tally.any / all, (double)tally.near / all,
                     (double)tally.exact / all, (double)tally.other / all);
    }
    return tally;
}

/* At most `error` of the histories, and what chance adds to so few of them. */
static void test_stable_histories(void **state)
{
    (void)state;
    static const struct course courses[] = {
        {"error alone", 64, false, 0.01, 0, SHAPE_NORMAL, 0, 0},
        {"error alone", 64, true, 0.01, 0, SHAPE_NORMAL, 0, 0},
        {"error alone", 20, true, 0.01, 0, SHAPE_NORMAL, 0, 0},
        {"error alone", 12, false, 0.01, 0, SHAPE_NORMAL, 0, 0},
        {"normal scatter", 64, false, 0.005, 0.01, SHAPE_NORMAL, 0, 0},
        {"normal scatter", 64, true, 0.001, 0.01, SHAPE_NORMAL, 0, 0},
        {"scatter and error alike", 64, true, 0.01, 0.01, SHAPE_NORMAL, 0, 0},
        {"heavy tails", 64, false, 0.005, 0.01, SHAPE_HEAVY, 0, 0},
        {"spikes", 64, false, 0.005, 0.01, SHAPE_SPIKES, 0, 0},
        {"spikes", 64, true, 0.005, 0.01, SHAPE_SPIKES, 0, 0},
        {"commits that follow each other", 64, false, 0.005, 0.01, SHAPE_DEPENDENT, 0,
         0},
        {"commits that follow each other", 200, false, 0.005, 0.01, SHAPE_DEPENDENT, 0,
         0},
    };
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        struct tally tally = tally_of(&courses[i]);
        double all = (double)histories();
        double most = 0.01 * (courses[i].shape == SHAPE_DEPENDENT ? 4 : 1);
        if ((double)tally.any > most * all + 3 * sqrt(most * all)) {
            fail_msg("%s: %zu of %zu", courses[i].name, tally.any, histories());
        }
    }
}

static void test_changed_histories(void **state)
{
    (void)state;
    static const struct course courses[] = {
        {"step 3 sd, middle", 64, false, 0.005, 0.0087, SHAPE_NORMAL, 0.03, 32},
        {"step 3 sd, 8 from the end", 64, false, 0.005, 0.0087, SHAPE_NORMAL, 0.03, 56},
        {"step 3 sd, 3 from the end", 64, false, 0.005, 0.0087, SHAPE_NORMAL, 0.03, 61},
        {"step 1 sd, middle", 64, false, 0.005, 0.0087, SHAPE_NORMAL, 0.01, 32},
        {"step 2 sd, spikes", 64, false, 0.005, 0.0087, SHAPE_SPIKES, 0.02, 32},
        {"step 10 errors", 64, true, 0.003, 0, SHAPE_NORMAL, 0.03, 53},
        {"step 10 errors", 20, true, 0.003, 0, SHAPE_NORMAL, 0.03, 9},
        {"step 10 errors, 3 from the end", 20, true, 0.003, 0, SHAPE_NORMAL, 0.03, 17},
        {"step 5 errors", 64, true, 0.006, 0, SHAPE_NORMAL, 0.03, 32},
    };
    /* Of which a share is found within two commits. */
    static const double least[] = {0.95, 0.9, 0.2, 0.1, 0.75, 0.9, 0.9, 0.6, 0.5};
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        struct tally tally = tally_of(&courses[i]);
        double few = TRIALS_DIVISOR > 1 ? 1 : 0; /* one of a few may be missed */
        if ((double)tally.near < least[i] * (double)histories() - few) {
            fail_msg("%s: %zu of %zu", courses[i].name, tally.near, histories());
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_chain),
        cmocka_unit_test(test_pieces_and_references),
        cmocka_unit_test(test_pieces_share_the_error),
        cmocka_unit_test(test_a_vague_link_joins_no_pieces),
        cmocka_unit_test(test_links_that_are_not_too_vague),
        cmocka_unit_test(test_a_vague_link_keeps_a_single_commit),
        cmocka_unit_test(test_off_the_line),
        cmocka_unit_test(test_a_change_and_its_size),
        cmocka_unit_test(test_several_changes),
        cmocka_unit_test(test_small_changes),
        cmocka_unit_test(test_spikes),
        cmocka_unit_test(test_a_spike_before_a_change),
        cmocka_unit_test(test_near_the_end),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_stable_histories),
        cmocka_unit_test(test_changed_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
