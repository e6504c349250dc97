/* Several benchmarks on the terminal, one line each. */
#ifndef DUET_REPORT_TABLE_H
#define DUET_REPORT_TABLE_H

#include "base/text.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

/* Header, a line for each of count >= 1 comparisons, and one for geomean unless NULL.
 * Returns whether the verdicts' details had to be left out to keep to style->width. */
bool table_append(struct text *text, const struct model_comparison *comparisons,
                  size_t count, const struct model_geomean *geomean,
                  const struct report_style *style);

#endif
