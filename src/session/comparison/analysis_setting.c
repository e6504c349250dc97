#include "session/comparison/analysis_setting.h"

#include "analysis/options.h"
#include "base/field.h"
#include "base/parse.h"
#include "session/warmup_rule.h"

#include <math.h>
#include <string.h>

#define AT struct model_analysis
static const struct field fields[] = {
    FIELD_NAMED("--estimator", AT, estimator, model_estimator_name, MODEL_ESTIMATORS),
    FIELD_NAMED("--winsorize", AT, winsorize, model_winsorize_name, MODEL_WINSORIZES),
    FIELD_NAMED("--losses", AT, losses, model_lost_treatment_name,
                MODEL_LOST_TREATMENTS),
    FIELD_NAMED("--resample", AT, resample, model_resample_name, MODEL_RESAMPLES),
    FIELD_NAMED("--test", AT, test, model_test_name, MODEL_TESTS),
    FIELD_NAMED("--block-scheme", AT, block_scheme, model_scheme_name, MODEL_SCHEMES),
    FIELD_NAMED("--multiplicity", AT, multiplicity, model_multiplicity_name,
                MODEL_MULTIPLICITIES),
    FIELD_NAMED("--interval", AT, interval, model_interval_method_name,
                MODEL_INTERVAL_METHODS),
    FIELD_WHOLE("--replicates", AT, replicates, 100, 100000000),
    FIELD_WHOLE("--sample-runs", AT, sample_runs, 1, INT64_MAX),
    FIELD_WHOLE("--seed", AT, seed, 0, INT64_MAX),
    FIELD_END};
#undef AT

/* A change, or "none": NaN. */
static enum duet_code take_change(const char *value, const char *option,
                                  double *ret_change, struct duet_error *reterr)
{
    if (strcmp(value, "none") == 0) {
        *ret_change = (double)NAN;
        return DUET_OK;
    }
    return parse_change(value, option, ret_change, reterr);
}

static enum duet_code take_confidence(struct model_analysis *options, const char *value,
                                      struct duet_error *reterr)
{
    double level = 0;
    enum duet_code code = parse_fraction(value, "--confidence", &level, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (level < 0.5 || level >= 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "--confidence %s: from 0.5 to below 1, such as 0.99 or 99%%",
                         value);
    }
    options->confidence = level;
    return DUET_OK;
}

static enum duet_code take_statistic(struct model_analysis *options, const char *value,
                                     struct duet_error *reterr)
{
    for (int kind = MODEL_STATISTIC_MEAN; kind < MODEL_STATISTICS; kind++) {
        struct model_statistic statistic = {(enum model_statistic_kind)kind, 0.0};
        char name[MODEL_STATISTIC_NAME_MAX];
        model_statistic_name(&statistic, name);
        if (kind != MODEL_STATISTIC_QUANTILE && strcmp(value, name) == 0) {
            options->statistic = statistic;
            return DUET_OK;
        }
    }
    if (strcmp(value, "none") == 0) {
        options->statistic = (struct model_statistic){MODEL_STATISTIC_NONE, 0.0};
        return DUET_OK;
    }
    double percent = 0.0;
    if (value[0] != 'p' || parse_number(value + 1, "", &percent, NULL) != DUET_OK ||
        !(percent > 0.0 && percent < 100.0)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--statistic %s: expected mean, geomean, median, trimmed, cv, or a "
            "quantile between p0 and p100, such as p90 or p99.9",
            value);
    }
    options->statistic =
        (struct model_statistic){MODEL_STATISTIC_QUANTILE, percent / 100.0};
    return DUET_OK;
}

static enum duet_code take_drop_outliers(struct model_analysis *options,
                                         const char *value, struct duet_error *reterr)
{
    bool magnitude = strcmp(value, "10x") == 0;
    if (!magnitude && strcmp(value, "none") != 0) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--drop-outliers %s: expected 10x (ten times the median or more) or none",
            value);
    }
    options->cleaning.drop_magnitude = magnitude;
    return DUET_OK;
}

static enum duet_code take_block_length(struct model_analysis *options,
                                        const char *value, struct duet_error *reterr)
{
    uint64_t length = 0;
    enum duet_code code =
        parse_whole(value, "--block-length", 1, UINT32_MAX, &length, reterr);
    options->block_length = code == DUET_OK ? (double)length : options->block_length;
    return code;
}

static enum duet_code take_same_within(struct model_analysis *options,
                                       const char *value, struct duet_error *reterr)
{
    options->same_within_asked = true;
    return take_change(value, "--same-within", &options->same_within, reterr);
}

static enum duet_code take_drop_warmup(struct model_analysis *options,
                                       const char *value, struct duet_error *reterr)
{
    return warmup_rule_take(value, &options->cleaning, reterr);
}

static enum duet_code take_max_slowdown(struct model_analysis *options,
                                        const char *value, struct duet_error *reterr)
{
    return take_change(value, "--max-slowdown", &options->gate.max_slowdown, reterr);
}

static enum duet_code take_fail_on(struct model_analysis *options, const char *value,
                                   struct duet_error *reterr)
{
    /* By bit of MODEL_FAIL_ON_... */
    static const char *const known[] = {"slower", "faster", "unsure", NULL};
    unsigned chosen = 0;
    if (strcmp(value, "none") != 0 &&
        parse_word_set(value, "--fail-on", known, &chosen, NULL) != DUET_OK) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--fail-on %s: the verdicts are slower, faster, unsure (or none)", value);
    }
    options->gate.fail_on = chosen;
    return DUET_OK;
}

static const struct {
    const char *name;
    enum duet_code (*take)(struct model_analysis *options, const char *value,
                           struct duet_error *reterr);
} settings[] = {
    {"confidence", take_confidence},       {"same-within", take_same_within},
    {"statistic", take_statistic},         {"block-length", take_block_length},
    {"drop-warmup", take_drop_warmup},     {"fail-on", take_fail_on},
    {"drop-outliers", take_drop_outliers}, {"max-slowdown", take_max_slowdown}};

struct model_analysis analysis_setting_default(void)
{
    struct model_analysis analysis = model_analysis_default();
    analysis.same_within = 0.01;
    return analysis;
}

bool analysis_setting_take(struct model_analysis *options, const char *name,
                           const char *value, enum duet_code *ret_code,
                           struct duet_error *reterr)
{
    if (field_take(fields, options, name, value, ret_code, reterr)) {
        options->estimator_asked |= strcmp(name, "estimator") == 0;
        options->interval_asked |= strcmp(name, "interval") == 0;
        options->winsorize_asked |= strcmp(name, "winsorize") == 0;
        return true;
    }
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].name, name) == 0) {
            *ret_code = settings[i].take(options, value, reterr);
            return true;
        }
    }
    return false;
}

static enum duet_code refuse_blocks(const char *name, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_USAGE,
                     "--%s goes with --interval block: give it, too, or leave --%s out",
                     name, name);
}

enum duet_code analysis_setting_check(const struct model_analysis *options,
                                      struct duet_error *reterr)
{
    const struct model_analysis fresh = model_analysis_default();
    if (options->interval == MODEL_INTERVAL_BLOCK) {
        return DUET_OK;
    }
    if (options->block_scheme != fresh.block_scheme) {
        return refuse_blocks("block-scheme", reterr);
    }
    return options->block_length > 0.0 ? refuse_blocks("block-length", reterr)
                                       : DUET_OK;
}

/* ---- Over a stored analysis ---- */

enum duet_code analysis_overrides_add(struct analysis_overrides *overrides,
                                      const char *name, const char *value,
                                      struct duet_error *reterr)
{
    if (overrides->count == ANALYSIS_OVERRIDES_MAX) {
        return error_set(reterr, DUET_E_USAGE,
                         "more than %d options of the analysis: give each of them once",
                         (int)ANALYSIS_OVERRIDES_MAX);
    }
    overrides->items[overrides->count].name = name;
    overrides->items[overrides->count++].value = value;
    return DUET_OK;
}

bool analysis_overrides_have(const struct analysis_overrides *overrides,
                             const char *name)
{
    for (size_t i = 0; overrides != NULL && i < overrides->count; i++) {
        if (strcmp(overrides->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Of pairs alone. */
static bool is_of_ratios(enum model_interval_method interval)
{
    return interval == MODEL_INTERVAL_T || interval == MODEL_INTERVAL_SIGNFLIP ||
           interval == MODEL_INTERVAL_ANYTIME || interval == MODEL_INTERVAL_DIFFERENCE;
}

/* What nobody asked for now follows from the statistic and the interval that somebody
 * did, and what was stored gives way where it has no place beside them. */
static void follow(const struct analysis_overrides *overrides, bool paired,
                   struct model_analysis *analysis)
{
    const struct model_analysis fresh = model_analysis_default();
    bool grouped = analysis->statistic.kind != MODEL_STATISTIC_NONE;
    if (grouped && !analysis_overrides_have(overrides, "estimator")) {
        analysis->estimator_asked = false;
    }
    if (grouped && is_of_ratios(analysis->interval) &&
        !analysis_overrides_have(overrides, "interval")) {
        analysis->interval_asked = false;
    }
    bool draws_pairs = !grouped && !is_of_ratios(analysis->interval) &&
                       analysis->interval != MODEL_INTERVAL_BLOCK;
    if (!draws_pairs && !analysis_overrides_have(overrides, "resample")) {
        analysis->resample = fresh.resample;
    }
    if (!analysis->interval_asked) {
        analysis->interval = fresh.interval;
    }
    if (!analysis->estimator_asked) {
        analysis->estimator = fresh.estimator;
    }
    analysis_options_settle_estimator(analysis, paired);
    if (analysis->until != MODEL_UNTIL_FIXED) {
        analysis_options_adapt(analysis);
    }
}

enum duet_code analysis_overrides_apply(const struct analysis_overrides *overrides,
                                        bool paired, struct model_analysis *analysis,
                                        struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    struct model_analysis changed = *analysis;
    for (size_t i = 0; overrides != NULL && i < overrides->count && code == DUET_OK;
         i++) {
        (void)analysis_setting_take(&changed, overrides->items[i].name,
                                    overrides->items[i].value, &code, reterr);
    }
    if (analysis_overrides_have(overrides, "statistic") ||
        analysis_overrides_have(overrides, "interval")) {
        follow(overrides, paired, &changed);
    }
    static const char *const blocks[] = {"block-scheme", "block-length"};
    bool in_blocks = changed.interval == MODEL_INTERVAL_BLOCK;
    for (size_t i = 0; i < 2 && code == DUET_OK && !in_blocks; i++) {
        if (analysis_overrides_have(overrides, blocks[i])) {
            code = refuse_blocks(blocks[i], reterr);
        }
    }
    if (code == DUET_OK) {
        *analysis = changed;
    }
    return code;
}
