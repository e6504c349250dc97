/* The numbers behind a benchmark's pictures. */
#ifndef DUET_REPORT_HTML_HTML_DATA_H
#define DUET_REPORT_HTML_HTML_DATA_H

#include "base/text.h"
#include "report/plot/course_panels.h"

/* The table behind a picture. Times and losses by run stand in one table, behind the
 * times. At most some hundred rows; of more, one of so many, which its caption says. */
void html_data_table(struct text *text, enum course_panel panel,
                     const struct course *course);

/* Every kept iteration, for the script: an element whose attributes hold two series of
 * 16-bit numbers, little-endian, in base64. Value i is exp(low + step * number).
 * Paired: old times in ns and ratios; else old and new times. */
void html_data_series(struct text *text, const struct course *course);

#endif
