#include "study/grid/study_detector.h"

#include "base/alloc.h"
#include "stats/overlap.h"
#include "stats/rank/dominance_sorted.h"
#include "study/grid/study_critical.h"
#include "study/study_merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const study_test_names[STUDY_TESTS + 1] = {
    [STUDY_TEST_RANKSUM] = "wrs",
    [STUDY_TEST_INTERVALS] = "ci",
    [STUDY_TEST_RATIO] = "ratio",
};

const char *study_test_name(enum study_test test)
{
    return (unsigned)test < STUDY_TESTS ? study_test_names[test] : "unknown";
}

/* Streams of the bootstraps, in the seed of a draw. */
enum { STREAM_TEST = 1, STREAM_CONTROL = 2, STREAM_RATIO = 3, STREAM_SHIFT = 32 };

struct study_detector_space {
    double *test;
    double *control;
    double *spare;
    double *replicates;
    struct study_critical critical;
};

enum duet_code study_detector_space_new(const struct study_detector *detector,
                                        size_t values,
                                        struct study_detector_space **ret_space,
                                        struct duet_error *reterr)
{
    struct study_detector_space *space = alloc_array(1, sizeof *space);
    if (space != NULL) {
        space->test = alloc_array(values, sizeof *space->test);
        space->control = alloc_array(values, sizeof *space->control);
        space->spare = alloc_array(values, sizeof *space->spare);
        space->replicates =
            alloc_array(detector->replicates, sizeof *space->replicates);
    }
    if (space == NULL || space->test == NULL || space->control == NULL ||
        space->spare == NULL || space->replicates == NULL) {
        study_detector_space_free(space);
        return error_set(reterr, DUET_E_NOMEM, "no memory for groups of %zu values",
                         values);
    }
    *ret_space = space;
    return DUET_OK;
}

void study_detector_space_free(struct study_detector_space *space)
{
    if (space != NULL) {
        free(space->test);
        free(space->control);
        free(space->spare);
        free(space->replicates);
        free(space);
    }
}

void study_detector_space_renew(struct study_detector_space *space)
{
    if (space->critical.count == STUDY_CRITICAL_SIZES) {
        space->critical.count = 0;
    }
}

static void note(struct study_outcome *outcome, enum study_test test, size_t slowdown,
                 bool slower, bool faster)
{
    outcome->changed[test] |= (uint32_t)(slower || faster) << slowdown;
    outcome->faster[test] |= (uint32_t)faster << slowdown;
}

/* ---- Rank-sum ---- */

static enum duet_code sort_group(const struct study_subject *subject,
                                 const struct study_group *group,
                                 struct study_detector_space *space, double *sorted,
                                 size_t *scratch, struct stats_sorted *ret_sorted,
                                 struct duet_error *reterr)
{
    double *at = sorted;
    size_t trials = group->firsts[group->nested.units];
    for (size_t t = 0; t < trials; t++) {
        memcpy(at, subject->sorted + group->offsets[t],
               group->counts[t] * sizeof *sorted);
        at += group->counts[t];
        scratch[t] = group->counts[t];
    }
    enum duet_code code =
        study_merge_runs(sorted, scratch, trials, space->spare, reterr);
    if (code == DUET_OK) {
        *ret_sorted = stats_sorted_of(sorted, group->count);
    }
    return code;
}

static enum duet_code judge_ranks(const struct study_detector *detector,
                                  const struct stats_dominance *dominance,
                                  struct study_critical *critical, bool *ret_changed,
                                  struct duet_error *reterr)
{
    double pairs = (double)dominance->first_count * (double)dominance->second_count;
    double delta = ((double)dominance->greater - (double)dominance->less) / pairs;
    *ret_changed = false;
    if (!(fabs(delta) >= detector->delta_least)) {
        return DUET_OK;
    }
    double level = (1.0 - detector->confidence) / (double)detector->corrected;
    return study_critical_rejects(critical, dominance, level, ret_changed, reterr);
}

static enum duet_code
test_ranks(const struct study_detector *detector, const struct study_subject *subject,
           const struct study_groups *groups, struct study_detector_space *space,
           struct study_outcome *outcome, struct duet_error *reterr)
{
    struct stats_sorted test;
    struct stats_sorted control;
    enum duet_code code = sort_group(subject, &groups->test, space, space->test,
                                     groups->scratch, &test, reterr);
    if (code == DUET_OK) {
        code = sort_group(subject, &groups->control, space, space->control,
                          groups->scratch, &control, reterr);
    }
    for (size_t s = 0; s < detector->slowdown_count && code == DUET_OK; s++) {
        bool changed = false;
        struct stats_dominance dominance =
            stats_dominance_sorted(&test, 1.0 + detector->slowdowns[s], &control);
        code = judge_ranks(detector, &dominance, &space->critical, &changed, reterr);
        note(outcome, STUDY_TEST_RANKSUM, s,
             changed && dominance.greater > dominance.less,
             changed && dominance.greater < dominance.less);
    }
    return code;
}

/* ---- Intervals ---- */

static enum duet_code interval_of(const struct study_detector *detector,
                                  const double *values, const struct study_group *group,
                                  uint64_t seed, uint64_t stream, size_t *scratch,
                                  double *replicates,
                                  struct stats_interval *ret_interval,
                                  struct duet_error *reterr)
{
    const struct stats_resampling how = {.seed = seed,
                                         .stream = stream << STREAM_SHIFT,
                                         .replicates = detector->replicates};
    stats_nested_means(&group->nested, values, &how, scratch, replicates);
    return stats_interval_percentile(replicates, detector->replicates,
                                     detector->confidence, ret_interval, reterr);
}

static enum duet_code test_intervals(const struct study_detector *detector,
                                     const struct study_subject *subject,
                                     const struct study_groups *groups, uint64_t seed,
                                     struct study_detector_space *space,
                                     struct study_outcome *outcome,
                                     struct duet_error *reterr)
{
    struct stats_interval test;
    struct stats_interval control;
    enum duet_code code =
        interval_of(detector, subject->values, &groups->test, seed, STREAM_TEST,
                    groups->scratch, space->replicates, &test, reterr);
    if (code == DUET_OK) {
        code = interval_of(detector, subject->values, &groups->control, seed,
                           STREAM_CONTROL, groups->scratch, space->replicates, &control,
                           reterr);
    }
    for (size_t s = 0; s < detector->slowdown_count && code == DUET_OK; s++) {
        double scale = 1.0 + detector->slowdowns[s];
        const struct stats_interval slowed = {test.low * scale, test.high * scale};
        bool changed = !stats_intervals_overlap(&slowed, &control);
        note(outcome, STUDY_TEST_INTERVALS, s, changed && slowed.low > control.high,
             changed && slowed.high < control.low);
    }
    return code;
}

static enum duet_code test_ratio(const struct study_detector *detector,
                                 const struct study_subject *subject,
                                 const struct study_groups *groups, uint64_t seed,
                                 struct study_detector_space *space,
                                 struct study_outcome *outcome,
                                 struct duet_error *reterr)
{
    struct stats_interval ratio;
    enum duet_code code =
        interval_of(detector, subject->logs, &groups->test, seed, STREAM_RATIO,
                    groups->scratch, space->replicates, &ratio, reterr);
    for (size_t s = 0; s < detector->slowdown_count && code == DUET_OK; s++) {
        double shift = log1p(detector->slowdowns[s]);
        note(outcome, STUDY_TEST_RATIO, s, ratio.low + shift > 0,
             ratio.high + shift < 0);
    }
    return code;
}

enum duet_code study_detect(const struct study_detector *detector,
                            const struct study_subject *subject,
                            const struct study_groups *groups, unsigned tests,
                            uint64_t seed, struct study_detector_space *space,
                            struct study_outcome *ret_outcome,
                            struct duet_error *reterr)
{
    struct study_outcome outcome = {{0}, {0}};
    enum duet_code code = DUET_OK;
    if ((tests >> STUDY_TEST_RANKSUM & 1U) != 0) {
        code = test_ranks(detector, subject, groups, space, &outcome, reterr);
    }
    if (code == DUET_OK && (tests >> STUDY_TEST_INTERVALS & 1U) != 0) {
        code = test_intervals(detector, subject, groups, seed, space, &outcome, reterr);
    }
    if (code == DUET_OK && (tests >> STUDY_TEST_RATIO & 1U) != 0) {
        code = test_ratio(detector, subject, groups, seed, space, &outcome, reterr);
    }
    if (code == DUET_OK) {
        *ret_outcome = outcome;
    }
    return code;
}
