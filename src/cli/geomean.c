#include "cli/geomean.h"

#include <math.h>
#include <stdio.h>

bool geomean_of(const struct model_comparison *comparisons, size_t count,
                struct model_comparison *ret_geomean)
{
    if (count < 2) {
        return false;
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += log(comparisons[i].ratio);
    }
    *ret_geomean = comparisons[0];
    ret_geomean->ratio = exp(sum / (double)count);
    ret_geomean->interval.low = (double)NAN;
    ret_geomean->interval.high = (double)NAN;
    ret_geomean->could_have_seen = (double)NAN;
    ret_geomean->warning_count = 0;
    ret_geomean->family = (struct model_family){.p_adjusted = (double)NAN};
    ret_geomean->test = (struct model_test_result){.test = MODEL_TEST_NONE};
    (void)snprintf(ret_geomean->name, sizeof ret_geomean->name, "geometric mean");
    return true;
}
