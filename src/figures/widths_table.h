/* Widths of intervals as tables for people. */
#ifndef DUET_FIGURES_WIDTHS_TABLE_H
#define DUET_FIGURES_WIDTHS_TABLE_H

#include "base/text.h"
#include "study/widths.h"

/* Table 1 of Bulej 2020: how many times narrower than the standard method's the
 * intervals are, by platform and suite, and over each group of several platforms; with
 * shuffled pairs in duet's place beside it, and what the paper prints where it has the
 * platform (`printed`). */
void widths_table_gains(struct text *text, const struct widths *widths, bool printed);

/* The appendix's triples, "duet : shuffled : standard" in percent, the narrowest marked
 * with an asterisk; then how many times narrower duet is, duet with the trimmed mean
 * than the standard method with it, and timeslice; times together / alone; what was
 * analysed. */
void widths_table_triples(struct text *text, const struct widths *widths);

/* Both, of what was measured. */
void widths_table_append(struct text *text, const struct widths *widths);

/* The platforms, suites and groups, in the order of their first rows. Walks: returns
 * the next row of which no earlier one has the same names, from *at on; NULL at the
 * end. */
const struct study_width *widths_next_cell(const struct widths *widths, size_t *at);

/* The rows as CSV (study/lab/widths_file.h), RFC 4180. */
void widths_append_csv(struct text *text, const struct widths *widths);

#endif
