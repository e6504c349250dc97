/* The answers of the study of stop rules as pictures. */
#ifndef DUET_CLI_STOP_PICTURE_H
#define DUET_CLI_STOP_PICTURE_H

#include "cli/stop_table.h"

/* Writes accuracy.svg (He 2021, figures 7 and 8) and points.svg (figure 10) into a
 * folder, which is made where it is not there: a panel for each statistic, with the
 * first of the plan's errors, a row a series, a bar a rule. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stop_pictures_write(const char *folder,
                                                 const struct stop_table *table,
                                                 struct duet_error *reterr);

#endif
