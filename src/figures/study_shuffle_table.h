/* Paired against shuffled widths, as tables for people. */
#ifndef DUET_FIGURES_STUDY_SHUFFLE_TABLE_H
#define DUET_FIGURES_STUDY_SHUFFLE_TABLE_H

#include "base/text.h"
#include "study/widths.h"

/* A row a workload: both widths and their ratio; then the geometric mean of each
 * platform (Bulej 2020 s.4.2, s.4.3). */
void study_shuffle_table(struct text *text, const struct widths *widths);

#endif
