#include "analysis/conclude.h"

#include "analysis/course.h"
#include "analysis/few.h"
#include "analysis/grouped.h"
#include "analysis/p_value.h"
#include "analysis/paired.h"
#include "analysis/random_uses.h"
#include "analysis/remarks/agreement.h"
#include "analysis/remarks/conditions.h"
#include "analysis/remarks/dependence.h"
#include "analysis/remarks/losses_said.h"
#include "analysis/remarks/strip.h"
#include "analysis/remarks/tail.h"
#include "analysis/runs/location.h"
#include "analysis/runs/long_summary.h"
#include "analysis/runs/losses.h"
#include "analysis/runs/run_collector.h"
#include "analysis/standard.h"
#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/student.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct analysis {
    struct model_analysis options;
    bool paired;
    enum analysis_way way;
    struct analysis_run_collector collector;
};

/* Iterations that are resampled by themselves are also looked at for dependence. */
static enum analysis_keep keep_of(const struct analysis *analysis)
{
    if (analysis->way == ANALYSIS_WAY_GROUPED) {
        return analysis_grouped_keep(&analysis->options);
    }
    return analysis->options.iterations_alone ? ANALYSIS_KEEP_GROUPS
                                              : ANALYSIS_KEEP_NONE;
}

/* Student's t needs independent values whose mean is compared: the runs' locations, or
 * the values of a sample without runs, but not such a sample's median. */
static enum model_interval_method
standard_interval(const struct model_analysis *options)
{
    bool asked =
        options->interval_asked || options->interval == MODEL_INTERVAL_DIFFERENCE;
    bool means = !options->iterations_alone ||
                 analysis_location(options->estimator) == STATS_LOCATION_MEAN;
    return asked   ? options->interval
           : means ? MODEL_INTERVAL_T
                   : MODEL_INTERVAL_DIFFERENCE;
}

/* Whether the ratio rests on blocks of two runs. */
static bool over_blocks(const struct analysis *analysis)
{
    return analysis->way != ANALYSIS_WAY_STANDARD &&
           analysis_options_over_blocks(&analysis->options);
}

enum duet_code analysis_new(const struct model_analysis *options, bool paired,
                            struct analysis **ret_analysis, struct duet_error *reterr)
{
    enum duet_code code = analysis_options_check(options, paired, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct analysis *analysis = alloc_array(1, sizeof *analysis);
    if (analysis == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for an analysis");
    }
    analysis->options = *options;
    analysis->paired = paired;
    analysis->way = analysis_options_way(options, paired);
    if (analysis->way == ANALYSIS_WAY_STANDARD) {
        analysis->options.interval = standard_interval(options);
    } else if (analysis->way == ANALYSIS_WAY_GROUPED && !options->interval_asked) {
        analysis->options.interval = MODEL_INTERVAL_PERCENTILE;
    }
    analysis->collector = (struct analysis_run_collector){
        .needs = {.paired = paired,
                  .losses = options->losses == MODEL_LOST_WHERE_KNOWN,
                  .standard = analysis->way == ANALYSIS_WAY_STANDARD,
                  .keep = keep_of(analysis),
                  .location = analysis_location(options->estimator),
                  .winsorize = options->iterations_alone && !options->winsorize_asked
                                   ? MODEL_WINSORIZE_OFF
                                   : options->winsorize},
        .cleaning = options->cleaning};
    *ret_analysis = analysis;
    return DUET_OK;
}

void analysis_free(struct analysis *analysis)
{
    if (analysis != NULL) {
        analysis_run_collector_release(&analysis->collector);
        free(analysis);
    }
}

bool analysis_takes_long_runs(const struct analysis *analysis)
{
    const struct analysis_run_collector *collector = &analysis->collector;
    return analysis_takes_spools(&collector->needs, &collector->cleaning);
}

enum duet_code analysis_add_run(struct analysis *analysis,
                                struct model_run_values *values,
                                struct duet_error *reterr)
{
    return analysis_run_collector_add(&analysis->collector, values, reterr);
}

double analysis_last_log_ratio(const struct analysis *analysis)
{
    const struct analysis_run_collector *collector = &analysis->collector;
    if (collector->count == 0 || collector->summaries == NULL) {
        return (double)NAN;
    }
    return analysis_losses_facts(&collector->summaries[collector->count - 1],
                                 ANALYSIS_WITHOUT_TAKEN)
        ->log_ratio;
}

/* The runs that an answer rests on. */
struct choice {
    struct analysis_run_summaries summaries;
    struct analysis_used_runs runs;
    /* With MODEL_LOSSES_BOUNDED: the same runs by the other readings. */
    struct analysis_used_runs bounds[ANALYSIS_READINGS];
    size_t bound_count;
    enum model_losses losses;
};

static void choice_release(struct choice *choice)
{
    analysis_used_runs_release(&choice->runs);
    for (size_t i = 0; i < choice->bound_count; i++) {
        analysis_used_runs_release(&choice->bounds[i]);
    }
    analysis_run_summaries_release(&choice->summaries);
}

static enum duet_code select_runs(const struct analysis *analysis,
                                  const struct choice *choice,
                                  enum analysis_reading reading,
                                  struct analysis_used_runs *ret_runs,
                                  struct duet_error *reterr)
{
    const struct model_analysis *options = &analysis->options;
    return analysis_used_runs_init(
        choice->summaries.summaries, choice->summaries.count, reading, options->coin,
        options->sample_runs, over_blocks(analysis), options->seed,
        analysis_stream(ANALYSIS_USE_SAMPLE), ret_runs, reterr);
}

static enum duet_code select_bounds(const struct analysis *analysis,
                                    struct choice *choice, struct duet_error *reterr)
{
    enum analysis_reading readings[ANALYSIS_READINGS];
    size_t count = analysis_losses_bounds(choice->summaries.summaries,
                                          choice->summaries.count, readings);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; code == DUET_OK && i < count; i++) {
        code = select_runs(analysis, choice, readings[i], &choice->bounds[i], reterr);
        choice->bound_count += code == DUET_OK;
    }
    return code;
}

static enum duet_code choose(const struct analysis *analysis, struct choice *ret_choice,
                             struct duet_error *reterr)
{
    struct choice choice = {0};
    enum duet_code code = analysis_run_collector_summaries(&analysis->collector,
                                                           &choice.summaries, reterr);
    if (code == DUET_OK) {
        choice.losses = analysis->way == ANALYSIS_WAY_PAIRED
                            ? analysis_losses_choose(choice.summaries.summaries,
                                                     choice.summaries.count)
                            : MODEL_LOSSES_KEPT;
        bool bounded = choice.losses == MODEL_LOSSES_BOUNDED;
        code = select_runs(analysis, &choice,
                           bounded ? ANALYSIS_AS_MEASURED
                                   : analysis_losses_reading(choice.losses),
                           &choice.runs, reterr);
        if (code == DUET_OK && bounded) {
            code = select_bounds(analysis, &choice, reterr);
        }
    }
    if (code != DUET_OK) {
        choice_release(&choice);
        return code;
    }
    *ret_choice = choice;
    return DUET_OK;
}

enum model_verdict analysis_verdict(double low, double high, double same_within,
                                    bool same_asked)
{
    /* Comparisons with a NaN, an open end or no band, are false. */
    double band = 1.0 + same_within;
    bool same = low > 1.0 / band && high < band;
    if (same && same_asked) {
        return MODEL_VERDICT_SAME;
    }
    if (low > 1.0) {
        return MODEL_VERDICT_SLOWER;
    }
    if (high < 1.0) {
        return MODEL_VERDICT_FASTER;
    }
    return same ? MODEL_VERDICT_SAME : MODEL_VERDICT_UNSURE;
}

static void summarize(const struct choice *choice, struct model_comparison *comparison)
{
    const struct analysis_used_runs *used = &choice->runs;
    comparison->runs = used->count;
    comparison->winsorized = 0;
    comparison->dropped_warmup = 0;
    comparison->dropped_outliers = choice->summaries.emptied;
    struct stats_moments sides[MODEL_SIDES] = {{0}};
    for (size_t r = 0; r < used->count; r++) {
        const struct analysis_run_summary *summary = used->runs[r];
        comparison->winsorized += summary->winsorized;
        comparison->dropped_warmup += summary->dropped_warmup;
        comparison->dropped_outliers += summary->dropped_outliers;
        stats_moments_merge(&sides[MODEL_OLD], &summary->times[MODEL_OLD]);
        stats_moments_merge(&sides[MODEL_NEW], &summary->times[MODEL_NEW]);
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

/* Looked at after every block until it was decided: any other interval than that of the
 * bets takes the number of runs for one that the data have not chosen. */
static void warn_of_looks(const struct analysis *analysis,
                          struct model_comparison *comparison)
{
    const struct model_analysis *options = &analysis->options;
    if (analysis->paired && options->until != MODEL_UNTIL_FIXED &&
        options->interval != MODEL_INTERVAL_ANYTIME) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "the data decided when to stop (--until %s), and the interval '%s' is for "
            "a number of runs fixed beforehand: it errs more often than it says; measure "
            "a fixed number (-r) for it",
            model_until_name(options->until),
            model_interval_method_name(options->interval));
    }
}

static void warn(const struct analysis *analysis, const struct choice *choice,
                 const struct duet_error *missing, struct model_comparison *comparison)
{
    const struct analysis_used_runs *used = &choice->runs;
    if (missing->code != DUET_OK) {
        model_comparison_warn(comparison, MODEL_WARNING_DATA, "no interval: %s",
                              missing->message);
    }
    warn_of_looks(analysis, comparison);
    analysis_losses_warn(used, choice->bound_count == 1, comparison);
    bool counted = used->coin == MODEL_COIN_RUN &&
                   analysis->options.interval == MODEL_INTERVAL_ANYTIME;
    if (over_blocks(analysis) && used->left_out > 0 && !counted) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "%zu of %zu run%s %s no partner with swapped positions and %s left "
            "out of the ratio and its interval; measure an even number of runs",
            used->left_out, used->count, used->count == 1 ? "" : "s",
            used->left_out == 1 ? "has" : "have", used->left_out == 1 ? "is" : "are");
    }
    if (comparison->interval.low >= comparison->interval.high) {
        model_comparison_warn(
            comparison, MODEL_WARNING_DATA,
            "all runs gave exactly the same ratio: the clock is too coarse for these times; "
            "do more work in an iteration");
    }
}

/* What the ways have in common. */
struct estimate {
    double ratio;
    struct model_interval interval;
    double could_have_seen; /* NaN: known to analysis_paired_describe() only */
    double width;           /* of the standard method */
    double p_value;
    enum model_p_value_method p_value_method;
    size_t count; /* of the standard method, for advice */
    size_t needed;
    struct duet_error missing;
};

static enum duet_code estimate_pairs(const struct model_analysis *options,
                                     const struct analysis_used_runs *used,
                                     struct estimate *made, struct duet_error *reterr)
{
    enum duet_code code = analysis_paired_estimate(
        options, used, &made->ratio, &made->interval, &made->missing, reterr);
    if (code == DUET_OK) {
        code = analysis_p_value_paired(options, used, &made->interval, made->ratio,
                                       &made->p_value, &made->p_value_method, reterr);
    }
    return code;
}

/* NaN, an open end or an unknown number, when one of them is. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}

/* Where it is not known how much was taken of each side, an answer must hold for all
 * readings. Each end is one-sided by itself, so that the error stays what it was. */
static enum duet_code widen(const struct analysis *analysis,
                            const struct choice *choice, struct estimate *made,
                            struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; code == DUET_OK && i < choice->bound_count; i++) {
        struct estimate other = {0};
        code = estimate_pairs(&analysis->options, &choice->bounds[i], &other, reterr);
        if (code != DUET_OK) {
            break;
        }
        made->interval.low = -larger(-made->interval.low, -other.interval.low);
        made->interval.high = larger(made->interval.high, other.interval.high);
        made->p_value = larger(made->p_value, other.p_value);
        if (made->missing.code == DUET_OK) {
            made->missing = other.missing;
        }
    }
    return code;
}

static enum duet_code estimate(const struct analysis *analysis,
                               const struct choice *choice,
                               struct estimate *ret_estimate, struct duet_error *reterr)
{
    const struct model_analysis *options = &analysis->options;
    const struct analysis_used_runs *used = &choice->runs;
    struct estimate made = {.could_have_seen = (double)NAN, .width = (double)NAN};
    struct analysis_standard standard = {0};
    struct analysis_grouped grouped = {0};
    enum duet_code code = DUET_OK;
    switch (analysis->way) {
    case ANALYSIS_WAY_PAIRED:
        code = estimate_pairs(options, used, &made, reterr);
        if (code == DUET_OK && choice->losses == MODEL_LOSSES_BOUNDED) {
            code = widen(analysis, choice, &made, reterr);
        }
        break;
    case ANALYSIS_WAY_STANDARD:
        code =
            analysis_standard_estimate(options, used, &standard, &made.missing, reterr);
        made.ratio = standard.ratio;
        made.interval = (struct model_interval){.low = standard.low,
                                                .high = standard.high,
                                                .confidence = options->confidence,
                                                .method = options->interval,
                                                .unit = standard.unit};
        made.could_have_seen = standard.could_have_seen;
        made.width = standard.width;
        made.p_value = standard.p_value;
        made.p_value_method = MODEL_P_VALUE_WELCH;
        made.count = standard.count;
        made.needed = standard.needed;
        break;
    case ANALYSIS_WAY_GROUPED:
        code = analysis_grouped_estimate(options, used, analysis->paired, &grouped,
                                         &made.missing, reterr);
        made.ratio = grouped.ratio;
        made.interval = grouped.interval;
        made.could_have_seen = grouped.could_have_seen;
        made.width = grouped.interval.high - grouped.interval.low;
        made.p_value =
            analysis_p_value_of_interval(grouped.ratio, &grouped.interval,
                                         (double)analysis_few_units(options, used));
        made.p_value_method = MODEL_P_VALUE_INTERVAL;
        break;
    }
    if (code == DUET_OK) {
        *ret_estimate = made;
    }
    return code;
}

static enum duet_code estimate_now(const struct analysis *analysis,
                                   struct estimate *ret_made, struct duet_error *reterr)
{
    struct choice choice = {0};
    enum duet_code code = choose(analysis, &choice, reterr);
    if (code == DUET_OK) {
        code = estimate(analysis, &choice, ret_made, reterr);
    }
    choice_release(&choice);
    return code;
}

enum duet_code analysis_estimate(const struct analysis *analysis, double *ret_ratio,
                                 struct model_interval *ret_interval,
                                 struct duet_error *reterr)
{
    struct estimate made = {0};
    enum duet_code code = estimate_now(analysis, &made, reterr);
    if (code == DUET_OK) {
        *ret_ratio = made.ratio;
        *ret_interval = made.interval;
    }
    return code;
}

enum duet_code analysis_suspicion(const struct analysis *analysis, double *ret_p_value,
                                  struct duet_error *reterr)
{
    struct choice choice = {0};
    enum duet_code code = choose(analysis, &choice, reterr);
    struct stats_moments moments =
        stats_moments_of(choice.runs.block_logs, choice.runs.block_count);
    choice_release(&choice);
    double error =
        stats_moments_sd_sample(&moments) / sqrt((double)moments.count); /* NaN: < 2 */
    *ret_p_value =
        error > 0 ? stats_t_p_value(moments.mean, error, (double)moments.count - 1.0)
                  : 1.0;
    return code;
}

enum duet_code analysis_mean_is_certain(const struct analysis *analysis, double ratio,
                                        const struct model_interval *interval,
                                        bool *ret_certain, struct duet_error *reterr)
{
    struct choice choice = {0};
    struct model_mean_change mean = {0};
    enum duet_code code = choose(analysis, &choice, reterr);
    if (code == DUET_OK) {
        code = analysis_mean_change(&choice.runs, interval->confidence, log(ratio),
                                    &mean, reterr);
    }
    if (code == DUET_OK) {
        *ret_certain =
            analysis_agreement_certain(&mean, interval, analysis->options.same_within);
    }
    choice_release(&choice);
    return code;
}

/* What goes with the answer: widths, what could have been seen, the statistic of each
 * side. */
static enum duet_code describe(const struct analysis *analysis,
                               const struct analysis_used_runs *used,
                               const struct estimate *made,
                               struct model_comparison *answer,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    answer->ratio = made->ratio;
    answer->interval = made->interval;
    answer->interval_refused = made->missing.code == DUET_E_DOMAIN;
    answer->p_value = made->p_value;
    answer->p_value_method = made->p_value_method;
    answer->family = (struct model_family){.p_adjusted = (double)NAN};
    if (!analysis->paired && answer->test.test == MODEL_TEST_RANKSUM &&
        analysis_few_are_single(&analysis->options, used)) {
        answer->p_value = answer->test.p_value;
        answer->p_value_method = MODEL_P_VALUE_RANKSUM;
    }
    if (analysis->paired) {
        code = analysis_paired_describe(&analysis->options, used, answer, reterr);
    } else {
        answer->paired_width = made->width;
        answer->shuffled_width = (double)NAN;
        answer->stratified_width = (double)NAN;
        answer->measured_coverage = (double)NAN;
    }
    if (analysis->way != ANALYSIS_WAY_PAIRED) {
        answer->could_have_seen = made->could_have_seen;
        answer->measured_coverage =
            analysis_few_coverage(&analysis->options, used, analysis->paired);
    }
    answer->statistic =
        (struct model_statistic_result){.statistic.kind = MODEL_STATISTIC_NONE};
    if (code == DUET_OK && analysis->way == ANALYSIS_WAY_GROUPED) {
        code = analysis_grouped_sides(&analysis->options, used, analysis->paired,
                                      &answer->statistic, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_tails(used, analysis->paired, analysis->options.confidence,
                              answer->tails, reterr);
    }
    return code;
}

enum duet_code analysis_conclude(const struct analysis *analysis,
                                 struct model_comparison *ret_comparison,
                                 struct duet_error *reterr)
{
    const struct model_analysis *options = &analysis->options;
    struct choice choice = {0};
    struct estimate made = {0};
    struct model_comparison answer = *ret_comparison;
    enum duet_code code = choose(analysis, &choice, reterr);
    if (code == DUET_OK) {
        code = estimate(analysis, &choice, &made, reterr);
    }
    if (code == DUET_OK) {
        answer.losses = choice.losses;
        code = describe(analysis, &choice.runs, &made, &answer, reterr);
    }
    if (code == DUET_OK) {
        summarize(&choice, &answer);
        answer.estimator = options->estimator;
        answer.ratio_as_measured = analysis_ratio_as_measured(&choice.runs);
        answer.same_within = options->same_within;
        answer.same_within_asked = options->same_within_asked;
        answer.verdict =
            analysis_verdict(answer.interval.low, answer.interval.high,
                             options->same_within, options->same_within_asked);
        warn(analysis, &choice, &made.missing, &answer);
        code = analysis_agreement(&choice.runs, analysis->way == ANALYSIS_WAY_PAIRED,
                                  &answer, reterr);
    }
    if (code == DUET_OK) {
        if (analysis->way != ANALYSIS_WAY_PAIRED) {
            analysis_few_withhold(&analysis->options, &choice.runs, analysis->paired,
                                  &answer);
        }
        if (!analysis->paired) {
            analysis_few_advise(options, made.count, made.needed, &answer);
        }
        analysis_tails_warn(&answer);
        code = analysis_dependence_warn(options, &choice.runs, analysis->paired,
                                        &answer, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_conditions(&choice.runs, analysis->paired, &answer, reterr);
    }
    if (code == DUET_OK) {
        if (analysis->paired) {
            analysis_strip(&choice.runs, &answer.strip);
        }
        *ret_comparison = answer;
    }
    choice_release(&choice);
    return code;
}

enum duet_code analysis_trace(const struct analysis *analysis,
                              struct model_trace *trace, struct duet_error *reterr)
{
    struct choice choice = {0};
    enum duet_code code = choose(analysis, &choice, reterr);
    if (code == DUET_OK) {
        code = analysis_course(&choice.runs, analysis->paired,
                               analysis->options.confidence, trace, reterr);
    }
    choice_release(&choice);
    return code;
}

enum duet_code analysis_is_doubted(const struct analysis *analysis, bool *ret_doubted,
                                   struct duet_error *reterr)
{
    struct model_comparison comparison = {.schedule = MODEL_SCHEDULE_DUET};
    enum duet_code code = analysis_conclude(analysis, &comparison, reterr);
    *ret_doubted = code == DUET_OK && comparison.doubt != MODEL_DOUBT_NONE;
    return code;
}
