#include "report/words.h"

#include "report/analysis_words.h"
#include "report/digits.h"

#include <math.h>
#include <string.h>

enum {
    CHANGE_DECIMALS_UNKNOWN = 1,
    CHANGE_DECIMALS_MAX = 4,
    RELATIVE_DECIMALS_UNKNOWN = 3,
    RELATIVE_DECIMALS_MAX = 6,
    FACTOR_DIGITS = 3
};

/* From this factor on (or below its inverse) a change is easier read as a factor. */
static const double factor_shown = 2.0;
/* Beyond these a ratio's digits mean nothing. */
static const double ratio_max = 1e5;
static const double ratio_min = 1e-5;

/* Of a coefficient of variation, "slower" would be the wrong word. */
static const char *verdict_words(const struct model_comparison *comparison)
{
    if (comparison->statistic.statistic.kind == MODEL_STATISTIC_CV) {
        if (comparison->verdict == MODEL_VERDICT_SLOWER) {
            return "varies more";
        }
        if (comparison->verdict == MODEL_VERDICT_FASTER) {
            return "varies less";
        }
    }
    return model_verdict_name(comparison->verdict);
}

void words_append_doubt(struct text *text, const struct model_comparison *comparison)
{
    if (comparison->doubt == MODEL_DOUBT_MEAN) {
        text_append(text, comparison->mean_change.disagrees
                              ? "the mean says otherwise"
                              : "the mean may have changed");
    } else if (comparison->doubt == MODEL_DOUBT_TAIL) {
        text_append(text, "the slow iterations say otherwise");
    } else if (comparison->family.withheld) {
        analysis_words_append_withheld(text, &comparison->family);
    } else if (!words_has_interval(comparison)) {
        text_append(text, words_is_to_0(comparison)      ? "no ratio to 0"
                          : comparison->interval_refused ? "no interval"
                                                         : "too few runs");
    }
}

void words_append_verdict(struct text *text, const struct model_comparison *comparison,
                          bool brief)
{
    if (comparison->verdict == MODEL_VERDICTS) {
        text_append_char(text, '-'); /* a mean without an interval */
        return;
    }
    text_append(text, verdict_words(comparison));
    if (brief) {
        return; /* why something failed: report/failed_rows */
    }
    if (comparison->verdict == MODEL_VERDICT_SAME &&
        isfinite(comparison->same_within)) {
        text_append(text, " within ");
        digits_append_level(text, comparison->same_within);
    } else if (comparison->verdict == MODEL_VERDICT_UNSURE) {
        struct text why = {0};
        words_append_doubt(&why, comparison);
        if (why.length == 0 && isfinite(comparison->could_have_seen)) {
            text_append(&why, "could have seen ");
            digits_append_seen(&why, comparison->could_have_seen);
        }
        text_append_format(text, "%s%s", why.length == 0 ? "" : ": ",
                           text_string(&why));
        display_drop(text, &why);
    }
}

void words_append_predicate(struct text *text,
                            const struct model_comparison *comparison, bool brief)
{
    bool varies = model_comparison_is_change(comparison) &&
                  comparison->statistic.statistic.kind == MODEL_STATISTIC_CV;
    text_append(text, varies ? " " : " is ");
    words_append_verdict(text, comparison, brief);
}

void words_append_headline(struct text *text, const struct model_comparison *comparison)
{
    bool varies = comparison->statistic.statistic.kind == MODEL_STATISTIC_CV;
    struct text why = {0};
    switch (comparison->verdict) {
    case MODEL_VERDICT_SLOWER:
    case MODEL_VERDICT_FASTER:
        text_append_format(text, "new %s%s", varies ? "" : "is ",
                           verdict_words(comparison));
        break;
    case MODEL_VERDICT_SAME:
        text_append(text, "no difference");
        if (isfinite(comparison->same_within)) {
            text_append(text, " above ");
            digits_append_level(text, comparison->same_within);
        }
        break;
    case MODEL_VERDICT_UNSURE:
        words_append_doubt(&why, comparison);
        text_append_format(text, "unsure%s%s%s", why.length == 0 ? "" : " (",
                           text_string(&why), why.length == 0 ? "" : ")");
        display_drop(text, &why);
        break;
    case MODEL_VERDICT_IDENTICAL:
        text_append(text, "identical, not measured");
        break;
    case MODEL_VERDICT_FAILED:
    case MODEL_VERDICTS:
        text_append(text, "change");
        break;
    }
}

enum display_paint words_verdict_paint(enum model_verdict verdict)
{
    return verdict == MODEL_VERDICT_SLOWER   ? DISPLAY_WORSE
           : verdict == MODEL_VERDICT_FAILED ? DISPLAY_WORSE
           : verdict == MODEL_VERDICT_FASTER ? DISPLAY_BETTER
                                             : DISPLAY_STRONG;
}

/* Half the interval's width, or what is known of it; a ratio, NaN when unknown. */
static double interval_spread(const struct model_comparison *comparison)
{
    const struct model_interval *interval = &comparison->interval;
    if (isfinite(interval->low) && isfinite(interval->high)) {
        return (interval->high - interval->low) / 2;
    }
    double end = isfinite(interval->low) ? interval->low : interval->high;
    return fabs(comparison->ratio - end);
}

static int change_decimals(const struct model_comparison *comparison)
{
    int decimals =
        digits_decimals(interval_spread(comparison) * 100, CHANGE_DECIMALS_UNKNOWN);
    return decimals > CHANGE_DECIMALS_MAX ? CHANGE_DECIMALS_MAX : decimals;
}

static int relative_decimals(const struct model_comparison *comparison)
{
    int decimals =
        digits_decimals(interval_spread(comparison), RELATIVE_DECIMALS_UNKNOWN);
    return decimals < 1                       ? 1
           : decimals > RELATIVE_DECIMALS_MAX ? RELATIVE_DECIMALS_MAX
                                              : decimals;
}

void words_append_change(struct text *text, const struct model_comparison *comparison,
                         bool unicode, bool factor)
{
    double ratio = comparison->ratio;
    if (!isfinite(ratio)) {
        return;
    }
    digits_append_estimate(text, ratio, change_decimals(comparison));
    text_append(text, " %");
    if (factor && (ratio >= factor_shown || ratio <= 1 / factor_shown)) {
        int most = digits_significant(ratio, FACTOR_DIGITS);
        int decimals = relative_decimals(comparison);
        if (ratio < ratio_min) {
            text_append_format(text, " (below %s%.5f)", unicode ? "×" : "x", ratio_min);
            return;
        }
        text_append_format(text, " (%s%s%.*f)", ratio > ratio_max ? "above " : "",
                           unicode ? "×" : "x", decimals < most ? decimals : most,
                           fmin(ratio, ratio_max));
    }
}

void words_append_relative(struct text *text, const struct model_comparison *comparison)
{
    if (comparison->ratio > ratio_max) {
        text_append_format(text, "above %.0f", ratio_max);
    } else if (comparison->ratio < ratio_min) {
        text_append_format(text, "below %.5f", ratio_min);
    } else {
        words_append_relative_number(text, comparison);
    }
}

void words_append_relative_number(struct text *text,
                                  const struct model_comparison *comparison)
{
    if (comparison->ratio < ratio_min) {
        text_append_format(text, "%.3g", comparison->ratio);
    } else if (isfinite(comparison->ratio)) {
        text_append_format(text, "%.*f", relative_decimals(comparison),
                           comparison->ratio);
    }
}

bool words_has_interval(const struct model_comparison *comparison)
{
    return isfinite(comparison->interval.low) || isfinite(comparison->interval.high);
}

bool words_is_to_0(const struct model_comparison *comparison)
{
    const struct model_statistic_result *asked = &comparison->statistic;
    return asked->statistic.kind != MODEL_STATISTIC_NONE &&
           fpclassify(asked->values[MODEL_OLD]) == FP_ZERO;
}

void words_append_interval(struct text *text, const struct model_comparison *comparison,
                           bool units)
{
    const struct model_interval *interval = &comparison->interval;
    int decimals = change_decimals(comparison);
    const char *unit = units ? " %" : "";
    bool open = !isfinite(interval->high) || digits_change_is_open(interval->high);
    if (interval->low < 1 / factor_shown && interval->high > factor_shown) {
        text_append(text, units ? "[below half, above double]" : "[<half, >double]");
    } else if (isfinite(interval->low) && !open) {
        text_append_char(text, '[');
        digits_append_change(text, interval->low, decimals);
        text_append_format(text, "%s, ", unit);
        digits_append_change(text, interval->high, decimals);
        text_append_format(text, "%s]", unit);
    } else if (isfinite(interval->low)) {
        text_append(text, digits_change_is_open(interval->low) ? "" : "at least ");
        digits_append_change(text, interval->low, decimals);
        text_append(text, " %");
    } else if (isfinite(interval->high)) {
        text_append(text, "at most ");
        digits_append_change(text, interval->high, decimals);
        text_append(text, " %");
    }
}

void words_append_mean(struct text *text, const struct model_summary *summary,
                       double unit_ns, bool unicode, enum words_mean form)
{
    if (!isfinite(summary->mean_ns)) {
        return;
    }
    const char *unit = digits_unit_name(unit_ns, unicode);
    int decimals = digits_time_decimals(summary->mean_ns, summary->sd_ns, unit_ns);
    bool spread = isfinite(summary->sd_ns);
    text_append_format(text, "%.*f", decimals, summary->mean_ns / unit_ns);
    if (!spread || form == WORDS_MEAN_LONG) {
        text_append_format(text, " %s", unit);
    }
    if (spread) {
        const char *space = form == WORDS_MEAN_TIGHT ? "" : " ";
        text_append_format(text, "%s%s%s%.*f %s", space, unicode ? "±" : "+-", space,
                           decimals, summary->sd_ns / unit_ns, unit);
    }
}

double words_unit_ns(const struct model_comparison *comparisons, size_t count,
                     double unit_ns)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t side = 0; side < MODEL_SIDES; side++) {
            double mean = comparisons[i].sides[side].mean_ns;
            largest = isfinite(mean) && mean > largest ? mean : largest;
        }
    }
    return digits_unit_ns(largest, unit_ns);
}

static const char *schedule_words(const struct model_comparison *comparison)
{
    static const char *const words[] = {
        [MODEL_SCHEDULE_DUET] = "the sides ran at the same time, released together",
        [MODEL_SCHEDULE_INTERLEAVED] =
            "the sides ran one at a time, in random order: the machine's noise is part of the interval",
        [MODEL_SCHEDULE_SEQUENTIAL] =
            "all of old ran before all of new: a drift of the machine looks like a change",
        [MODEL_SCHEDULE_TIMESLICE] = "the sides took turns on one CPU"};
    static const char *const assumed[] = {
        [MODEL_SCHEDULE_DUET] = "pairs are taken as measured at the same time",
        [MODEL_SCHEDULE_INTERLEAVED] =
            "the sides are taken as measured one at a time, in random order: the machine's noise is part of the interval",
        [MODEL_SCHEDULE_SEQUENTIAL] =
            "the sides are taken as measured one after the other: a drift of the machine looks like a change",
        [MODEL_SCHEDULE_TIMESLICE] =
            "the sides are taken as measured in turns on one CPU"};
    size_t at = (size_t)comparison->schedule;
    if (at >= MODEL_SCHEDULES) {
        return "unknown schedule";
    }
    return comparison->schedule_assumed ? assumed[at] : words[at];
}

const char *words_schedule(const struct model_comparison *comparison)
{
    static const char *const words[] = {
        [MODEL_SCHEDULE_DUET] = "both sides at the same time",
        [MODEL_SCHEDULE_INTERLEAVED] = "one side at a time",
        [MODEL_SCHEDULE_SEQUENTIAL] = "old before new",
        [MODEL_SCHEDULE_TIMESLICE] = "in turns on one CPU"};
    static const char *const assumed[] = {
        [MODEL_SCHEDULE_DUET] = "taken as measured at the same time",
        [MODEL_SCHEDULE_INTERLEAVED] = "taken as measured one at a time",
        [MODEL_SCHEDULE_SEQUENTIAL] = "taken as measured one after the other",
        [MODEL_SCHEDULE_TIMESLICE] = "taken as measured in turns on one CPU"};
    size_t at = (size_t)comparison->schedule;
    if (at >= MODEL_SCHEDULES) {
        return "";
    }
    return comparison->schedule_assumed ? assumed[at] : words[at];
}

void words_append_method(struct text *text, const struct model_comparison *comparison,
                         double coverage)
{
    digits_append_level(text, comparison->interval.confidence);
    text_append(text, " confidence interval by ");
    analysis_words_append_interval(text, comparison);
    if (isfinite(coverage)) {
        text_append_format(text, " (measured to cover %.1f %%)", coverage * 100);
    }
    text_append_format(text, "; %s.", schedule_words(comparison));
    if (strcmp(comparison->metric, "cpu_time") == 0) {
        text_append(text, " CPU time is compared, not elapsed time.");
    } else if (strcmp(comparison->metric, "time") != 0) {
        text_append_format(text, " Compared: %s.", comparison->metric);
    }
}

bool words_same_method(const struct model_comparison *a,
                       const struct model_comparison *b)
{
    return a->interval.method == b->interval.method &&
           !(a->interval.confidence < b->interval.confidence) &&
           !(a->interval.confidence > b->interval.confidence) &&
           a->interval.unit == b->interval.unit &&
           !(a->interval.block_length < b->interval.block_length) &&
           !(a->interval.block_length > b->interval.block_length) &&
           a->schedule == b->schedule && a->schedule_assumed == b->schedule_assumed &&
           strcmp(a->metric, b->metric) == 0;
}

double words_least_coverage(const struct model_comparison *comparisons, size_t count,
                            bool always)
{
    double least = (double)NAN;
    enum model_interval_method method = comparisons[0].interval.method;
    if (!always && (method == MODEL_INTERVAL_T || method == MODEL_INTERVAL_SIGNFLIP ||
                    method == MODEL_INTERVAL_ANYTIME)) {
        return least;
    }
    for (size_t i = 0; i < count; i++) {
        if (words_same_method(comparisons, &comparisons[i])) {
            least = fmin(least, comparisons[i].measured_coverage);
        }
    }
    return least;
}

void words_append_runs(struct text *text, const struct model_comparison *comparison)
{
    unsigned long long runs = comparison->runs;
    text_append_format(text, "%llu run%s", runs, runs == 1 ? "" : "s");
    const struct model_summary *sides = comparison->sides;
    if (sides[MODEL_OLD].count != sides[MODEL_NEW].count) {
        text_append_format(text, ", %llu iteration%s of old and %llu of new",
                           (unsigned long long)sides[MODEL_OLD].count,
                           sides[MODEL_OLD].count == 1 ? "" : "s",
                           (unsigned long long)sides[MODEL_NEW].count);
    } else if (comparison->iterations != comparison->runs) {
        text_append_format(text, ", %llu iteration%s a side",
                           (unsigned long long)comparison->iterations,
                           comparison->iterations == 1 ? "" : "s");
    }
}

const char *words_warning_name(enum model_warning_kind kind)
{
    switch (kind) {
    case MODEL_WARNING_MACHINE:
        return "machine";
    case MODEL_WARNING_DATA:
        return "data";
    case MODEL_WARNING_WORKLOAD:
        return "workload";
    default:
        return "note";
    }
}
