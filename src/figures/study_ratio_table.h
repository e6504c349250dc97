/* What came out where one side does twice the work, as a table and as CSV. */
#ifndef DUET_FIGURES_STUDY_RATIO_TABLE_H
#define DUET_FIGURES_STUDY_RATIO_TABLE_H

#include "base/text.h"
#include "study/study_ratio.h"
#include "study/widths.h"

/* Bulej 2020, figure 6. Nothing when no cell was measured. */
void study_ratio_table(struct text *text, const struct study_ratio *ratio);

/* Bulej 2020, figure 7: times together against times alone. */
void study_ratio_together(struct text *text, const struct widths *widths);

/* Both: quantity "ratio" (wanted 2), then "together" (wanted 1). */
void study_ratio_csv(struct text *text, const struct study_ratio *ratio,
                     const struct widths *widths);

#endif
