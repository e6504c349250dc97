/* The course of a comparison: what pictures show beside its answer. Ratios are new /
 * old. Unknown numbers are NaN. */
#ifndef DUET_MODEL_TRACE_H
#define DUET_MODEL_TRACE_H

#include "model/observation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One run, as it was analysed. */
struct model_trace_run {
    uint64_t run;
    uint64_t first[MODEL_SIDES];      /* its first iteration, counted over all runs */
    double ratio;                     /* NaN: not of pairs */
    double typical_ns[MODEL_SIDES];   /* geometric mean; NaN: none of that side */
    double taken_ratio[MODEL_SIDES];  /* share of the time for which it was ready, and
                                         others had its CPU */
    double others_ratio[MODEL_SIDES]; /* share of a CPU that other programs had of its
                                         position's CPUs; may exceed 1 */
};

/* A look: after a block, or after a run with a coin of its own. */
struct model_trace_look {
    double ratio; /* of this block or run */
    unsigned runs;
    /* E-values of "no change" so far: against old by new being slower, and by new being
     * faster. At most MODEL_TRACE_EVIDENCE_MOST. */
    double slower;
    double faster;
};
#define MODEL_TRACE_EVIDENCE_MOST 1e300

/* How values are distributed; ascending, on a logarithmic scale. */
enum { MODEL_TRACE_QUANTILES = 5 };
struct model_trace_density {
    double *at;                              /* ratios or ns */
    double *density;                         /* of their logarithm */
    size_t count;                            /* 0: not enough different values */
    double quantiles[MODEL_TRACE_QUANTILES]; /* 5, 25, 50, 75 and 95 % */
};

enum { MODEL_TRACE_DENSITIES = 2, MODEL_TRACE_KEPT_MOST = 16384 };

struct model_trace {
    bool paired;
    /* Iterations in the order of their measurement, one of `every`, at most
     * MODEL_TRACE_KEPT_MOST of a side, and the natural logarithms of their ns. Paired:
     * entry i of both sides are a pair. */
    double *times_ns[MODEL_SIDES];
    double *log_times[MODEL_SIDES];
    double *ratios; /* of the pairs, new / old; and their natural logarithms */
    double *log_ratios;
    size_t counts[MODEL_SIDES];
    uint64_t every;
    uint64_t totals[MODEL_SIDES]; /* with those that are not kept */
    double usual_low_ns;  /* what most times lie between: three quartile ranges */
    double usual_high_ns; /* beyond the quartiles, and not beyond the data */
    struct model_trace_run *runs; /* by index */
    size_t run_count;
    struct model_trace_look *looks; /* of pairs, in the order of the measurement */
    size_t look_count;
    double threshold; /* the e-value that decides; NaN: no looks */
    /* Paired: ratios of the pairs, and of times that were shuffled within their run.
     * Else: old times, new times. */
    struct model_trace_density densities[MODEL_TRACE_DENSITIES];
};

void model_trace_release(struct model_trace *trace);

#endif
