#include "analysis/remarks/tail.h"

#include "base/alloc.h"
#include "stats/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double probabilities[MODEL_TAILS] = {0.9, 0.99};
static const size_t pooled_min[MODEL_TAILS] = {ANALYSIS_P90_POOLED,
                                               ANALYSIS_P99_POOLED};
static const size_t group_min[MODEL_TAILS] = {ANALYSIS_P90_GROUP, ANALYSIS_P99_GROUP};

/* Mean over the long runs of the log of their percentile; NaN without any. */
static double log_tail_of_runs(const struct analysis_used_runs *used,
                               enum model_tail_level level, enum model_side side)
{
    struct stats_sum sum = {0};
    size_t runs = 0;
    for (size_t r = 0; r < used->count; r++) {
        double log_tail = used->runs[r]->log_tail[level][side];
        if (!isnan(log_tail)) {
            stats_sum_add(&sum, log_tail);
            runs++;
        }
    }
    return runs > 0 ? stats_sum_value(&sum) / (double)runs : (double)NAN;
}

/* Values of one side of runs [first, last) that keep theirs. */
static size_t copy_logs(const struct analysis_used_runs *used, size_t first,
                        size_t last, enum model_side side, double *ret_logs)
{
    size_t count = 0;
    for (size_t r = first; r < last; r++) {
        const struct analysis_values *logs = &used->runs[r]->logs[side];
        if (logs->count > 0 && ret_logs != NULL) {
            memcpy(ret_logs + count, logs->values, logs->count * sizeof *logs->values);
        }
        count += logs->count;
    }
    return count;
}

/* Of the short runs [first, last) together; NaN with fewer than `fewest` values. */
static enum duet_code log_tail_pooled(const struct analysis_used_runs *used,
                                      size_t first, size_t last,
                                      enum model_tail_level level, size_t fewest,
                                      enum model_side side, double *ret_log,
                                      struct duet_error *reterr)
{
    size_t count = copy_logs(used, first, last, side, NULL);
    *ret_log = (double)NAN;
    if (count < fewest) {
        return DUET_OK;
    }
    double *logs = alloc_array(count, sizeof *logs);
    if (logs == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu values", count);
    }
    (void)copy_logs(used, first, last, side, logs);
    enum duet_code code =
        stats_quantile_type7(logs, count, probabilities[level], ret_log, reterr);
    free(logs);
    return code;
}

/* Of new less of old, over runs [first, last); NaN with too few values. */
static enum duet_code pooled_difference(const struct analysis_used_runs *used,
                                        size_t first, size_t last,
                                        enum model_tail_level level, size_t fewest,
                                        double *ret_difference,
                                        struct duet_error *reterr)
{
    double tails[MODEL_SIDES] = {(double)NAN, (double)NAN};
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = log_tail_pooled(used, first, last, level, fewest, (enum model_side)side,
                               &tails[side], reterr);
    }
    *ret_difference = tails[MODEL_NEW] - tails[MODEL_OLD];
    return code;
}

/* Whole blocks come as neighbours: both runs of one are long, or neither counts. Runs
 * without a partner come last or stand alone. */
static size_t differences_of_blocks(const struct analysis_used_runs *used,
                                    enum model_tail_level level, double *ret_units)
{
    size_t units = 0;
    for (size_t r = 0; r + 1 < used->count;) {
        if (used->blocks[r] != used->blocks[r + 1]) {
            r++;
            continue;
        }
        const struct analysis_run_summary *first = used->runs[r];
        const struct analysis_run_summary *second = used->runs[r + 1];
        double difference =
            (first->log_tail[level][MODEL_NEW] - first->log_tail[level][MODEL_OLD] +
             second->log_tail[level][MODEL_NEW] - second->log_tail[level][MODEL_OLD]) /
            2.0;
        if (!isnan(difference)) {
            ret_units[units++] = difference;
        }
        r += 2;
    }
    return units;
}

/* What is left over at the end joins no group. */
static enum duet_code differences_of_groups(const struct analysis_used_runs *used,
                                            enum model_tail_level level,
                                            double *ret_units, size_t *ret_count,
                                            struct duet_error *reterr)
{
    size_t first = 0;
    size_t values = 0;
    enum duet_code code = DUET_OK;
    *ret_count = 0;
    for (size_t r = 0; r + 1 < used->count && code == DUET_OK; r += 2) {
        values += copy_logs(used, r, r + 2, MODEL_OLD, NULL);
        if (values >= group_min[level]) {
            double difference = 0.0;
            code = pooled_difference(used, first, r + 2, level, group_min[level],
                                     &difference, reterr);
            if (!isnan(difference)) {
                ret_units[(*ret_count)++] = difference;
            }
            first = r + 2;
            values = 0;
        }
    }
    return code;
}

static enum duet_code interval(const struct analysis_used_runs *used,
                               enum model_tail_level level, bool runs_long,
                               double confidence, struct model_tail *tail,
                               struct duet_error *reterr)
{
    size_t count = 0;
    double mean = 0.0;
    struct stats_interval ends = {0};
    enum duet_code code = DUET_OK;
    double *units = alloc_array(used->count, sizeof *units);
    if (units == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", used->count);
    }
    if (runs_long) {
        count = differences_of_blocks(used, level, units);
    } else {
        code = differences_of_groups(used, level, units, &count, reterr);
    }
    if (code == DUET_OK && count >= ANALYSIS_TAIL_UNITS) {
        code = stats_t_interval(units, count, confidence, &ends, reterr);
        if (code == DUET_OK) {
            code = stats_mean(units, count, &mean, reterr);
        }
        *tail = (struct model_tail){exp(mean), exp(ends.low), exp(ends.high)};
    }
    free(units);
    return code;
}

enum duet_code analysis_tails(const struct analysis_used_runs *used, bool paired,
                              double confidence,
                              struct model_tail ret_tails[MODEL_TAILS],
                              struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int level = 0; level < MODEL_TAILS && code == DUET_OK; level++) {
        enum model_tail_level of = (enum model_tail_level)level;
        double difference = log_tail_of_runs(used, of, MODEL_NEW) -
                            log_tail_of_runs(used, of, MODEL_OLD);
        bool runs_long = !isnan(difference);
        if (!runs_long) {
            code = pooled_difference(used, 0, used->count, of, pooled_min[level],
                                     &difference, reterr);
        }
        ret_tails[level] =
            (struct model_tail){exp(difference), (double)NAN, (double)NAN};
        if (code == DUET_OK && paired && !isnan(difference)) {
            code = interval(used, of, runs_long, confidence, &ret_tails[level], reterr);
        }
    }
    return code;
}

/* "+1.5 % [+1.2 %, +1.9 %]"; "x10.8 [x9.7, x12]" where it, or an end, is a factor of 2
 * or would be rounded to one. */
static void put_change(const struct model_tail *tail, char *ret_words, size_t size)
{
    const double factor = 1.99;
    if (fmax(tail->ratio, tail->high) >= factor ||
        fmin(tail->ratio, tail->low) <= 1.0 / factor) {
        (void)snprintf(ret_words, size, "x%.3g [x%.3g, x%.3g]", tail->ratio, tail->low,
                       tail->high);
        return;
    }
    (void)snprintf(ret_words, size, "%+.2g %% [%+.2g %%, %+.2g %%]",
                   100.0 * (tail->ratio - 1.0), 100.0 * (tail->low - 1.0),
                   100.0 * (tail->high - 1.0));
}

/* The percentile that was asked for. */
static bool is_compared(const struct model_comparison *comparison, int level)
{
    const struct model_statistic *statistic = &comparison->statistic.statistic;
    return statistic->kind == MODEL_STATISTIC_QUANTILE &&
           fabs(statistic->probability - probabilities[level]) < 1e-9;
}

/* By how much more than the answer, as a logarithm; 0: not surely. */
static double surplus(const struct model_comparison *comparison, int level)
{
    const double least = 0.01;
    const struct model_tail *tail = &comparison->tails[level];
    bool apart = tail->low > comparison->ratio || tail->high < comparison->ratio;
    double distance = fabs(log(tail->ratio / comparison->ratio));
    return apart && distance > least && !is_compared(comparison, level) ? distance
                                                                        : 0.0;
}

void analysis_tails_warn(struct model_comparison *comparison)
{
    static const char *const names[MODEL_TAILS] = {"90th", "99th"};
    static const char *const statistics[MODEL_TAILS] = {"p90", "p99"};
    const struct model_statistic *statistic = &comparison->statistic.statistic;
    char found[2 * 64] = "";
    char compared[MODEL_STATISTIC_NAME_MAX];
    int most = -1;
    if (statistic->kind == MODEL_STATISTIC_CV) {
        return; /* its ratio is none of times */
    }
    for (int level = 0; level < MODEL_TAILS; level++) {
        char words[64];
        size_t used = strlen(found);
        if (!(surplus(comparison, level) > 0.0)) {
            continue;
        }
        put_change(&comparison->tails[level], words, sizeof words);
        (void)snprintf(found + used, sizeof found - used, "%s%s percentile %s",
                       used > 0 ? ", " : "", names[level], words);
        most = most < 0 || surplus(comparison, level) > surplus(comparison, most)
                   ? level
                   : most;
    }
    if (most < 0) {
        return;
    }
    bool asked = statistic->kind != MODEL_STATISTIC_NONE;
    model_statistic_name(statistic, compared);
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "the slow iterations changed differently from %s%s: %s; --statistic %s "
        "compares them",
        asked ? "the " : "a typical one", compared, found, statistics[most]);
}
