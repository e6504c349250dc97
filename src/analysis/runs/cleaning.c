#include "analysis/runs/cleaning.h"

#include "analysis/runs/pool.h"
#include "base/alloc.h"
#include "stats/clean.h"
#include "stats/rank/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The error's message, with the run and the side put before it. */
static enum duet_code at_side(enum duet_code code,
                              const struct model_run_values *values,
                              enum model_side side, const struct duet_error *why,
                              struct duet_error *reterr)
{
    return code == DUET_OK
               ? code
               : error_set(reterr, code, "run %" PRIu64 ", side %s: %s",
                           values->run + 1, model_side_name(side), why->message);
}

static void drop_first(struct model_run_values *values, enum model_side side,
                       size_t count)
{
    double *times = values->values[side];
    struct model_idle *idle = values->idle[side];
    values->counts[side] -= count;
    if (values->spools != NULL) {
        values->first[side] += count;
        return;
    }
    memmove(times, times + count, values->counts[side] * sizeof *times);
    if (idle != NULL) {
        memmove(idle, idle + count, values->counts[side] * sizeof *idle);
    }
}

/* Iteration `from` of a side becomes its iteration `to`. */
static void move_value(struct model_run_values *values, enum model_side side,
                       size_t from, size_t to)
{
    values->values[side][to] = values->values[side][from];
    if (values->idle[side] != NULL) {
        values->idle[side][to] = values->idle[side][from];
    }
}

static enum stats_warmup rule_of(enum model_warmup warmup)
{
    switch (warmup) {
    case MODEL_WARMUP_HALF:
        return STATS_WARMUP_HALF;
    case MODEL_WARMUP_COUNT:
        return STATS_WARMUP_COUNT;
    case MODEL_WARMUP_STEADY:
        return STATS_WARMUP_STEADY;
    case MODEL_WARMUP_NONE:
    case MODEL_WARMUPS:
        break;
    }
    return STATS_WARMUP_NONE;
}

enum duet_code analysis_drop_warmup(const struct model_cleaning *cleaning, bool paired,
                                    struct model_run_values *values,
                                    uint64_t *ret_dropped, struct duet_error *reterr)
{
    size_t dropped[MODEL_SIDES] = {0};
    for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
        if (values->counts[side] == 0) {
            continue; /* of an unpaired run the other side only */
        }
        struct duet_error why;
        enum duet_code code = stats_warmup_length(
            values->values[side], values->counts[side], rule_of(cleaning->warmup),
            (size_t)cleaning->warmup_count, &dropped[side], &why);
        if (code != DUET_OK) {
            return at_side(code, values, side, &why, reterr);
        }
    }
    if (paired) {
        size_t longer = dropped[MODEL_OLD] > dropped[MODEL_NEW] ? dropped[MODEL_OLD]
                                                                : dropped[MODEL_NEW];
        dropped[MODEL_OLD] = longer;
        dropped[MODEL_NEW] = longer;
    }
    for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
        drop_first(values, side, dropped[side]);
    }
    *ret_dropped = dropped[MODEL_OLD] + dropped[MODEL_NEW];
    return DUET_OK;
}

enum duet_code analysis_magnitude_limits(const struct model_run_values *runs,
                                         size_t count, double ret_limits[MODEL_SIDES],
                                         struct duet_error *reterr)
{
    double limits[MODEL_SIDES] = {(double)INFINITY, (double)INFINITY};
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct analysis_pool pool = {0};
        double median = 0.0;
        enum duet_code code = DUET_OK;
        for (size_t r = 0; r < count && code == DUET_OK; r++) {
            code = analysis_pool_add(&pool, runs[r].values[side], runs[r].counts[side],
                                     reterr);
        }
        if (code == DUET_OK && pool.count > 0) {
            code = stats_quantile_type7(pool.values, pool.count, 0.5, &median, reterr);
            limits[side] = STATS_MAGNITUDE * median;
        }
        analysis_pool_release(&pool);
        if (code != DUET_OK) {
            return code;
        }
    }
    memcpy(ret_limits, limits, sizeof limits);
    return DUET_OK;
}

static uint64_t drop_alone(double limit, struct model_run_values *values,
                           enum model_side side)
{
    const double *times = values->values[side];
    size_t count = values->counts[side];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (times[i] < limit) {
            move_value(values, side, i, kept++);
        }
    }
    values->counts[side] = kept;
    return count - kept;
}

static uint64_t drop_pairs(const double limits[MODEL_SIDES],
                           struct model_run_values *values)
{
    const double *old_times = values->values[MODEL_OLD];
    const double *new_times = values->values[MODEL_NEW];
    size_t count = values->counts[MODEL_OLD];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (old_times[i] < limits[MODEL_OLD] && new_times[i] < limits[MODEL_NEW]) {
            move_value(values, MODEL_OLD, i, kept);
            move_value(values, MODEL_NEW, i, kept++);
        }
    }
    values->counts[MODEL_OLD] = kept;
    values->counts[MODEL_NEW] = kept;
    return 2 * (count - kept);
}

uint64_t analysis_drop_magnitude(const double limits[MODEL_SIDES], bool paired,
                                 struct model_run_values *values)
{
    return paired ? drop_pairs(limits, values)
                  : drop_alone(limits[MODEL_OLD], values, MODEL_OLD) +
                        drop_alone(limits[MODEL_NEW], values, MODEL_NEW);
}

static bool copy_array(const double *values, size_t count, double **ret_copy)
{
    *ret_copy = alloc_array(count, sizeof **ret_copy);
    if (*ret_copy != NULL && count > 0) {
        memcpy(*ret_copy, values, count * sizeof **ret_copy);
    }
    return *ret_copy != NULL;
}

enum duet_code analysis_run_copy(const struct model_run_values *values,
                                 struct model_run_values *ret_copy,
                                 struct duet_error *reterr)
{
    struct model_run_values copy = *values;
    bool made = true;
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t count = copy.counts[side];
        made = copy_array(values->values[side], count, &copy.values[side]) && made;
        copy.idle[side] = NULL;
        if (values->idle[side] != NULL) {
            copy.idle[side] = alloc_array(count, sizeof *copy.idle[side]);
            made = made && copy.idle[side] != NULL;
            if (copy.idle[side] != NULL) {
                memcpy(copy.idle[side], values->idle[side],
                       count * sizeof *copy.idle[side]);
            }
        }
    }
    if (!made) {
        model_run_values_release(&copy);
        return error_set(reterr, DUET_E_NOMEM, "no memory for a run's observations");
    }
    *ret_copy = copy;
    return DUET_OK;
}

enum duet_code analysis_clean_copy(const struct model_cleaning *cleaning,
                                   const struct model_values *values,
                                   struct model_values *ret_cleaned,
                                   struct duet_error *reterr)
{
    struct model_values cleaned = {.paired = values->paired};
    double limits[MODEL_SIDES] = {0};
    enum duet_code code = DUET_OK;
    cleaned.runs = alloc_array(values->run_count, sizeof *cleaned.runs);
    if (cleaned.runs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs",
                         values->run_count);
    }
    for (size_t r = 0; r < values->run_count && code == DUET_OK; r++) {
        uint64_t dropped = 0;
        code = analysis_run_copy(&values->runs[r], &cleaned.runs[r], reterr);
        cleaned.run_count += code == DUET_OK;
        if (code == DUET_OK && cleaning->warmup != MODEL_WARMUP_NONE) {
            code = analysis_drop_warmup(cleaning, values->paired, &cleaned.runs[r],
                                        &dropped, reterr);
        }
    }
    if (code == DUET_OK && cleaning->drop_magnitude) {
        code =
            analysis_magnitude_limits(cleaned.runs, cleaned.run_count, limits, reterr);
        for (size_t r = 0; r < cleaned.run_count && code == DUET_OK; r++) {
            (void)analysis_drop_magnitude(limits, values->paired, &cleaned.runs[r]);
        }
    }
    if (code != DUET_OK) {
        model_values_release(&cleaned);
        return code;
    }
    *ret_cleaned = cleaned;
    return DUET_OK;
}
