/* The answers of the study of stop rules as pictures. */
#ifndef DUET_FIGURES_STOP_PICTURE_H
#define DUET_FIGURES_STOP_PICTURE_H

#include "figures/stop_table.h"

/* Writes pictures into a folder, which is made where it is not there, a panel for each
 * statistic, a bar a rule: with a row a series, and a panel for each error, too,
 * accuracy.svg (He 2021, figures 7 and 8) and points.svg (figure 10 by series); with a
 * row for each group and error summary.svg (figure 9), executions.svg (figure 10) and,
 * when the table has a price, prices.svg. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stop_pictures_write(const char *folder,
                                                 const struct stopping_answer *answer,
                                                 struct duet_error *reterr);

#endif
