#include "analysis/runs/losses.h"

#include <math.h>

enum { UNKNOWN_SHARE = 20 };

/* Of others: what a system does at rest. The kernel tells idleness in steps of 10 ms.
 */
static const double rest_share = 0.02;
static const double resolution_ns = 20e6;

static bool has(const struct analysis_run_summary *summary,
                enum analysis_reading reading)
{
    return !isnan(summary->facts[reading].log_ratio);
}

static bool others_were_busy(const struct analysis_run_summary *summaries, size_t count)
{
    double others_ns = 0.0;
    double window_ns = 0.0;
    for (size_t i = 0; i < count; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (!isnan(summaries[i].others_ns[side])) {
                others_ns += summaries[i].others_ns[side];
                window_ns += summaries[i].window_ns[side];
            }
        }
    }
    return !(window_ns > 0.0) || others_ns > rest_share * window_ns + resolution_ns;
}

enum model_losses analysis_losses_choose(const struct analysis_run_summary *summaries,
                                         size_t count)
{
    size_t known = 0;
    size_t executed = 0;
    for (size_t i = 0; i < count; i++) {
        known += has(&summaries[i], ANALYSIS_WITHOUT_TAKEN);
        executed += has(&summaries[i], ANALYSIS_EXECUTED);
    }
    if (known + executed < count) {
        return MODEL_LOSSES_KEPT;
    }
    if (known > 0 && UNKNOWN_SHARE * executed <= count) {
        return MODEL_LOSSES_REMOVED;
    }
    return others_were_busy(summaries, count) ? MODEL_LOSSES_BOUNDED
                                              : MODEL_LOSSES_KEPT;
}

enum analysis_reading analysis_losses_reading(enum model_losses losses)
{
    return losses == MODEL_LOSSES_BOUNDED   ? ANALYSIS_EXECUTED
           : losses == MODEL_LOSSES_REMOVED ? ANALYSIS_WITHOUT_TAKEN
                                            : ANALYSIS_AS_MEASURED;
}

/* Numbers of both sides together: which of them is new plays no part. */
static bool of_one_kind(const struct analysis_run_summary *summaries, size_t count)
{
    const double tolerance = 0.25; /* of a switch, and of the larger number */
    size_t of_different = 0;
    double waits[MODEL_SIDES] = {0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        of_different +=
            summaries[i].single[MODEL_OLD] != summaries[i].single[MODEL_NEW];
        waits[MODEL_OLD] += summaries[i].waits[MODEL_OLD] / (double)count;
        waits[MODEL_NEW] += summaries[i].waits[MODEL_NEW] / (double)count;
    }
    return UNKNOWN_SHARE * of_different <= count &&
           fabs(waits[MODEL_OLD] - waits[MODEL_NEW]) <=
               tolerance * (1.0 + fmax(waits[MODEL_OLD], waits[MODEL_NEW]));
}

size_t analysis_losses_bounds(const struct analysis_run_summary *summaries,
                              size_t count,
                              enum analysis_reading ret_readings[ANALYSIS_READINGS])
{
    if (of_one_kind(summaries, count)) {
        ret_readings[0] = ANALYSIS_EXECUTED;
        return 1;
    }
    ret_readings[0] = ANALYSIS_OLD_LEAST;
    ret_readings[1] = ANALYSIS_NEW_LEAST;
    return 2;
}

/* What the run has of its own for a reading. */
static enum analysis_reading own(const struct analysis_run_summary *summary,
                                 enum analysis_reading reading)
{
    if (reading >= ANALYSIS_EXECUTED && !has(summary, reading)) {
        reading = ANALYSIS_WITHOUT_TAKEN;
    }
    return has(summary, reading) ? reading : ANALYSIS_AS_MEASURED;
}

const struct stats_run_facts *
analysis_losses_facts(const struct analysis_run_summary *summary,
                      enum analysis_reading reading)
{
    return &summary->facts[own(summary, reading)];
}

const double *analysis_losses_mean(const struct analysis_run_summary *summary,
                                   enum analysis_reading reading)
{
    return summary->mean[own(summary, reading)];
}
