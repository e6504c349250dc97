#include "analysis/runs/run_summary_losses.h"

#include <math.h>
#include <stddef.h>

/* One pair in so many may be unknown. */
enum { UNKNOWN_SHARE = 20 };

/* The arrays of one run: of each side what is subtracted from the logarithm of each
 * time, and the times without it; and room to work in. All of it lies where the run's
 * idle times have been, which are not needed any more: a long run takes much memory as
 * it is. */
struct parts {
    double *off[MODEL_SIDES];
    double *ratios;
    double *scratch;
    struct model_run_values without;
};

enum { IDLE_DOUBLES = sizeof(struct model_idle) / sizeof(double) };
_Static_assert(IDLE_DOUBLES >= 3, "a side's three arrays lie in its idle times");

static struct parts parts_of(const struct model_run_values *values)
{
    size_t count = values->counts[MODEL_OLD];
    double *memory[MODEL_SIDES] = {(double *)values->idle[MODEL_OLD],
                                   (double *)values->idle[MODEL_NEW]};
    return (struct parts){
        .off = {memory[MODEL_OLD], memory[MODEL_NEW]},
        .without = {.values = {memory[MODEL_OLD] + count, memory[MODEL_NEW] + count},
                    .counts = {count, count}},
        .ratios = memory[MODEL_OLD] + 2 * count,
        .scratch = memory[MODEL_NEW] + 2 * count};
}

/* What was taken of a pair; of one of which that is not known, nothing. */
static bool pair_taken(const struct model_run_values *values, size_t index,
                       double ret_lost[MODEL_SIDES])
{
    ret_lost[MODEL_OLD] = ret_lost[MODEL_NEW] = 0.0;
    return model_pair_lost(&values->idle[MODEL_OLD][index],
                           &values->idle[MODEL_NEW][index], ret_lost);
}

void analysis_known_add(struct analysis_known *known, const struct model_idle *old_idle,
                        const struct model_idle *new_idle)
{
    double lost[MODEL_SIDES] = {0.0, 0.0};
    known->pairs++;
    known->unknown += !model_pair_lost(old_idle, new_idle, lost);
    known->any_taken =
        known->any_taken || lost[MODEL_OLD] > 0.0 || lost[MODEL_NEW] > 0.0;
    known->idle_unknown =
        known->idle_unknown || isnan(old_idle->all) || isnan(new_idle->all);
}

bool analysis_known_taken(const struct analysis_known *known,
                          const struct model_run_values *values)
{
    return values->single[MODEL_OLD] && values->single[MODEL_NEW] &&
           UNKNOWN_SHARE * known->unknown <= known->pairs;
}

/* What was taken, or all that was not executed, from each time, in the place of the
 * idle times: what is written to never lies behind what is read next. */
static void find_off(const struct model_run_values *values, bool taken,
                     struct parts *parts)
{
    for (size_t i = 0; i < values->counts[MODEL_OLD]; i++) {
        double off[MODEL_SIDES] = {values->idle[MODEL_OLD][i].all,
                                   values->idle[MODEL_NEW][i].all};
        if (taken) {
            (void)pair_taken(values, i, off);
        }
        parts->off[MODEL_OLD][i] = off[MODEL_OLD];
        parts->off[MODEL_NEW][i] = off[MODEL_NEW];
    }
}

bool analysis_is_off(enum analysis_reading reading, int side)
{
    return reading == ANALYSIS_OLD_LEAST   ? side == MODEL_OLD
           : reading == ANALYSIS_NEW_LEAST ? side == MODEL_NEW
                                           : true;
}

/* An iteration cannot have lost more than others had in the whole run, which the kernel
 * tells in steps of 10 ms at both ends. */
double analysis_cap_by_others(double others_ns, double time_ns, double off)
{
    const double steps_ns = 20e6;
    double share = (fmax(0.0, others_ns) + steps_ns) / time_ns;
    return isnan(others_ns) || share >= 1.0 ? off : fmin(off, -log1p(-share));
}

/* `off` becomes the most that can have been lost. */
static void cap_by_others(const struct model_run_values *values, struct parts *parts)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (size_t i = 0; i < values->counts[side]; i++) {
            parts->off[side][i] = analysis_cap_by_others(
                values->others_ns[side], values->values[side][i], parts->off[side][i]);
        }
    }
}

/* The facts and means of the times without `off`. */
static enum duet_code describe_without(struct analysis_run_summary *summary,
                                       const struct analysis_summary_needs *needs,
                                       const struct model_run_values *values,
                                       enum analysis_reading reading, bool any_taken,
                                       struct parts *parts, struct duet_error *reterr)
{
    struct model_run_values *without = &parts->without;
    size_t count = values->counts[MODEL_OLD];
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct stats_sum sum = {0};
        for (size_t i = 0; i < count; i++) {
            double off = analysis_is_off(reading, side) ? parts->off[side][i] : 0.0;
            without->values[side][i] = values->values[side][i] * exp(-off);
            stats_sum_add(&sum, without->values[side][i]);
        }
        summary->mean[reading][side] = stats_sum_value(&sum) / (double)count;
    }
    (void)analysis_winsorize_run(without, needs->winsorize);
    for (size_t i = 0; i < count; i++) {
        parts->ratios[i] =
            log(without->values[MODEL_NEW][i]) - log(without->values[MODEL_OLD][i]);
    }
    struct stats_run_pairs pairs = {.log_ratios = parts->ratios, .count = count};
    if (any_taken) {
        pairs.lost[0] = parts->off[MODEL_OLD];
        pairs.lost[1] = parts->off[MODEL_NEW];
    }
    return stats_run_facts_find(&pairs, needs->location, parts->scratch,
                                &summary->facts[reading], reterr);
}

/* What the shuffled control pairs anew. */
static enum duet_code keep_freed(struct analysis_run_summary *summary,
                                 struct parts *parts, struct duet_error *reterr)
{
    size_t count = parts->without.counts[MODEL_OLD];
    for (int side = 0; side < MODEL_SIDES; side++) {
        double *logs = parts->off[side]; /* which are not needed any more */
        struct stats_sum sum = {0};
        for (size_t i = 0; i < count; i++) {
            logs[i] = log(parts->without.values[side][i]);
            stats_sum_add(&sum, logs[i]);
        }
        summary->freed_mean[side] = stats_sum_value(&sum) / (double)count;
        enum duet_code code =
            analysis_values_thin(logs, count, &summary->freed[side], reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}

static void count_waits(struct analysis_run_summary *summary,
                        const struct model_run_values *values)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        uint64_t waits = 0;
        for (size_t i = 0; i < values->counts[side]; i++) {
            waits += values->idle[side][i].waits;
        }
        summary->waits[side] = (double)waits / (double)values->counts[side];
    }
}

enum duet_code analysis_run_summary_losses(struct analysis_run_summary *summary,
                                           const struct analysis_summary_needs *needs,
                                           struct model_run_values *values,
                                           struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (values->idle[MODEL_OLD] == NULL || values->idle[MODEL_NEW] == NULL) {
        return DUET_OK;
    }
    struct parts parts = parts_of(values);
    struct analysis_known known = {.pairs = 0};
    for (size_t i = 0; i < values->counts[MODEL_OLD]; i++) {
        analysis_known_add(&known, &values->idle[MODEL_OLD][i],
                           &values->idle[MODEL_NEW][i]);
    }
    count_waits(summary, values);
    if (analysis_known_taken(&known, values)) {
        find_off(values, true, &parts);
        code = describe_without(summary, needs, values, ANALYSIS_WITHOUT_TAKEN,
                                known.any_taken, &parts, reterr);
        if (code == DUET_OK && known.any_taken) {
            code = keep_freed(summary, &parts, reterr);
        }
    } else if (!known.idle_unknown) {
        find_off(values, false, &parts);
        code = describe_without(summary, needs, values, ANALYSIS_EXECUTED, false,
                                &parts, reterr);
        cap_by_others(values, &parts);
        for (int reading = ANALYSIS_OLD_LEAST;
             code == DUET_OK && reading < ANALYSIS_READINGS; reading++) {
            code =
                describe_without(summary, needs, values, (enum analysis_reading)reading,
                                 false, &parts, reterr);
        }
    }
    return code;
}
