#include "analysis/runs/long_summary.h"

#include "analysis/runs/run_summary_losses.h"
#include "analysis/runs/spooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool analysis_takes_spools(const struct analysis_summary_needs *needs,
                           const struct model_cleaning *cleaning)
{
    return needs->paired && !needs->standard && needs->keep == ANALYSIS_KEEP_NONE &&
           !cleaning->drop_magnitude && cleaning->warmup != MODEL_WARMUP_STEADY;
}

/* ---- Passes over the pairs ---- */

typedef enum duet_code pass_take(void *context, size_t at,
                                 const struct model_observed *old_side,
                                 const struct model_observed *new_side,
                                 struct duet_error *reterr);

static enum duet_code pass(const struct model_run_values *values, pass_take *take,
                           void *context, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    size_t some = 0;
    for (size_t at = 0; at < values->counts[MODEL_OLD]; at += some) {
        const struct model_observed *blocks[MODEL_SIDES];
        some = values->counts[MODEL_OLD] - at;
        for (int side = 0; side < MODEL_SIDES; side++) {
            const void *items = NULL;
            size_t found = 0;
            code = spool_read(&values->spools[side], values->first[side] + at, &items,
                              &found, reterr);
            if (code != DUET_OK) {
                return code;
            }
            blocks[side] = items;
            some = found < some ? found : some;
        }
        for (size_t i = 0; i < some; i++) {
            code = take(context, at + i, &blocks[MODEL_OLD][i], &blocks[MODEL_NEW][i],
                        reterr);
            if (code != DUET_OK) {
                return code;
            }
        }
    }
    return code;
}

/* ---- A look at all of it ---- */

struct look {
    struct stats_sum sums[MODEL_SIDES];
    struct stats_ends ends[MODEL_SIDES];
    uint64_t waits[MODEL_SIDES];
    struct analysis_known known;
};

static enum duet_code look_at(void *context, size_t at,
                              const struct model_observed *old_side,
                              const struct model_observed *new_side,
                              struct duet_error *reterr)
{
    (void)at;
    (void)reterr;
    struct look *look = context;
    const struct model_observed *observed[MODEL_SIDES] = {old_side, new_side};
    for (int side = 0; side < MODEL_SIDES; side++) {
        stats_sum_add(&look->sums[side], observed[side]->value);
        stats_ends_add(&look->ends[side], observed[side]->value);
        look->waits[side] += observed[side]->idle.waits;
    }
    analysis_known_add(&look->known, &old_side->idle, &new_side->idle);
    return DUET_OK;
}

/* ---- Readings without what was lost ---- */

/* A pass for one of them, and what comes of it. */
struct reading {
    const struct model_run_values *values;
    enum analysis_reading which;
    bool taken;  /* what was taken is off, else all that was not executed */
    bool capped; /* at what others can have had */
    struct stats_sum sums[MODEL_SIDES];
    struct stats_ends ends[MODEL_SIDES];
    bool replaced[MODEL_SIDES]; /* by winsorization: */
    uint64_t replaced_at[MODEL_SIDES];
    double replacement[MODEL_SIDES];
    bool weighted;
    struct spool ratios;
    struct analysis_values *freed; /* NULL: not kept */
    struct stats_sum freed_sums[MODEL_SIDES];
};

static void off_of(const struct reading *reading, const struct model_observed *old_side,
                   const struct model_observed *new_side, double ret_off[MODEL_SIDES])
{
    ret_off[MODEL_OLD] = reading->taken ? 0.0 : old_side->idle.all;
    ret_off[MODEL_NEW] = reading->taken ? 0.0 : new_side->idle.all;
    if (reading->taken) {
        (void)model_pair_lost(&old_side->idle, &new_side->idle, ret_off);
    }
    if (reading->capped) {
        const double values[MODEL_SIDES] = {old_side->value, new_side->value};
        for (int side = 0; side < MODEL_SIDES; side++) {
            ret_off[side] = analysis_cap_by_others(reading->values->others_ns[side],
                                                   values[side], ret_off[side]);
        }
    }
}

static void times_without(const struct reading *reading,
                          const struct model_observed *old_side,
                          const struct model_observed *new_side,
                          double ret_off[MODEL_SIDES], double ret_times[MODEL_SIDES])
{
    off_of(reading, old_side, new_side, ret_off);
    const double values[MODEL_SIDES] = {old_side->value, new_side->value};
    for (int side = 0; side < MODEL_SIDES; side++) {
        double off = analysis_is_off(reading->which, side) ? ret_off[side] : 0.0;
        ret_times[side] = values[side] * exp(-off);
    }
}

static enum duet_code sum_without(void *context, size_t at,
                                  const struct model_observed *old_side,
                                  const struct model_observed *new_side,
                                  struct duet_error *reterr)
{
    (void)at;
    (void)reterr;
    struct reading *reading = context;
    double off[MODEL_SIDES];
    double times[MODEL_SIDES];
    times_without(reading, old_side, new_side, off, times);
    for (int side = 0; side < MODEL_SIDES; side++) {
        stats_sum_add(&reading->sums[side], times[side]);
        stats_ends_add(&reading->ends[side], times[side]);
    }
    return DUET_OK;
}

/* What the shuffled control pairs anew. */
static void keep_freed(struct reading *reading, size_t at,
                       const double logs[MODEL_SIDES])
{
    size_t stride = analysis_thin_stride(reading->values->counts[MODEL_OLD]);
    for (int side = 0; side < MODEL_SIDES; side++) {
        stats_sum_add(&reading->freed_sums[side], logs[side]);
        if (at % stride == 0) {
            reading->freed[side].values[at / stride] = logs[side];
        }
    }
}

static enum duet_code ratios_without(void *context, size_t at,
                                     const struct model_observed *old_side,
                                     const struct model_observed *new_side,
                                     struct duet_error *reterr)
{
    struct reading *reading = context;
    double off[MODEL_SIDES];
    double logs[MODEL_SIDES];
    times_without(reading, old_side, new_side, off, logs);
    for (int side = 0; side < MODEL_SIDES; side++) {
        bool replaced = reading->replaced[side] && reading->replaced_at[side] == at;
        logs[side] = log(replaced ? reading->replacement[side] : logs[side]);
    }
    if (reading->freed != NULL) {
        keep_freed(reading, at, logs);
    }
    struct analysis_weighted ratio = {.value = logs[MODEL_NEW] - logs[MODEL_OLD]};
    if (!reading->weighted) {
        return spool_add(&reading->ratios, &ratio.value, 1, reterr);
    }
    ratio.weight = stats_pair_weight(off[MODEL_OLD], off[MODEL_NEW]);
    return spool_add(&reading->ratios, &ratio, 1, reterr);
}

static enum duet_code describe(struct reading *reading,
                               const struct analysis_summary_needs *needs,
                               struct analysis_run_summary *summary,
                               struct duet_error *reterr)
{
    const struct model_run_values *values = reading->values;
    double count = (double)values->counts[MODEL_OLD];
    enum duet_code code = pass(values, sum_without, reading, reterr);
    for (int side = 0; side < MODEL_SIDES; side++) {
        summary->mean[reading->which][side] =
            stats_sum_value(&reading->sums[side]) / count;
        reading->replaced[side] =
            needs->winsorize != MODEL_WINSORIZE_OFF &&
            stats_ends_winsorized(
                &reading->ends[side], analysis_winsor_rule(needs->winsorize),
                &reading->replaced_at[side], &reading->replacement[side]);
    }
    reading->ratios =
        reading->weighted ? analysis_spool_of_weighted() : analysis_spool_of_values();
    if (code == DUET_OK) {
        code = pass(values, ratios_without, reading, reterr);
    }
    if (code == DUET_OK) {
        struct stats_run_facts *facts = &summary->facts[reading->which];
        code = reading->weighted
                   ? analysis_spooled_weighted_facts(&reading->ratios, facts, reterr)
                   : analysis_spooled_facts(&reading->ratios, needs->location, facts,
                                            reterr);
    }
    spool_release(&reading->ratios);
    return code;
}

static enum duet_code without_taken(struct analysis_run_summary *summary,
                                    const struct analysis_summary_needs *needs,
                                    const struct model_run_values *values,
                                    bool any_taken, struct duet_error *reterr)
{
    struct reading reading = {.values = values,
                              .which = ANALYSIS_WITHOUT_TAKEN,
                              .taken = true,
                              .weighted = any_taken &&
                                          needs->location == STATS_LOCATION_MEDIAN};
    enum duet_code code = DUET_OK;
    if (any_taken) {
        reading.freed = summary->freed;
        for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
            code =
                analysis_values_init(&summary->freed[side],
                                     analysis_thin_count(values->counts[side]), reterr);
        }
    }
    if (code == DUET_OK) {
        code = describe(&reading, needs, summary, reterr);
    }
    for (int side = 0; any_taken && side < MODEL_SIDES; side++) {
        summary->freed_mean[side] =
            stats_sum_value(&reading.freed_sums[side]) / (double)values->counts[side];
    }
    return code;
}

static enum duet_code summarize_losses(struct analysis_run_summary *summary,
                                       const struct analysis_summary_needs *needs,
                                       const struct model_run_values *values,
                                       const struct look *look,
                                       struct duet_error *reterr)
{
    size_t count = values->counts[MODEL_OLD];
    for (int side = 0; side < MODEL_SIDES; side++) {
        summary->waits[side] = (double)look->waits[side] / (double)count;
    }
    if (analysis_known_taken(&look->known, values)) {
        return without_taken(summary, needs, values, look->known.any_taken, reterr);
    }
    enum duet_code code = DUET_OK;
    for (int which = ANALYSIS_EXECUTED;
         !look->known.idle_unknown && code == DUET_OK && which < ANALYSIS_READINGS;
         which++) {
        struct reading reading = {.values = values,
                                  .which = (enum analysis_reading)which,
                                  .capped = which != ANALYSIS_EXECUTED};
        code = describe(&reading, needs, summary, reterr);
    }
    return code;
}

/* ---- As measured ---- */

struct as_measured {
    struct analysis_run_summary *summary;
    size_t stride; /* 0: no logarithms are kept */
    struct stats_sum sums[MODEL_SIDES];
    struct spool logs[MODEL_SIDES];
    struct spool ratios;
};

static enum duet_code take_logs(void *context, size_t at,
                                const struct model_observed *old_side,
                                const struct model_observed *new_side,
                                struct duet_error *reterr)
{
    struct as_measured *measured = context;
    const double values[MODEL_SIDES] = {old_side->value, new_side->value};
    double logs[MODEL_SIDES];
    for (int side = 0; side < MODEL_SIDES; side++) {
        logs[side] = log(values[side]);
        stats_moments_add(&measured->summary->times[side], values[side]);
        stats_sum_add(&measured->sums[side], logs[side]);
        if (measured->stride > 0 && at % measured->stride == 0) {
            measured->summary->logs[side].values[at / measured->stride] = logs[side];
        }
        enum duet_code code = spool_add(&measured->logs[side], &logs[side], 1, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    double ratio = logs[MODEL_NEW] - logs[MODEL_OLD];
    return spool_add(&measured->ratios, &ratio, 1, reterr);
}

static enum duet_code describe_side(struct as_measured *measured, int side,
                                    struct duet_error *reterr)
{
    struct analysis_run_summary *summary = measured->summary;
    struct spool *logs = &measured->logs[side];
    double tails[MODEL_TAILS];
    summary->log_mean[side] =
        stats_sum_value(&measured->sums[side]) / (double)spool_count(logs);
    enum duet_code code = analysis_spooled_lag1(logs, &summary->lag1[side], reterr);
    if (code == DUET_OK) {
        code = analysis_spooled_quantiles(logs, analysis_tail_levels, MODEL_TAILS,
                                          tails, reterr);
    }
    for (int level = 0; level < MODEL_TAILS && code == DUET_OK; level++) {
        summary->log_tail[level][side] = tails[level];
    }
    return code;
}

static enum duet_code summarize_measured(struct analysis_run_summary *summary,
                                         const struct analysis_summary_needs *needs,
                                         const struct model_run_values *values,
                                         struct duet_error *reterr)
{
    struct as_measured measured = {
        .summary = summary,
        .logs = {analysis_spool_of_values(), analysis_spool_of_values()},
        .ratios = analysis_spool_of_values()};
    size_t count = values->counts[MODEL_OLD];
    enum duet_code code = DUET_OK;
    if (needs->location != STATS_LOCATION_MEAN) {
        measured.stride = analysis_thin_stride(count);
        for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
            code = analysis_values_init(&summary->logs[side],
                                        analysis_thin_count(count), reterr);
        }
    }
    if (code == DUET_OK) {
        code = pass(values, take_logs, &measured, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = describe_side(&measured, side, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_spooled_lag1(&measured.ratios, &summary->lag1_ratio, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_spooled_facts(&measured.ratios, needs->location,
                                      &summary->facts[ANALYSIS_AS_MEASURED], reterr);
    }
    spool_release(&measured.logs[MODEL_OLD]);
    spool_release(&measured.logs[MODEL_NEW]);
    spool_release(&measured.ratios);
    return code;
}

/* In the spool itself: other statistics are of the values as analysed, too. */
static enum duet_code winsorize(const struct analysis_summary_needs *needs,
                                const struct look *look,
                                struct model_run_values *values,
                                struct analysis_run_summary *summary,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        uint64_t at = 0;
        double value = 0.0;
        const void *items = NULL;
        size_t count = 0;
        if (needs->winsorize == MODEL_WINSORIZE_OFF ||
            !stats_ends_winsorized(&look->ends[side],
                                   analysis_winsor_rule(needs->winsorize), &at,
                                   &value)) {
            continue;
        }
        at += values->first[side];
        code = spool_read(&values->spools[side], at, &items, &count, reterr);
        if (code == DUET_OK) {
            struct model_observed item = *(const struct model_observed *)items;
            item.value = value;
            code = spool_replace(&values->spools[side], at, &item, reterr);
            summary->winsorized += code == DUET_OK;
        }
    }
    return code;
}

enum duet_code analysis_long_summary_init(const struct analysis_summary_needs *needs,
                                          struct model_run_values *values,
                                          struct analysis_run_summary *ret_summary,
                                          struct duet_error *reterr)
{
    struct analysis_run_summary summary = analysis_run_summary_empty(values);
    struct look look = {.known = {.unknown = 0}};
    enum duet_code code = pass(values, look_at, &look, reterr);
    for (int side = 0; side < MODEL_SIDES; side++) {
        summary.location[side] = (double)NAN;
        summary.mean[ANALYSIS_AS_MEASURED][side] =
            stats_sum_value(&look.sums[side]) / (double)values->counts[side];
    }
    if (code == DUET_OK && needs->losses && values->spooled_idle) {
        code = summarize_losses(&summary, needs, values, &look, reterr);
    }
    if (code == DUET_OK) {
        code = winsorize(needs, &look, values, &summary, reterr);
    }
    if (code == DUET_OK) {
        code = summarize_measured(&summary, needs, values, reterr);
    }
    if (code != DUET_OK) {
        analysis_run_summary_release(&summary);
        return code;
    }
    *ret_summary = summary;
    return DUET_OK;
}
