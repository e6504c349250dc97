#include "analysis/runs/run_summary_losses.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One pair in so many may be unknown. */
enum { UNKNOWN_SHARE = 20 };

/* The arrays of one run, in one piece: of each side what is subtracted from the
 * logarithm of each time, and the times without it; and room to work in. */
struct parts {
    double *memory;
    double *off[MODEL_SIDES];
    double *ratios;
    double *scratch;
    struct model_run_values without;
};

static enum duet_code parts_init(size_t count, struct parts *ret_parts,
                                 struct duet_error *reterr)
{
    enum { ARRAYS = 2 * MODEL_SIDES + 2 };
    double *memory = alloc_array(count, ARRAYS * sizeof *memory);
    if (memory == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu observations", count);
    }
    *ret_parts =
        (struct parts){.memory = memory,
                       .off = {memory, memory + count},
                       .without = {.values = {memory + 2 * count, memory + 3 * count},
                                   .counts = {count, count}},
                       .ratios = memory + 4 * count,
                       .scratch = memory + 5 * count};
    return DUET_OK;
}

/* What was taken of each pair; of one of which that is not known, nothing. Whether it
 * is known of enough of them. */
static bool find_taken(const struct model_run_values *values, struct parts *parts)
{
    size_t count = values->counts[MODEL_OLD];
    size_t unknown = 0;
    for (size_t i = 0; i < count; i++) {
        double lost[MODEL_SIDES] = {0.0, 0.0};
        unknown += !model_pair_lost(&values->idle[MODEL_OLD][i],
                                    &values->idle[MODEL_NEW][i], lost);
        parts->off[MODEL_OLD][i] = lost[MODEL_OLD];
        parts->off[MODEL_NEW][i] = lost[MODEL_NEW];
    }
    return values->single[MODEL_OLD] && values->single[MODEL_NEW] &&
           UNKNOWN_SHARE * unknown <= count;
}

/* All that was not executed. false: not measured. */
static bool find_idle(const struct model_run_values *values, struct parts *parts)
{
    bool known = true;
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (size_t i = 0; i < values->counts[side]; i++) {
            double all = values->idle[side][i].all;
            parts->off[side][i] = all;
            known = known && !isnan(all);
        }
    }
    return known;
}

static bool any_taken(const struct parts *parts)
{
    for (size_t i = 0; i < parts->without.counts[MODEL_OLD]; i++) {
        if (parts->off[MODEL_OLD][i] > 0.0 || parts->off[MODEL_NEW][i] > 0.0) {
            return true;
        }
    }
    return false;
}

/* Whose times go without `off` in a reading. */
static bool is_off(enum analysis_reading reading, int side)
{
    return reading == ANALYSIS_OLD_LEAST   ? side == MODEL_OLD
           : reading == ANALYSIS_NEW_LEAST ? side == MODEL_NEW
                                           : true;
}

/* An iteration cannot have lost more than others had in the whole run, which the kernel
 * tells in steps of 10 ms at both ends. `off` becomes the most that can have been lost.
 */
static void cap_by_others(const struct model_run_values *values, struct parts *parts)
{
    const double steps_ns = 20e6;
    for (int side = 0; side < MODEL_SIDES; side++) {
        double most_ns = fmax(0.0, values->others_ns[side]) + steps_ns;
        for (size_t i = 0; !isnan(values->others_ns[side]) && i < values->counts[side];
             i++) {
            double share = most_ns / values->values[side][i];
            if (share < 1.0) {
                parts->off[side][i] = fmin(parts->off[side][i], -log1p(-share));
            }
        }
    }
}

/* The facts and means of the times without `off`. */
static enum duet_code describe_without(struct analysis_run_summary *summary,
                                       const struct analysis_summary_needs *needs,
                                       const struct model_run_values *values,
                                       enum analysis_reading reading,
                                       struct parts *parts, struct duet_error *reterr)
{
    struct model_run_values *without = &parts->without;
    size_t count = values->counts[MODEL_OLD];
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct stats_sum sum = {0};
        for (size_t i = 0; i < count; i++) {
            double off = is_off(reading, side) ? parts->off[side][i] : 0.0;
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
    if (reading == ANALYSIS_WITHOUT_TAKEN && any_taken(parts)) {
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
                                           const struct model_run_values *values,
                                           struct duet_error *reterr)
{
    struct parts parts;
    if (values->idle[MODEL_OLD] == NULL || values->idle[MODEL_NEW] == NULL) {
        return DUET_OK;
    }
    enum duet_code code = parts_init(values->counts[MODEL_OLD], &parts, reterr);
    if (code != DUET_OK) {
        return code;
    }
    count_waits(summary, values);
    if (find_taken(values, &parts)) {
        code = describe_without(summary, needs, values, ANALYSIS_WITHOUT_TAKEN, &parts,
                                reterr);
        if (code == DUET_OK && any_taken(&parts)) {
            code = keep_freed(summary, &parts, reterr);
        }
    } else if (find_idle(values, &parts)) {
        code =
            describe_without(summary, needs, values, ANALYSIS_EXECUTED, &parts, reterr);
        cap_by_others(values, &parts);
        for (int reading = ANALYSIS_OLD_LEAST;
             code == DUET_OK && reading < ANALYSIS_READINGS; reading++) {
            code = describe_without(summary, needs, values,
                                    (enum analysis_reading)reading, &parts, reterr);
        }
    }
    free(parts.memory);
    return code;
}
