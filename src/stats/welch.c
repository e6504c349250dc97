#include "stats/welch.h"

#include "stats/student.h"

#include <math.h>
#include <stdbool.h>

enum { NEEDED_MAX = 1000000 };

static enum duet_code check(const struct stats_welch_group *group,
                            struct duet_error *reterr)
{
    if (group->count < 2) {
        return error_set(reterr, DUET_E_TOO_FEW,
                         "an interval needs 2 independent values a side, got %zu",
                         group->count);
    }
    if (!(group->mean > 0.0) || !isfinite(group->mean) || !(group->variance >= 0.0) ||
        !isfinite(group->variance)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the ratio of two means needs positive ones, got %g",
                         group->mean);
    }
    return DUET_OK;
}

/* Two-sided, of all values of each group being equal among themselves but not to the
 * others': 2 / C(n + m, n). */
static double permutation_p_value(size_t n, size_t m)
{
    double p_value = 2.0;
    for (size_t i = 1; i <= n && p_value > 0.0; i++) {
        p_value *= (double)i / (double)(m + i);
    }
    return fmin(1.0, p_value);
}

static void without_spread(const struct stats_welch_group *from,
                           const struct stats_welch_group *to, double level,
                           struct stats_welch *welch)
{
    bool differ = from->mean < to->mean || from->mean > to->mean;
    double least = permutation_p_value(from->count, to->count);
    welch->p_value = differ ? least : 1.0;
    if (least < 1.0 - level) {
        welch->ratio.low = welch->ratio.high = to->mean / from->mean;
    }
}

/* The q with (to - q from)^2 <= t^2 (v_to + q^2 v_from): between the roots of
 * a q^2 - 2 b q + c while from's mean is certainly above 0 (a > 0). */
static void fieller(const struct stats_welch_group *from,
                    const struct stats_welch_group *to, double from_variance,
                    double to_variance, double t, struct stats_interval *ratio)
{
    double a = from->mean * from->mean - t * t * from_variance;
    double b = from->mean * to->mean;
    double c = to->mean * to->mean - t * t * to_variance;
    double root = t * sqrt(fmax(0.0, from_variance * to->mean * to->mean +
                                         to_variance * from->mean * from->mean -
                                         t * t * from_variance * to_variance));
    if (c > 0.0) {
        ratio->low = c / (b + root);
    }
    if (a > 0.0) {
        ratio->high = (b + root) / a;
    }
}

enum duet_code stats_welch_ratio(const struct stats_welch_group *from,
                                 const struct stats_welch_group *to, double level,
                                 struct stats_welch *ret_welch,
                                 struct duet_error *reterr)
{
    struct stats_welch welch = {.ratio = {(double)NAN, (double)NAN}};
    double t = 0.0;
    enum duet_code code = check(from, reterr);
    if (code == DUET_OK) {
        code = check(to, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    double from_variance = from->variance / (double)from->count;
    double to_variance = to->variance / (double)to->count;
    welch.degrees = (double)(from->count < to->count ? from->count : to->count) - 1.0;
    welch.error = sqrt(from_variance + to_variance);
    code = stats_t_quantile(0.5 + level / 2.0, welch.degrees, &t, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (welch.error <= 0.0) {
        without_spread(from, to, level, &welch);
    } else {
        welch.p_value =
            stats_t_p_value(to->mean - from->mean, welch.error, welch.degrees);
        fieller(from, to, from_variance, to_variance, t, &welch.ratio);
    }
    *ret_welch = welch;
    return DUET_OK;
}

struct stats_welch_test stats_welch_test_of(const struct stats_welch_group *from,
                                            const struct stats_welch_group *to)
{
    double of_from = from->variance / (double)from->count;
    double of_to = to->variance / (double)to->count;
    double square = of_from + of_to;
    struct stats_welch_test test = {sqrt(square), (double)NAN, (double)NAN};
    if (square > 0.0) {
        test.degrees = square * square /
                       (of_from * of_from / ((double)from->count - 1.0) +
                        of_to * of_to / ((double)to->count - 1.0));
        test.p_value = stats_t_p_value(to->mean - from->mean, test.error, test.degrees);
    }
    return test;
}

static bool is_enough(const struct stats_welch_group *from,
                      const struct stats_welch_group *to, double level, size_t count)
{
    double t = 0.0;
    struct duet_error ignored;
    double error = sqrt((from->variance + to->variance) / (double)count);
    return stats_t_quantile(0.5 + level / 2.0, (double)(count - 1), &t, &ignored) ==
               DUET_OK &&
           fabs(to->mean - from->mean) > t * error &&
           (error > 0.0 || permutation_p_value(count, count) < 1.0 - level);
}

size_t stats_welch_needed(const struct stats_welch_group *from,
                          const struct stats_welch_group *to, double level)
{
    size_t enough = 2;
    while (enough < NEEDED_MAX && !is_enough(from, to, level, enough)) {
        enough *= 2;
    }
    if (enough >= NEEDED_MAX) {
        return 0;
    }
    size_t less = enough / 2;
    while (enough - less > 1) {
        size_t middle = less + (enough - less) / 2;
        if (middle >= 2 && is_enough(from, to, level, middle)) {
            enough = middle;
        } else {
            less = middle;
        }
    }
    return enough;
}
