#include "analysis/compare.h"

#include "analysis/location.h"
#include "analysis/paired.h"
#include "analysis/random_uses.h"
#include "analysis/standard.h"
#include "analysis/tail.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { REPLICATES_MIN = 100, REPLICATES_MAX = 10000000 };

/* Beyond it the sign flips, of which there are 10^5, cannot reject anything. */
static const double signflip_confidence_max = 0.99999;

struct analysis {
    struct analysis_options options;
    bool paired;
    struct analysis_digest *digests;
    size_t count;
    size_t capacity;
};

struct analysis_options analysis_options_default(void)
{
    return (struct analysis_options){
        .confidence = 0.99,
        .replicates = 10000,
        .estimator = MODEL_ESTIMATOR_GEOMEAN,
        .interval = MODEL_INTERVAL_T,
        .winsorize = ANALYSIS_WINSORIZE_FACTOR,
        .same_within = (double)NAN,
    };
}

static enum duet_code check_options(const struct analysis_options *options,
                                    struct duet_error *reterr)
{
    if (!(options->confidence > 0.0 && options->confidence < 1.0)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the confidence must lie between 0 and 1, got %g",
                         options->confidence);
    }
    if (options->interval == MODEL_INTERVAL_SIGNFLIP &&
        options->confidence > signflip_confidence_max) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the sign-flip interval reaches a confidence of %g, got %.9g",
                         signflip_confidence_max, options->confidence);
    }
    if (options->replicates < REPLICATES_MIN || options->replicates > REPLICATES_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the number of replicates must lie between %d and %d, got "
                         "%" PRIu64,
                         REPLICATES_MIN, REPLICATES_MAX, options->replicates);
    }
    if (!isnan(options->same_within) &&
        !(options->same_within > 0.0 && isfinite(options->same_within))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a difference that counts as the same must be a positive "
                         "fraction, got %g",
                         options->same_within);
    }
    if (options->sample_runs == 1) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a sample of one run has no interval; take at least two");
    }
    return DUET_OK;
}

enum duet_code analysis_new(const struct analysis_options *options, bool paired,
                            struct analysis **ret_analysis, struct duet_error *reterr)
{
    enum duet_code code = check_options(options, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct analysis *analysis = alloc_array(1, sizeof *analysis);
    if (analysis == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for an analysis");
    }
    analysis->options = *options;
    analysis->paired = paired;
    if (!paired) {
        analysis->options.interval = MODEL_INTERVAL_DIFFERENCE;
    }
    *ret_analysis = analysis;
    return DUET_OK;
}

void analysis_free(struct analysis *analysis)
{
    if (analysis != NULL) {
        for (size_t i = 0; i < analysis->count; i++) {
            analysis_digest_release(&analysis->digests[i]);
        }
        free(analysis->digests);
        free(analysis);
    }
}

static bool is_standard(const struct analysis *analysis)
{
    return analysis->options.interval == MODEL_INTERVAL_DIFFERENCE;
}

static enum duet_code reserve_one(struct analysis *analysis, struct duet_error *reterr)
{
    if (analysis->count < analysis->capacity) {
        return DUET_OK;
    }
    size_t capacity = analysis->capacity == 0 ? 16 : 2 * analysis->capacity;
    struct analysis_digest *digests =
        alloc_resize(analysis->digests, capacity, sizeof *digests);
    if (digests == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", capacity);
    }
    analysis->digests = digests;
    analysis->capacity = capacity;
    return DUET_OK;
}

enum duet_code analysis_add_run(struct analysis *analysis,
                                struct model_run_values *values,
                                struct duet_error *reterr)
{
    struct analysis_digest_needs needs = {
        .paired = analysis->paired,
        .standard = is_standard(analysis),
        .location = analysis_location(analysis->options.estimator),
        .winsorize = analysis->options.winsorize,
        .cleaning = analysis->options.cleaning,
    };
    enum duet_code code = reserve_one(analysis, reterr);
    if (code == DUET_OK) {
        code = analysis_digest_init(&needs, values, &analysis->digests[analysis->count],
                                    reterr);
    }
    if (code == DUET_OK) {
        analysis->count++;
    }
    return code;
}

static enum duet_code select_runs(const struct analysis *analysis,
                                  struct analysis_selection *ret_selection,
                                  struct duet_error *reterr)
{
    const struct analysis_options *options = &analysis->options;
    if (analysis->count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "there is no run to analyse; measure at least one");
    }
    return analysis_selection_init(
        analysis->digests, analysis->count, options->sample_runs,
        analysis_paired_is_over_blocks(options->interval), options->seed,
        analysis_stream(ANALYSIS_USE_SAMPLE), ret_selection, reterr);
}

/* method.md, "Verdicts": the band of `same` is symmetric in the logarithm, so that
 * swapping the sides cannot change the verdict. */
static enum model_verdict judge(double low, double high, double same_within)
{
    if (isnan(low) || isnan(high)) {
        return MODEL_VERDICT_UNSURE;
    }
    if (low > 1.0 / (1.0 + same_within) && high < 1.0 + same_within) {
        return MODEL_VERDICT_SAME; /* never with a NaN, that is, without a band */
    }
    if (low > 1.0) {
        return MODEL_VERDICT_SLOWER;
    }
    return high < 1.0 ? MODEL_VERDICT_FASTER : MODEL_VERDICT_UNSURE;
}

static void summarize(const struct analysis_selection *selection,
                      struct model_comparison *comparison)
{
    comparison->runs = selection->count;
    comparison->winsorized = 0;
    struct stats_moments sides[MODEL_SIDES] = {{0}};
    for (size_t r = 0; r < selection->count; r++) {
        const struct analysis_digest *digest = selection->runs[r];
        comparison->winsorized += digest->winsorized;
        stats_moments_merge(&sides[MODEL_OLD], &digest->times[MODEL_OLD]);
        stats_moments_merge(&sides[MODEL_NEW], &digest->times[MODEL_NEW]);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        bool any = sides[side].count > 0;
        struct model_summary *summary = &comparison->sides[side];
        summary->count = sides[side].count;
        summary->mean_ns = any ? sides[side].mean : (double)NAN;
        summary->sd_ns = stats_moments_sd_sample(&sides[side]);
        summary->min_ns = any ? sides[side].min : (double)NAN;
        summary->max_ns = any ? sides[side].max : (double)NAN;
    }
    comparison->iterations = sides[MODEL_OLD].count > sides[MODEL_NEW].count
                                 ? sides[MODEL_OLD].count
                                 : sides[MODEL_NEW].count;
}

static void warn(const struct analysis *analysis,
                 const struct analysis_selection *selection,
                 struct model_comparison *comparison)
{
    if (analysis_paired_is_over_blocks(analysis->options.interval) &&
        selection->left_out > 0) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "%zu of %zu runs have no partner with swapped positions and are left out "
            "of "
            "the ratio and its interval; an even number of runs avoids it",
            selection->left_out, selection->count);
    }
    uint64_t dropped = 0;
    for (size_t r = 0; r < selection->count; r++) {
        dropped += selection->runs[r]->dropped;
    }
    if (dropped > 0) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "%" PRIu64 " observations were left out: they, or what "
            "they are paired with, took at least ten times the median",
            dropped);
    }
    if (comparison->interval.low >= comparison->interval.high) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "all runs gave exactly the same ratio: the clock is too coarse for these "
            "times; do more work in an iteration");
    }
}

enum duet_code analysis_estimate(const struct analysis *analysis, double *ret_ratio,
                                 struct model_interval *ret_interval,
                                 struct duet_error *reterr)
{
    struct analysis_selection selection = {0};
    enum duet_code code = select_runs(analysis, &selection, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (is_standard(analysis)) {
        struct analysis_standard standard = {0};
        code = analysis_standard_estimate(&analysis->options, &selection, &standard,
                                          reterr);
        if (code == DUET_OK) {
            *ret_ratio = standard.ratio;
            *ret_interval = (struct model_interval){standard.low, standard.high,
                                                    analysis->options.confidence,
                                                    MODEL_INTERVAL_DIFFERENCE};
        }
    } else {
        code = analysis_paired_estimate(&analysis->options, &selection, ret_ratio,
                                        ret_interval, reterr);
    }
    analysis_selection_release(&selection);
    return code;
}

static enum duet_code answer_standard(const struct analysis *analysis,
                                      const struct analysis_selection *selection,
                                      struct model_comparison *answer,
                                      struct duet_error *reterr)
{
    struct analysis_standard standard = {0};
    enum duet_code code =
        analysis_standard_estimate(&analysis->options, selection, &standard, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (analysis->paired) {
        code = analysis_paired_describe(&analysis->options, selection, answer, reterr);
    } else {
        answer->paired_width = standard.width;
        answer->shuffled_width = (double)NAN;
        answer->stratified_width = (double)NAN;
        answer->measured_coverage = (double)NAN;
    }
    answer->ratio = standard.ratio;
    answer->interval = (struct model_interval){standard.low, standard.high,
                                               analysis->options.confidence,
                                               MODEL_INTERVAL_DIFFERENCE};
    answer->could_have_seen = standard.could_have_seen;
    return code;
}

enum duet_code analysis_compare(const struct analysis *analysis,
                                struct model_comparison *ret_comparison,
                                struct duet_error *reterr)
{
    const struct analysis_options *options = &analysis->options;
    struct analysis_selection selection = {0};
    enum duet_code code = select_runs(analysis, &selection, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct model_comparison answer = *ret_comparison;
    if (is_standard(analysis)) {
        code = answer_standard(analysis, &selection, &answer, reterr);
    } else {
        code = analysis_paired_estimate(options, &selection, &answer.ratio,
                                        &answer.interval, reterr);
        if (code == DUET_OK) {
            code = analysis_paired_describe(options, &selection, &answer, reterr);
        }
    }
    if (code == DUET_OK) {
        code = analysis_tail_ratio(&selection, &answer.tail_ratio, reterr);
    }
    if (code == DUET_OK) {
        summarize(&selection, &answer);
        answer.estimator = options->estimator;
        answer.same_within = options->same_within;
        answer.verdict =
            judge(answer.interval.low, answer.interval.high, options->same_within);
        warn(analysis, &selection, &answer);
        *ret_comparison = answer;
    }
    analysis_selection_release(&selection);
    return code;
}
