#include "analysis/instances.h"

#include "analysis/anytime.h"
#include "analysis/conclude.h"
#include "analysis/plan/detectable.h"
#include "base/alloc.h"
#include "stats/moments.h"
#include "stats/rank/signflip.h"
#include "stats/sequential/betting.h"
#include "stats/student.h"

#include <math.h>
#include <stdlib.h>

/* exp() of an end that is a number. */
static double ratio_of(double log_end)
{
    return isfinite(log_end) ? exp(log_end) : (double)NAN;
}

/* Whether bets have excluded all that would be another verdict. */
static bool is_certain(const struct stats_betting *betting, double same_within)
{
    double band = log1p(same_within);
    return stats_betting_sign(betting) != 0 ||
           (isfinite(band) && stats_betting_excludes(betting, band) < 0 &&
            stats_betting_excludes(betting, -band) > 0);
}

static enum duet_code bet(const struct analysis_instances *question,
                          const double *values, size_t count,
                          struct model_fleet_answer *answer, struct duet_error *reterr)
{
    struct stats_betting *betting = NULL;
    enum duet_code code = stats_betting_new(1.0 - answer->confidence, &betting, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = stats_betting_add(betting, values[i], 1.0, reterr);
        if (code == DUET_OK && answer->decided_after == 0 &&
            is_certain(betting, question->same_within)) {
            answer->decided_after = i + 1;
        }
    }
    if (code == DUET_OK && count > 0) {
        struct analysis_anytime look = analysis_anytime_of(betting);
        answer->p_value = look.p_value;
        answer->ratio = ratio_of(look.center);
        answer->interval_refused = look.conflict;
        if (!look.conflict) {
            struct stats_interval ends = analysis_anytime_interval(&look);
            answer->low = ratio_of(ends.low);
            answer->high = ratio_of(ends.high);
            answer->ratio = ratio_of(fmax(ends.low, fmin(look.center, ends.high)));
        }
    }
    stats_betting_free(betting);
    return code;
}

static enum duet_code take_mean(const double *values, size_t count,
                                struct model_fleet_answer *answer,
                                struct duet_error *reterr)
{
    double mean = 0.0;
    struct stats_interval ends;
    enum duet_code code = stats_mean(values, count, &mean, reterr);
    if (code == DUET_OK && count >= 2) {
        code = stats_t_interval(values, count, answer->confidence, &ends, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    answer->ratio = ratio_of(mean);
    if (count >= 2) {
        double degrees = (double)count - 1.0;
        double error = answer->sd_between / sqrt((double)count);
        double seen = 0.0;
        bool constant = stats_is_constant(values, count);
        bool bounded = !constant || count >= stats_signflip_fewest(answer->confidence);
        if (bounded) {
            answer->low = ratio_of(ends.low);
            answer->high = ratio_of(ends.high);
        }
        answer->p_value = constant ? stats_signflip_p_value_of_equal(mean, count)
                                   : stats_t_p_value(mean, error, degrees);
        code = stats_t_detectable(error, degrees, answer->confidence, ANALYSIS_POWER,
                                  &seen, reterr);
        answer->could_have_seen =
            code == DUET_OK && bounded ? expm1(seen) : (double)NAN;
    }
    return code;
}

enum duet_code analysis_instances(const struct analysis_instances *question,
                                  const double *log_ratios, size_t count,
                                  struct model_fleet_answer *ret_answer,
                                  struct duet_error *reterr)
{
    double *values = alloc_array(count, sizeof *values);
    if (values == NULL) {
        return error_no_memory(reterr);
    }
    struct model_fleet_answer answer = {
        .ratio = (double)NAN,
        .low = (double)NAN,
        .high = (double)NAN,
        .p_value = (double)NAN,
        .sd_between = (double)NAN,
        .could_have_seen = (double)NAN,
        .same_within = question->same_within,
        .confidence = 1.0 - (1.0 - question->confidence) / (double)question->family,
        .method = question->anytime ? MODEL_INTERVAL_ANYTIME : MODEL_INTERVAL_T};
    for (size_t i = 0; i < count; i++) {
        if (isnan(log_ratios[i])) {
            answer.failed++;
        } else {
            values[answer.instances++] = log_ratios[i];
        }
    }
    enum duet_code code = stats_check_finite(values, answer.instances, reterr);
    if (code == DUET_OK && answer.instances >= 2) {
        code = stats_sd_sample(values, answer.instances, &answer.sd_between, reterr);
    }
    if (code == DUET_OK && question->anytime) {
        code = bet(question, values, answer.instances, &answer, reterr);
    } else if (code == DUET_OK && answer.instances > 0) {
        code = take_mean(values, answer.instances, &answer, reterr);
    }
    free(values);
    if (code == DUET_OK) {
        answer.verdict = answer.instances == 0
                             ? MODEL_VERDICT_FAILED
                             : analysis_verdict(answer.low, answer.high,
                                                question->same_within, false);
        text_copy(answer.name, sizeof answer.name, ret_answer->name);
        *ret_answer = answer;
    }
    return code;
}
