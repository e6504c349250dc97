#include "analysis/remarks/strip.h"

#include <math.h>

void analysis_strip(const struct analysis_used_runs *used,
                    struct model_strip *ret_strip)
{
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    *ret_strip = (struct model_strip){.low = (double)NAN, .high = (double)NAN};
    for (size_t b = 0; b < used->block_count; b++) {
        low = fmin(low, used->block_logs[b]);
        high = fmax(high, used->block_logs[b]);
    }
    if (used->block_count < ANALYSIS_STRIP_MIN || !(high > low)) {
        return;
    }
    ret_strip->low = exp(low);
    ret_strip->high = exp(high);
    for (size_t b = 0; b < used->block_count; b++) {
        double share = (used->block_logs[b] - low) / (high - low);
        size_t bin = (size_t)(share * MODEL_STRIP_BINS);
        ret_strip->counts[bin < MODEL_STRIP_BINS ? bin : MODEL_STRIP_BINS - 1]++;
    }
}
