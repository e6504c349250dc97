/* CSV: one comparison a row (RFC 4180). */
#include "report/display.h"
#include "report/estimate_words.h"
#include "report/failed_rows.h"
#include "report/gate_words.h"
#include "report/quote.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

static void end_row(struct text *text)
{
    /* The separator after the last field gives way to the line's end. */
    if (!text_failed(text) && text->length > 0) {
        text->length--;
    }
    text_append(text, "\r\n");
}

static void append_string(struct text *text, const char *string)
{
    quote_append_csv(text, string);
    text_append_char(text, ',');
}

static void append_real(struct text *text, double value)
{
    if (isfinite(value)) {
        text_append_format(text, "%.17g", value);
    }
    text_append_char(text, ',');
}

static void append_whole(struct text *text, uint64_t value)
{
    text_append_format(text, "%" PRIu64 ",", value);
}

/* Columns, counted in the header below; a test counts the fields of each row. */
enum {
    SIDE_NUMBERS = 8,
    NUMBERS_BEFORE_VERDICT = 6,
    NUMBERS_AFTER_VERDICT = 26,
    STATISTICS = 7,
    TEST_RESULTS = 11
};

/* Columns that are there only when any comparison was asked for it. */
struct columns {
    bool test;
    bool statistic;
    bool failure;
    bool gate; /* any is not only passed or failed by itself */
};

static struct columns columns_of(const struct model_comparison *comparisons,
                                 size_t count)
{
    struct columns columns = {.failure = failed_rows_any(comparisons, count)};
    for (size_t i = 0; i < count; i++) {
        columns.gate = columns.gate || gate_words_notable(&comparisons[i]) ||
                       comparisons[i].role != MODEL_ROLE_COMPARISON;
        columns.test = columns.test || comparisons[i].test.test != MODEL_TEST_NONE;
        columns.statistic =
            columns.statistic ||
            comparisons[i].statistic.statistic.kind != MODEL_STATISTIC_NONE;
    }
    return columns;
}

static void append_statistic(struct text *text,
                             const struct model_statistic_result *result)
{
    bool asked = result->statistic.kind != MODEL_STATISTIC_NONE;
    char name[MODEL_STATISTIC_NAME_MAX];
    model_statistic_name(&result->statistic, name);
    append_string(text, name);
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        append_real(text, asked ? result->values[side] : (double)NAN);
        append_real(text, asked ? result->low[side] : (double)NAN);
        append_real(text, asked ? result->high[side] : (double)NAN);
    }
}

static void append_judging(struct text *text, const struct model_comparison *comparison)
{
    const struct model_family *family = &comparison->family;
    bool known = comparison->p_value_method != MODEL_P_VALUE_NONE;
    bool several = family->size > 1;
    append_string(text, model_unit_name(comparison->interval.unit));
    append_real(text, comparison->interval.block_length > 0
                          ? comparison->interval.block_length
                          : (double)NAN);
    append_whole(text, comparison->dropped_warmup);
    append_whole(text, comparison->dropped_outliers);
    append_real(text, known ? comparison->p_value : (double)NAN);
    append_string(text,
                  known ? model_p_value_method_name(comparison->p_value_method) : "");
    append_real(text, several ? family->p_adjusted : (double)NAN);
    append_string(text, several ? model_multiplicity_name(family->multiplicity) : "");
    append_whole(text, several ? family->size : 1);
}

static void append_meaning(struct text *text, const struct model_comparison *comparison)
{
    const struct model_mean_change *mean = &comparison->mean_change;
    estimate_words_append_name(text, comparison);
    text_append_char(text, ',');
    append_real(text, mean->ratio);
    append_real(text, mean->low);
    append_real(text, mean->high);
    append_real(text, mean->p_value);
    append_string(text, comparison->doubt == MODEL_DOUBT_NONE
                            ? ""
                            : model_doubt_name(comparison->doubt));
}

static void append_test(struct text *text, const struct model_test_result *result)
{
    bool asked = result->test != MODEL_TEST_NONE;
    append_string(text, asked ? model_test_name(result->test) : "");
    append_string(text, !asked ? "" : result->change ? "true" : "false");
    const double numbers[] = {result->p_value,           result->delta,
                              result->delta_low,         result->delta_high,
                              result->low_ns[MODEL_OLD], result->high_ns[MODEL_OLD],
                              result->low_ns[MODEL_NEW], result->high_ns[MODEL_NEW]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        append_real(text, asked ? numbers[i] : (double)NAN);
    }
    append_string(text, result->magnitude);
}

static void append_header(struct text *text, const struct columns *columns)
{
    text_append(text, "name,metric,schedule,mode,");
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        const char *name = model_side_name((enum model_side)side);
        static const char *const parts[] = {"command",   "count",   "mean_ns",
                                            "sd_ns",     "min_ns",  "max_ns",
                                            "median_ns", "user_ns", "system_ns"};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            text_append_format(text, "%s_%s,", name, parts[i]);
        }
    }
    text_append(
        text,
        "ratio,low,high,confidence,method,change_pct,verdict,same_within_pct,could_have_seen_pct,runs,iterations,winsorized,estimator,paired_width,shuffled_width,stratified_width,measured_coverage,tail_ratio,unit,block_length,dropped_warmup,dropped_outliers,change_p_value,change_p_value_method,p_adjusted,multiplicity,family_size,compares,mean_ratio,mean_low,mean_high,mean_p_value,doubt,old_name,new_name,");
    if (columns->statistic) {
        text_append(
            text,
            "statistic,old_statistic,old_statistic_low,old_statistic_high,new_statistic,new_statistic_low,new_statistic_high,");
    }
    if (columns->test) {
        text_append(
            text,
            "test,test_change,p_value,delta,delta_low,delta_high,old_mean_low_ns,old_mean_high_ns,new_mean_low_ns,new_mean_high_ns,magnitude,");
    }
    if (columns->failure) {
        text_append(text, "failure,");
    }
    if (columns->gate) {
        text_append(text, "role,gate,gate_reason,");
    }
    end_row(text);
}

static void append_side(struct text *text, const struct model_comparison *comparison,
                        size_t side)
{
    const struct model_summary *summary = &comparison->sides[side];
    append_string(text, model_comparison_command(comparison, (enum model_side)side));
    append_whole(text, summary->count);
    append_real(text, summary->mean_ns);
    append_real(text, summary->sd_ns);
    append_real(text, summary->min_ns);
    append_real(text, summary->max_ns);
    append_real(text, summary->median_ns);
    append_real(text, summary->user_ns);
    append_real(text, summary->system_ns);
}

static void append_names(struct text *text, const struct model_comparison *comparison)
{
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        append_string(text, comparison->side_names[side]);
    }
}

static void append_gate(struct text *text, const struct model_comparison *comparison,
                        const struct columns *columns)
{
    struct text reason = {0};
    if (columns->gate) {
        gate_words_append(&reason, comparison, true);
        append_string(text, model_role_name(comparison->role));
        append_string(text, model_gate_state_name(comparison->gate.state));
        append_string(text, text_string(&reason));
        display_drop(text, &reason);
    }
}

static void append_row(struct text *text, const struct model_comparison *comparison,
                       const struct columns *columns)
{
    append_string(text, comparison->name);
    append_string(text, comparison->metric);
    append_string(text, model_schedule_name(comparison->schedule));
    append_string(text, model_mode_name(comparison->mode));
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        append_side(text, comparison, side);
    }
    append_real(text, comparison->ratio);
    append_real(text, comparison->interval.low);
    append_real(text, comparison->interval.high);
    append_real(text, comparison->interval.confidence);
    append_string(text, model_interval_method_name(comparison->interval.method));
    append_real(text, (comparison->ratio - 1) * 100);
    append_string(text, model_verdict_name(comparison->verdict));
    append_real(text, comparison->same_within * 100);
    append_real(text, comparison->could_have_seen * 100);
    append_whole(text, comparison->runs);
    append_whole(text, comparison->iterations);
    append_whole(text, comparison->winsorized);
    append_string(text, model_estimator_name(comparison->estimator));
    append_real(text, comparison->paired_width);
    append_real(text, comparison->shuffled_width);
    append_real(text, comparison->stratified_width);
    append_real(text, comparison->measured_coverage);
    append_real(text, comparison->tails[MODEL_TAIL_P90].ratio);
    append_judging(text, comparison);
    append_meaning(text, comparison);
    append_names(text, comparison);
    if (columns->statistic) {
        append_statistic(text, &comparison->statistic);
    }
    if (columns->test) {
        append_test(text, &comparison->test);
    }
    if (columns->failure) {
        append_string(text, comparison->failure);
    }
    append_gate(text, comparison, columns);
    end_row(text);
}

static void append_empty(struct text *text, int fields)
{
    for (int i = 0; i < fields; i++) {
        text_append_char(text, ',');
    }
}

/* Names, the verdict and the reason; every number is unknown. */
static void append_failed(struct text *text, const struct model_comparison *comparison,
                          const struct columns *columns)
{
    append_string(text, comparison->name);
    append_string(text, comparison->metric);
    append_string(text, model_schedule_name(comparison->schedule));
    append_string(text, model_mode_name(comparison->mode));
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        append_string(text,
                      model_comparison_command(comparison, (enum model_side)side));
        append_empty(text, SIDE_NUMBERS);
    }
    append_empty(text, NUMBERS_BEFORE_VERDICT);
    append_string(text, model_verdict_name(comparison->verdict));
    append_empty(text, NUMBERS_AFTER_VERDICT);
    append_names(text, comparison);
    append_empty(text, (columns->statistic ? STATISTICS : 0) +
                           (columns->test ? TEST_RESULTS : 0));
    if (columns->failure) {
        append_string(text, comparison->failure);
    }
    append_gate(text, comparison, columns);
    end_row(text);
}

void report_csv(struct text *text, const struct model_comparison *comparisons,
                size_t count)
{
    struct columns columns = columns_of(comparisons, count);
    append_header(text, &columns);
    for (size_t i = 0; i < count; i++) {
        if (!model_comparison_is_measured(&comparisons[i])) {
            append_failed(text, &comparisons[i], &columns);
        } else {
            append_row(text, &comparisons[i], &columns);
        }
    }
}
