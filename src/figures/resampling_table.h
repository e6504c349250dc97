/* What bootstraps make of series (He 2021, s.II), as tables and as pictures. */
#ifndef DUET_FIGURES_RESAMPLING_TABLE_H
#define DUET_FIGURES_RESAMPLING_TABLE_H

#include "figures/stop_table.h"
#include "study/study_resampling.h"

/* Table I and the numbers of figures 3 to 5: for people, and for programs (a row a
 * series and bootstrap). */
void resampling_table_append(struct text *text, const struct stopping_answer *answer,
                             const struct study_resampling_row *rows);
void resampling_table_append_records(struct text *csv, struct text *json,
                                     const struct stopping_answer *answer,
                                     const struct study_resampling_row *rows);

/* Figures 2 to 5, into a folder, which is made where it is not there: traces.svg (each
 * series and a resample by each bootstrap), autocorrelations.svg (of resamples),
 * distributions.svg (of the statistic, its interval filled) and accurate.svg. traces:
 * of all series. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
resampling_pictures_write(const char *folder, const struct stopping_answer *answer,
                          const struct study_resampling_row *rows,
                          const struct study_resampling_trace *traces,
                          struct duet_error *reterr);

#endif
