#include "analysis/p_value.h"

#include "analysis/anytime.h"
#include "analysis/paired_interval.h"
#include "analysis/random_uses.h"
#include "stats/gaussian.h"
#include "stats/moments.h"
#include "stats/rank/signflip.h"
#include "stats/student.h"

#include <math.h>

double analysis_p_value_of_interval(double ratio, const struct model_interval *interval,
                                    double values)
{
    double low = interval->low;
    double high = interval->high;
    if (!isfinite(ratio) || !isfinite(low) || !isfinite(high) || !(values >= 2.0)) {
        return (double)NAN;
    }
    bool logs = low > 0.0 && ratio > 0.0;
    double estimate = logs ? log(ratio) : ratio - 1.0;
    double end = estimate > 0.0 ? (logs ? log(low) : low - 1.0)
                                : (logs ? log(high) : high - 1.0);
    double to_end = fabs(estimate - end);
    double count = fmax(2.0, values / fmax(1.0, interval->block_length));
    if (to_end <= 0.0) {
        return stats_signflip_p_value_of_equal(estimate, (size_t)count);
    }
    double z = stats_gaussian_quantile(0.5 + interval->confidence / 2.0);
    double error = to_end / z * sqrt(count / (count - 1.0));
    return stats_t_p_value(estimate, error, count - 1.0);
}

static enum duet_code by_t(const double *logs, size_t count, double *ret_p_value,
                           struct duet_error *reterr)
{
    double mean = 0.0;
    double sd = 0.0;
    enum duet_code code = stats_mean(logs, count, &mean, reterr);
    if (code == DUET_OK) {
        code = stats_sd_sample(logs, count, &sd, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    *ret_p_value =
        stats_is_constant(logs, count)
            ? stats_signflip_p_value_of_equal(mean, count)
            : stats_t_p_value(mean, sd / sqrt((double)count), (double)(count - 1));
    return DUET_OK;
}

enum duet_code analysis_p_value_paired(const struct model_analysis *options,
                                       const struct analysis_used_runs *used,
                                       const struct model_interval *interval,
                                       double ratio, double *ret_p_value,
                                       enum model_p_value_method *ret_method,
                                       struct duet_error *reterr)
{
    if (options->interval == MODEL_INTERVAL_BLOCK) {
        size_t values = analysis_paired_series(options, used).count;
        *ret_p_value = analysis_p_value_of_interval(ratio, interval, (double)values);
        *ret_method = MODEL_P_VALUE_INTERVAL;
        return DUET_OK;
    }
    if (options->interval == MODEL_INTERVAL_SIGNFLIP) {
        *ret_method = MODEL_P_VALUE_SIGNFLIP;
        *ret_p_value = (double)NAN;
        return used->block_count == 0
                   ? DUET_OK
                   : stats_signflip_p_value(
                         used->block_logs, used->block_count, options->seed,
                         analysis_stream(ANALYSIS_USE_FLIPS), ret_p_value, reterr);
    }
    if (options->interval == MODEL_INTERVAL_ANYTIME) {
        struct analysis_anytime look = {0};
        enum duet_code code =
            analysis_anytime_look(used, options->confidence, &look, reterr);
        *ret_p_value = look.p_value;
        *ret_method = MODEL_P_VALUE_ANYTIME;
        return code;
    }
    bool blocks = used->block_count >= 2 || analysis_options_over_blocks(options);
    const double *logs = blocks ? used->block_logs : used->run_logs;
    size_t count = blocks ? used->block_count : used->count;
    *ret_method = MODEL_P_VALUE_T;
    *ret_p_value = (double)NAN;
    return count < 2 ? DUET_OK : by_t(logs, count, ret_p_value, reterr);
}
