#include "cli/shared_option.h"

#include "analysis/options.h"
#include "base/parse.h"

#include <string.h>

static enum duet_code take_fail_on(struct model_analysis *gate, const char *value,
                                   struct duet_error *reterr)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"slower", MODEL_FAIL_ON_SLOWER},
                 {"faster", MODEL_FAIL_ON_FASTER},
                 {"unsure", MODEL_FAIL_ON_UNSURE}};
    unsigned chosen = 0;
    if (strcmp(value, "none") == 0) {
        gate->fail_on = 0;
        return DUET_OK;
    }
    for (const char *word = value; *word != '\0';) {
        size_t length = strcspn(word, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (strlen(known[i].name) == length &&
                strncmp(known[i].name, word, length) == 0) {
                bit = known[i].bit;
            }
        }
        if (bit == 0) {
            return error_set(reterr, DUET_E_USAGE,
                             "--fail-on %s: the verdicts are slower, faster, unsure "
                             "(or none)",
                             value);
        }
        chosen |= bit;
        word += length + (word[length] == ',');
    }
    gate->fail_on = chosen;
    return DUET_OK;
}

static enum duet_code take_multiplicity(enum model_multiplicity *multiplicity,
                                        const char *value, struct duet_error *reterr)
{
    for (int rule = 0; rule < MODEL_MULTIPLICITIES; rule++) {
        if (strcmp(value, model_multiplicity_name((enum model_multiplicity)rule)) ==
            0) {
            *multiplicity = (enum model_multiplicity)rule;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--multiplicity %s: it is one of holm, bonferroni, bh, none",
                     value);
}

static enum duet_code take_own(const struct shared_options *options, int id,
                               const char *value, struct duet_error *reterr)
{
    switch (id) {
    case SHARED_OPTION_STORE:
        if (options->store != NULL) { /* a command that has a store */
            *options->store = value;
        }
        return DUET_OK;
    case SHARED_OPTION_SEED:
        if (options->seed_given != NULL) {
            *options->seed_given = true;
        }
        return parse_whole(value, "--seed", 0, INT64_MAX, options->seed, reterr);
    case SHARED_OPTION_FAIL_ON:
        return take_fail_on(options->analysis, value, reterr);
    case SHARED_OPTION_MAX_SLOWDOWN:
        return analysis_option_fraction(value, "--max-slowdown",
                                        &options->analysis->max_slowdown, reterr);
    default:
        return take_multiplicity(&options->analysis->multiplicity, value, reterr);
    }
}

static bool take(const struct shared_options *options, int id, const char *value,
                 enum duet_code *ret_code, struct duet_error *reterr)
{
    if (id >= SHARED_OPTION_STORE && id <= SHARED_OPTION_MULTIPLICITY) {
        *ret_code = take_own(options, id, value, reterr);
        return true;
    }
    return (options->output != NULL &&
            output_option_take(options->output, id, value, ret_code, reterr)) ||
           (options->analysis != NULL &&
            analysis_option_take(options->analysis, id, value, ret_code, reterr)) ||
           (options->foreign != NULL &&
            foreign_option_take(options->foreign, id, value, ret_code, reterr));
}

/* Whether it belongs to struct model_analysis. */
static bool is_of_analysis(int id)
{
    return (id >= ANALYSIS_OPTION_CONFIDENCE && id <= ANALYSIS_OPTION_TEST) ||
           id == SHARED_OPTION_SEED || id == SHARED_OPTION_FAIL_ON ||
           id == SHARED_OPTION_MAX_SLOWDOWN || id == SHARED_OPTION_MULTIPLICITY;
}

bool shared_option_take(const struct shared_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr)
{
    bool mine = take(options, id, value, ret_code, reterr);
    if (mine && *ret_code == DUET_OK && options->overrides != NULL) {
        *ret_code = analysis_overrides_add(options->overrides, id, value, reterr);
    }
    return mine;
}

enum duet_code analysis_overrides_add(struct analysis_overrides *overrides, int id,
                                      const char *value, struct duet_error *reterr)
{
    if (!is_of_analysis(id)) {
        return DUET_OK;
    }
    if (overrides->count == ANALYSIS_OVERRIDES_MAX) {
        return error_set(reterr, DUET_E_USAGE,
                         "more than %d options of the analysis: give each of them once",
                         (int)ANALYSIS_OVERRIDES_MAX);
    }
    overrides->items[overrides->count].id = id;
    overrides->items[overrides->count++].value = value;
    return DUET_OK;
}

bool analysis_overrides_have(const struct analysis_overrides *overrides, int id)
{
    for (size_t i = 0; overrides != NULL && i < overrides->count; i++) {
        if (overrides->items[i].id == id) {
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
    if (grouped && !analysis_overrides_have(overrides, ANALYSIS_OPTION_ESTIMATOR)) {
        analysis->estimator_asked = false;
    }
    if (grouped && is_of_ratios(analysis->interval) &&
        !analysis_overrides_have(overrides, ANALYSIS_OPTION_INTERVAL)) {
        analysis->interval_asked = false;
    }
    bool draws_pairs = !grouped && !is_of_ratios(analysis->interval) &&
                       analysis->interval != MODEL_INTERVAL_BLOCK;
    if (!draws_pairs && !analysis_overrides_have(overrides, ANALYSIS_OPTION_RESAMPLE)) {
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
    const struct shared_options shared = {.analysis = &changed, .seed = &changed.seed};
    for (size_t i = 0; overrides != NULL && i < overrides->count && code == DUET_OK;
         i++) {
        (void)take(&shared, overrides->items[i].id, overrides->items[i].value, &code,
                   reterr);
    }
    if (analysis_overrides_have(overrides, ANALYSIS_OPTION_STATISTIC) ||
        analysis_overrides_have(overrides, ANALYSIS_OPTION_INTERVAL)) {
        follow(overrides, paired, &changed);
    }
    if (code == DUET_OK) {
        *analysis = changed;
    }
    return code;
}
