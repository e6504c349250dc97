/* Benchmarks that failed: rows without numbers, and the reasons. */
#ifndef DUET_REPORT_FAILED_ROWS_H
#define DUET_REPORT_FAILED_ROWS_H

#include "base/text.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

/* A copy of the comparisons that have an answer, *ret_count of them, in their order;
 * free() it. NULL: there is none, or no memory, which becomes the text's failure. */
struct model_comparison *failed_rows_others(struct text *text,
                                            const struct model_comparison *comparisons,
                                            size_t count, size_t *ret_count);

bool failed_rows_any(const struct model_comparison *comparisons, size_t count);

/* A paragraph for each that failed: "failed: NAME: why". */
void failed_rows_append(struct text *text, const struct model_comparison *comparisons,
                        size_t count, const struct report_style *style);

#endif
