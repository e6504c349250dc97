/* What came out where one side does twice the work, as a table and as CSV. */
#ifndef DUET_FIGURES_STUDY_RATIO_TABLE_H
#define DUET_FIGURES_STUDY_RATIO_TABLE_H

#include "base/text.h"
#include "study/study_accuracy.h"
#include "study/study_spread.h"
#include "study/widths.h"

/* Without and with fill; quiet and busy. */
enum { STUDY_RATIO_FILLS = 2, STUDY_RATIO_CONDITIONS = 2 };

struct study_ratio_cell {
    struct study_accuracy accuracy; /* its ratio 0: not measured */
    struct study_spread spread;     /* of the runs' ratios */
};

struct study_ratio {
    const char **names; /* of the workloads */
    size_t workload_count;
    struct study_ratio_cell *cells; /* workloads x conditions x fills */
};

static inline struct study_ratio_cell *study_ratio_cell(const struct study_ratio *ratio,
                                                        size_t workload, size_t busy,
                                                        size_t fill)
{
    return &ratio
                ->cells[(workload * STUDY_RATIO_CONDITIONS + busy) * STUDY_RATIO_FILLS +
                        fill];
}

/* Bulej 2020, figure 6. Nothing when no cell was measured. */
void study_ratio_table(struct text *text, const struct study_ratio *ratio);

/* Bulej 2020, figure 7: times together against times alone. */
void study_ratio_together(struct text *text, const struct widths *widths);

/* Both: quantity "ratio" (wanted 2), then "together" (wanted 1). */
void study_ratio_csv(struct text *text, const struct study_ratio *ratio,
                     const struct widths *widths);

#endif
