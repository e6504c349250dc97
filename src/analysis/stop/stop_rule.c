#include "analysis/stop/stop_rule.h"

#include "analysis/stop/stop_private.h"
#include "base/alloc.h"
#include "stats/rank/rankinterval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPLICATES_MIN = 100, REPLICATES_MAX = 1 << 20 };

static const struct {
    const char *name;
    enum duet_code (*find)(struct stop_test *test, struct duet_error *reterr);
} rules[ANALYSIS_STOP_RULES] = {
    [ANALYSIS_STOP_METIOR] = {"metior", stop_by_metior},
    [ANALYSIS_STOP_METIOR_ARTIFACT] = {"metior-artifact", stop_by_metior_artifact},
    [ANALYSIS_STOP_BASICBT] = {"basicbt", stop_by_basicbt},
    [ANALYSIS_STOP_COV] = {"cov", stop_by_variation},
    [ANALYSIS_STOP_PT4CLOUD] = {"pt4cloud", stop_by_distribution},
    [ANALYSIS_STOP_STEADY] = {"steady", stop_by_steadiness},
};

const char *analysis_stop_rule_name(enum analysis_stop_rule rule)
{
    return rules[rule].name;
}

bool analysis_stop_rule_from_name(const char *name, enum analysis_stop_rule *ret_rule)
{
    for (size_t rule = 0; rule < ANALYSIS_STOP_RULES; rule++) {
        if (strcmp(rules[rule].name, name) == 0) {
            *ret_rule = (enum analysis_stop_rule)rule;
            return true;
        }
    }
    return false;
}

bool analysis_stop_looks(const struct analysis_stop_question *question, size_t before,
                         size_t after)
{
    size_t day = (size_t)floor(question->interval);
    switch (question->rule) {
    case ANALYSIS_STOP_METIOR:
    case ANALYSIS_STOP_METIOR_ARTIFACT:
    case ANALYSIS_STOP_PT4CLOUD:
        return after / day > before / day && after / day > 1;
    case ANALYSIS_STOP_STEADY:
        return stop_steady_looks(question, after) > stop_steady_looks(question, before);
    case ANALYSIS_STOP_BASICBT:
    case ANALYSIS_STOP_COV:
    case ANALYSIS_STOP_RULES:
        break;
    }
    return after > before;
}

static enum duet_code check_statistic(const struct stats_statistic *statistic,
                                      struct duet_error *reterr)
{
    bool quantile = statistic->kind == STATS_STATISTIC_QUANTILE &&
                    statistic->fraction > 0.0 && statistic->fraction < 1.0;
    if (!quantile && statistic->kind != STATS_STATISTIC_MEAN) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a stop rule needs the mean, or a percentile between 0 and 100");
    }
    return DUET_OK;
}

static enum duet_code check_question(const struct analysis_stop_question *question,
                                     struct duet_error *reterr)
{
    enum duet_code code = check_statistic(&question->statistic, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (question->error_count == 0 ||
        question->error_count > ANALYSIS_STOP_ERRORS_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a stop rule takes 1 to %d errors, got %zu",
                         ANALYSIS_STOP_ERRORS_MAX, question->error_count);
    }
    for (size_t i = 0; i < question->error_count; i++) {
        if (!(question->errors[i] > 0.0 && question->errors[i] < 1.0)) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "an allowed error lies between 0 and 1, got %g",
                             question->errors[i]);
        }
    }
    if (!(question->confidence > 0.0 && question->confidence < 1.0) ||
        !(question->interval >= 1.0 && question->interval <= 1e9) ||
        question->replicates < REPLICATES_MIN ||
        question->replicates > REPLICATES_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a stop rule needs a confidence in (0, 1), an interval of at least 1 point and %d to %d replicates, "
            "got %g, %g and %zu",
            REPLICATES_MIN, REPLICATES_MAX, question->confidence, question->interval,
            question->replicates);
    }
    return DUET_OK;
}

static enum duet_code fill_ranks(struct analysis_stopper *stopper,
                                 struct duet_error *reterr)
{
    const struct analysis_stop_question *question = &stopper->question;
    bool each = question->rule == ANALYSIS_STOP_BASICBT &&
                question->statistic.kind == STATS_STATISTIC_QUANTILE;
    bool grid = question->rule == ANALYSIS_STOP_PT4CLOUD;
    if (!each && !grid) {
        return DUET_OK;
    }
    size_t rows = each ? stopper->longest : stopper->longest / stopper->day * STOP_GRID;
    stopper->ranks = alloc_array(2 * rows, sizeof *stopper->ranks);
    if (stopper->ranks == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu intervals", rows);
    }
    enum duet_code code = DUET_OK;
    for (size_t row = 0; row < rows && code == DUET_OK; row++) {
        size_t low = 0;
        size_t high = 0;
        size_t points = each ? row + 1 : (row / STOP_GRID + 1) * stopper->day;
        double probability = each ? question->statistic.fraction
                                  : (double)(row % STOP_GRID + 1) / (STOP_GRID + 1);
        code = stats_rank_interval(points, probability, question->confidence, &low,
                                   &high, reterr);
        stopper->ranks[2 * row] = (uint32_t)low;
        stopper->ranks[2 * row + 1] = (uint32_t)high;
    }
    return code;
}

enum duet_code analysis_stopper_new(const struct analysis_stop_question *question,
                                    size_t longest,
                                    struct analysis_stopper **ret_stopper,
                                    struct duet_error *reterr)
{
    enum duet_code code = check_question(question, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (longest == 0 || longest > INT32_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a test has 1 to 2^31 - 1 points, got %zu", longest);
    }
    struct analysis_stopper *made = alloc_array(1, sizeof *made);
    if (made == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a stop rule");
    }
    made->question = *question;
    made->longest = longest;
    made->day = (size_t)floor(question->interval);
    made->simd = simd_usable(SIMD_BEST);
    code = fill_ranks(made, reterr);
    if (code != DUET_OK) {
        analysis_stopper_free(made);
        return code;
    }
    *ret_stopper = made;
    return DUET_OK;
}

void analysis_stopper_free(struct analysis_stopper *stopper)
{
    if (stopper != NULL) {
        free(stopper->ranks);
        free(stopper);
    }
}

static enum duet_code check_values(const struct analysis_stopper *stopper,
                                   const double *values, size_t count,
                                   struct duet_error *reterr)
{
    if (count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a stop rule needs measurements");
    }
    if (count > stopper->longest) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a stop rule for %zu points got a series of %zu",
                         stopper->longest, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0.0 && isfinite(values[i]))) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "measurement %zu is %g; a stop rule takes positive ones",
                             i + 1, values[i]);
        }
    }
    return DUET_OK;
}

enum duet_code analysis_stopper_find(const struct analysis_stopper *stopper,
                                     const double *values, size_t count, uint64_t seed,
                                     struct analysis_stop *ret_stops,
                                     struct duet_error *reterr)
{
    struct analysis_stop stops[ANALYSIS_STOP_ERRORS_MAX];
    size_t errors = stopper->question.error_count;
    enum duet_code code = check_values(stopper, values, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < errors; i++) {
        stops[i] = (struct analysis_stop){.points = count,
                                          .of_points = count,
                                          .low = (double)NAN,
                                          .high = (double)NAN};
    }
    struct stop_test test = {.stopper = stopper,
                             .values = values,
                             .count = count,
                             .seed = seed,
                             .stops = stops,
                             .pending = errors};
    code = rules[stopper->question.rule].find(&test, reterr);
    for (size_t i = 0; i < errors && code == DUET_OK; i++) {
        bool known = i > 0 && stops[i].of_points == stops[i - 1].of_points;
        stops[i].result = known ? stops[i - 1].result : 0.0;
        if (!known) {
            code =
                analysis_stop_statistic(&stopper->question.statistic, values,
                                        stops[i].of_points, &stops[i].result, reterr);
        }
    }
    if (code == DUET_OK) {
        memcpy(ret_stops, stops, errors * sizeof *stops);
    }
    return code;
}
