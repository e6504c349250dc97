/* What comes out where one side does twice the work of the other. */
#ifndef DUET_STUDY_STUDY_RATIO_H
#define DUET_STUDY_STUDY_RATIO_H

#include "stats/spread.h"
#include "study/study_accuracy.h"

/* Without and with fill; quiet and busy. */
enum { STUDY_RATIO_FILLS = 2, STUDY_RATIO_CONDITIONS = 2 };

struct study_ratio_cell {
    struct study_accuracy accuracy; /* its ratio 0: not measured */
    struct stats_spread spread;     /* of the runs' ratios */
};

struct study_ratio {
    const char **names; /* of the workloads */
    size_t workload_count;
    struct study_ratio_cell *cells; /* workloads x conditions x fills */
    double confidence;              /* of their intervals */
};

static inline struct study_ratio_cell *study_ratio_cell(const struct study_ratio *ratio,
                                                        size_t workload, size_t busy,
                                                        size_t fill)
{
    return &ratio
                ->cells[(workload * STUDY_RATIO_CONDITIONS + busy) * STUDY_RATIO_FILLS +
                        fill];
}

#endif
