#include "analysis/losses.h"

#include <math.h>

enum { UNKNOWN_SHARE = 20 };

/* Of others: what a system does at rest. The kernel tells idleness in steps of 10 ms.
 */
static const double rest_share = 0.02;
static const double resolution_ns = 20e6;

static bool has(const struct analysis_digest *digest, enum model_losses losses)
{
    return !isnan(digest->facts[losses].log_ratio);
}

static bool others_were_busy(const struct analysis_digest *digests, size_t count)
{
    double others_ns = 0.0;
    double window_ns = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (!isnan(digests[i].others_ns[side])) {
                others_ns += digests[i].others_ns[side];
                window_ns += digests[i].window_ns[side];
            }
        }
    }
    return !(window_ns > 0.0) || others_ns > rest_share * window_ns + resolution_ns;
}

enum model_losses analysis_losses_choose(const struct analysis_digest *digests,
                                         size_t count)
{
    size_t known = 0;
    size_t executed = 0;
    for (size_t i = 0; i < count; i++) {
        known += has(&digests[i], MODEL_LOSSES_REMOVED);
        executed += has(&digests[i], MODEL_LOSSES_BOUNDED);
    }
    if (known + executed < count) {
        return MODEL_LOSSES_KEPT;
    }
    if (known > 0 && UNKNOWN_SHARE * executed <= count) {
        return MODEL_LOSSES_REMOVED;
    }
    return others_were_busy(digests, count) ? MODEL_LOSSES_BOUNDED : MODEL_LOSSES_KEPT;
}

/* What the run has of its own for a treatment. */
static enum model_losses own(const struct analysis_digest *digest,
                             enum model_losses losses)
{
    if (losses == MODEL_LOSSES_BOUNDED && !has(digest, losses)) {
        losses = MODEL_LOSSES_REMOVED;
    }
    return has(digest, losses) ? losses : MODEL_LOSSES_KEPT;
}

const struct stats_run_facts *
analysis_losses_facts(const struct analysis_digest *digest, enum model_losses losses)
{
    return &digest->facts[own(digest, losses)];
}

const double *analysis_losses_mean(const struct analysis_digest *digest,
                                   enum model_losses losses)
{
    return digest->mean[own(digest, losses)];
}
