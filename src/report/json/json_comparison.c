/* JSON: one entry of comparisons[]. */
#include "report/estimate_words.h"
#include "report/gate_words.h"
#include "report/report.h"
#include "report/words.h"
#include "json/json_fields.h"

#include <math.h>

static json_t *interval_object(const struct model_interval *interval)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "low", interval->low);
    json_fields_real(&fields, "high", interval->high);
    json_fields_real(&fields, "confidence", interval->confidence);
    json_fields_string(&fields, "method", model_interval_method_name(interval->method));
    json_fields_string(&fields, "unit", model_unit_name(interval->unit));
    json_fields_real(&fields, "block_length",
                     interval->block_length > 0 ? interval->block_length : (double)NAN);
    return json_fields_end(&fields);
}

static json_t *side_object(const struct model_comparison *comparison, size_t side)
{
    const struct model_summary *summary = &comparison->sides[side];
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "command",
                       model_comparison_command(comparison, (enum model_side)side));
    json_fields_string(&fields, "name", comparison->side_names[side]);
    json_fields_uint(&fields, "count", summary->count);
    json_fields_real(&fields, "operations", summary->operations);
    json_fields_real(&fields, "mean_ns", summary->mean_ns);
    json_fields_real(&fields, "sd_ns", summary->sd_ns);
    json_fields_real(&fields, "median_ns", summary->median_ns);
    json_fields_real(&fields, "min_ns", summary->min_ns);
    json_fields_real(&fields, "max_ns", summary->max_ns);
    json_fields_real(&fields, "user_ns", summary->user_ns);
    json_fields_real(&fields, "system_ns", summary->system_ns);
    return json_fields_end(&fields);
}

static json_t *sides_object(const struct model_comparison *comparison)
{
    struct json_fields fields = json_fields_begin();
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        json_fields_take(&fields, model_side_name((enum model_side)side),
                         side_object(comparison, side));
    }
    return json_fields_end(&fields);
}

static void add_warnings(struct json_fields *fields,
                         const struct model_comparison *comparison)
{
    json_t *list = json_fields_list(fields, "warnings");
    for (size_t i = 0; i < comparison->warning_count; i++) {
        const struct model_warning *warning = &comparison->warnings[i];
        struct json_fields one = json_fields_begin();
        json_fields_string(&one, "kind", words_warning_name(warning->kind));
        json_fields_take(&one, "text", json_fields_text(warning->text));
        json_fields_add(fields, list, json_fields_end(&one));
    }
}

static json_t *mean_interval_object(const struct model_test_result *result, size_t side)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "low_ns", result->low_ns[side]);
    json_fields_real(&fields, "high_ns", result->high_ns[side]);
    return json_fields_end(&fields);
}

static json_t *test_object(const struct model_test_result *result)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", model_test_name(result->test));
    json_fields_take(&fields, "change", json_boolean(result->change));
    json_fields_real(&fields, "confidence", result->confidence);
    if (result->test == MODEL_TEST_RANKSUM) {
        json_fields_real(&fields, "p_value", result->p_value);
        json_fields_take(&fields, "exact", json_boolean(result->exact));
        json_fields_real(&fields, "delta", result->delta);
        json_fields_real(&fields, "delta_low", result->delta_low);
        json_fields_real(&fields, "delta_high", result->delta_high);
        json_fields_string(&fields, "magnitude", result->magnitude);
    } else {
        for (size_t side = 0; side < MODEL_SIDES; side++) {
            json_fields_take(&fields, model_side_name((enum model_side)side),
                             mean_interval_object(result, side));
        }
    }
    return json_fields_end(&fields);
}

static json_t *statistic_object(const struct model_statistic_result *result)
{
    struct json_fields fields = json_fields_begin();
    char name[MODEL_STATISTIC_NAME_MAX];
    model_statistic_name(&result->statistic, name);
    json_fields_string(&fields, "name", name);
    json_fields_string(&fields, "unit",
                       result->statistic.kind == MODEL_STATISTIC_CV ? "ratio" : "ns");
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        struct json_fields value = json_fields_begin();
        json_fields_real(&value, "value", result->values[side]);
        json_fields_real(&value, "low", result->low[side]);
        json_fields_real(&value, "high", result->high[side]);
        json_fields_take(&fields, model_side_name((enum model_side)side),
                         json_fields_end(&value));
    }
    return json_fields_end(&fields);
}

static json_t *tails_object(const struct model_tail tails[MODEL_TAILS])
{
    static const char *const names[MODEL_TAILS] = {"p90", "p99"};
    struct json_fields fields = json_fields_begin();
    for (size_t level = 0; level < MODEL_TAILS; level++) {
        struct json_fields tail = json_fields_begin();
        json_fields_real(&tail, "ratio", tails[level].ratio);
        json_fields_real(&tail, "low", tails[level].low);
        json_fields_real(&tail, "high", tails[level].high);
        json_fields_take(&fields, names[level], json_fields_end(&tail));
    }
    return json_fields_end(&fields);
}

static json_t *mean_change_object(const struct model_mean_change *mean)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "ratio", mean->ratio);
    json_fields_real(&fields, "low", mean->low);
    json_fields_real(&fields, "high", mean->high);
    json_fields_real(&fields, "p_value", mean->p_value);
    json_fields_take(&fields, "disagrees", json_boolean(mean->disagrees));
    return json_fields_end(&fields);
}

/* What is compared, and what else the times say. */
static void add_meaning(struct json_fields *fields,
                        const struct model_comparison *comparison)
{
    struct text compares = {0};
    estimate_words_append_name(&compares, comparison);
    json_fields_take(fields, "compares",
                     text_failed(&compares) ? NULL
                                            : json_string(text_string(&compares)));
    text_release(&compares);
    json_fields_take(fields, "mean_change",
                     mean_change_object(&comparison->mean_change));
    json_fields_string(fields, "doubt",
                       comparison->doubt == MODEL_DOUBT_NONE
                           ? NULL
                           : model_doubt_name(comparison->doubt));
}

static json_t *advice_object(const struct model_advice *advice)
{
    if (advice->limit == MODEL_LIMIT_NONE) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "limit", model_limit_name(advice->limit));
    json_fields_real(&fields, "seconds_for_1pct", advice->seconds);
    json_fields_string(&fields, "options", advice->options);
    json_fields_string(&fields, "command", advice->command);
    return json_fields_end(&fields);
}

static json_t *conditions_object(const struct model_conditions *conditions)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "lag1_old", conditions->lag1_times[MODEL_OLD]);
    json_fields_real(&fields, "lag1_new", conditions->lag1_times[MODEL_NEW]);
    json_fields_real(&fields, "lag1_ratios", conditions->lag1_ratios);
    json_fields_real(&fields, "drift_pct", 100.0 * conditions->drift);
    json_fields_real(&fields, "ratio_drift_pct", 100.0 * conditions->ratio_drift);
    json_fields_real(&fields, "cpu_bias_pct", 100.0 * conditions->cpu_bias);
    json_fields_real(&fields, "involuntary_per_s", conditions->involuntary_per_s);
    json_fields_real(&fields, "taken_pct", 100.0 * conditions->taken_ratio);
    return json_fields_end(&fields);
}

static json_t *dropped_object(const struct model_comparison *comparison)
{
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "warmup", comparison->dropped_warmup);
    json_fields_uint(&fields, "outliers", comparison->dropped_outliers);
    return json_fields_end(&fields);
}

static json_t *family_object(const struct model_family *family)
{
    if (family->size < 2) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "size", family->size);
    json_fields_string(&fields, "multiplicity",
                       model_multiplicity_name(family->multiplicity));
    json_fields_real(&fields, "p_adjusted", family->p_adjusted);
    json_fields_take(&fields, "withheld", json_boolean(family->withheld));
    return json_fields_end(&fields);
}

/* The p value and what it is for. */
static void add_judging(struct json_fields *fields,
                        const struct model_comparison *comparison)
{
    bool known = comparison->p_value_method != MODEL_P_VALUE_NONE;
    json_fields_real(fields, "change_p_value",
                     known ? comparison->p_value : (double)NAN);
    json_fields_string(fields, "change_p_value_method",
                       known ? model_p_value_method_name(comparison->p_value_method)
                             : NULL);
    json_fields_take(fields, "family", family_object(&comparison->family));
}

static json_t *acceptance_object(const struct model_comparison *comparison)
{
    const struct model_acceptance *acceptance = &comparison->acceptance;
    if (!(acceptance->limit > 0)) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "limit_pct", 100 * acceptance->limit);
    json_fields_string(&fields, "until", acceptance->until);
    json_fields_take(&fields, "reason", json_fields_text(acceptance->reason));
    json_fields_take(&fields, "expired", json_boolean(comparison->gate.expired));
    return json_fields_end(&fields);
}

/* What other experiments and a suite's file say to it. */
static void add_gate_companions(struct json_fields *fields,
                                const struct model_comparison *comparison)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    bool second = gate->confirmation != MODEL_CONFIRMATION_NONE;
    bool controlled = isfinite(gate->control_ratio);
    json_fields_take(fields, "confirmed",
                     second ? json_boolean(gate->confirmation == MODEL_CONFIRMED)
                            : json_null());
    json_fields_real(fields, "false_failure_at_most",
                     second ? gate->both_wrong : (double)NAN);
    json_fields_take(fields, "control_alarmed",
                     controlled ? json_boolean(gate->control_alarmed) : json_null());
    json_fields_take(fields, "accept", acceptance_object(comparison));
}

/* What was asked and what came of it; null: nothing was asked. */
static json_t *gate_object(const struct model_comparison *comparison)
{
    static const char *const to_limits[] = {[MODEL_GATE_NO_LIMIT] = NULL,
                                            [MODEL_GATE_BELOW] = "below",
                                            [MODEL_GATE_AROUND] = "around",
                                            [MODEL_GATE_ABOVE] = "above"};
    const struct model_gate_outcome *gate = &comparison->gate;
    if (gate->state == MODEL_GATE_NONE) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    struct text reason = {0};
    gate_words_append(&reason, comparison, true);
    json_fields_string(&fields, "state", model_gate_state_name(gate->state));
    json_fields_take(&fields, "by_verdict", json_boolean(gate->by_verdict));
    json_fields_take(&fields, "by_limit", json_boolean(gate->by_limit));
    json_fields_string(&fields, "interval_to_limit", to_limits[gate->to_limit]);
    add_gate_companions(&fields, comparison);
    json_fields_take(&fields, "reason",
                     text_failed(&reason) ? NULL
                                          : json_fields_text(text_string(&reason)));
    text_release(&reason);
    return json_fields_end(&fields);
}

static void add_name(struct json_fields *fields,
                     const struct model_comparison *comparison)
{
    json_fields_take(fields, "name", json_fields_text(comparison->name));
    json_fields_take(fields, "region",
                     comparison->region[0] == '\0'
                         ? json_null()
                         : json_fields_text(comparison->region));
}

/* Names, the verdict and the reason; the numbers that readers look for are null. */
static json_t *failed_object(const struct model_comparison *comparison)
{
    static const char *const unknown[] = {"ratio", "interval", "change_pct"};
    struct json_fields fields = json_fields_begin();
    add_name(&fields, comparison);
    json_fields_string(&fields, "metric", comparison->metric);
    json_fields_string(&fields, "schedule", model_schedule_name(comparison->schedule));
    json_fields_string(&fields, "mode", model_mode_name(comparison->mode));
    json_fields_take(&fields, "sides", sides_object(comparison));
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        json_fields_take(&fields, unknown[i], json_null());
    }
    json_fields_string(&fields, "verdict", model_verdict_name(comparison->verdict));
    json_fields_string(&fields, "role", model_role_name(comparison->role));
    json_fields_take(&fields, "gate", gate_object(comparison));
    bool failed = comparison->verdict == MODEL_VERDICT_FAILED;
    json_fields_take(&fields, "failure",
                     failed ? json_fields_text(comparison->failure) : json_null());
    json_fields_take(&fields, "reason",
                     failed ? json_null() : json_fields_text(comparison->failure));
    json_fields_uint(&fields, "runs", comparison->runs);
    json_fields_take(&fields, "warnings", json_array());
    return json_fields_end(&fields);
}

json_t *report_json_comparison(const struct model_comparison *comparison)
{
    if (!model_comparison_is_measured(comparison)) {
        return failed_object(comparison);
    }
    struct json_fields fields = json_fields_begin();
    add_name(&fields, comparison);
    json_fields_string(&fields, "metric", comparison->metric);
    json_fields_string(&fields, "schedule", model_schedule_name(comparison->schedule));
    json_fields_string(&fields, "mode", model_mode_name(comparison->mode));
    json_fields_take(&fields, "sides", sides_object(comparison));
    json_fields_real(&fields, "ratio", comparison->ratio);
    json_fields_take(&fields, "interval", interval_object(&comparison->interval));
    json_fields_real(&fields, "change_pct", (comparison->ratio - 1) * 100);
    json_fields_string(&fields, "verdict", model_verdict_name(comparison->verdict));
    json_fields_string(&fields, "role", model_role_name(comparison->role));
    add_meaning(&fields, comparison);
    json_fields_real(&fields, "same_within_pct", comparison->same_within * 100);
    json_fields_real(&fields, "could_have_seen_pct", comparison->could_have_seen * 100);
    json_fields_uint(&fields, "runs", comparison->runs);
    json_fields_uint(&fields, "iterations", comparison->iterations);
    json_fields_uint(&fields, "winsorized", comparison->winsorized);
    json_fields_string(&fields, "estimator",
                       model_estimator_name(comparison->estimator));
    json_fields_string(&fields, "losses", model_losses_name(comparison->losses));
    json_fields_real(&fields, "ratio_as_measured", comparison->ratio_as_measured);
    json_fields_real(&fields, "paired_width", comparison->paired_width);
    json_fields_real(&fields, "shuffled_width", comparison->shuffled_width);
    json_fields_real(&fields, "stratified_width", comparison->stratified_width);
    json_fields_real(&fields, "measured_coverage", comparison->measured_coverage);
    json_fields_real(&fields, "tail_ratio", comparison->tails[MODEL_TAIL_P90].ratio);
    json_fields_take(&fields, "tails", tails_object(comparison->tails));
    json_fields_take(&fields, "conditions", conditions_object(&comparison->conditions));
    json_fields_take(&fields, "dropped", dropped_object(comparison));
    add_judging(&fields, comparison);
    json_fields_take(&fields, "gate", gate_object(comparison));
    if (comparison->statistic.statistic.kind != MODEL_STATISTIC_NONE) {
        json_fields_take(&fields, "statistic",
                         statistic_object(&comparison->statistic));
    }
    if (comparison->test.test != MODEL_TEST_NONE) {
        json_fields_take(&fields, "test", test_object(&comparison->test));
    }
    json_fields_take(&fields, "advice", advice_object(&comparison->advice));
    json_fields_take(&fields, "analysis", report_json_analysis(&comparison->analysis));
    json_fields_take(&fields, "stored_analysis",
                     comparison->overridden ? report_json_analysis(&comparison->stored)
                                            : json_null());
    add_warnings(&fields, comparison);
    return json_fields_end(&fields);
}

json_t *report_json_geomean(const struct model_geomean *geomean)
{
    bool known = geomean->rule != MODEL_GEOMEAN_NO_INTERVAL;
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "benchmarks", geomean->count);
    json_fields_real(&fields, "ratio", geomean->ratio);
    json_fields_real(&fields, "change_pct", (geomean->ratio - 1) * 100);
    json_fields_real(&fields, "low", geomean->low);
    json_fields_real(&fields, "high", geomean->high);
    json_fields_real(&fields, "confidence", geomean->confidence);
    json_fields_string(&fields, "rule", model_geomean_rule_name(geomean->rule));
    json_fields_string(&fields, "verdict",
                       known ? model_verdict_name(geomean->verdict) : NULL);
    return json_fields_end(&fields);
}
