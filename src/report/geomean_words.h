/* The summary row of several benchmarks as words. */
#ifndef DUET_REPORT_GEOMEAN_WORDS_H
#define DUET_REPORT_GEOMEAN_WORDS_H

#include "base/text.h"
#include "model/geomean.h"

/* As a comparison whose times, runs and warnings are unknown, for report/words.h. Its
 * verdict may be MODEL_VERDICTS: none. */
void geomean_words_row(const struct model_geomean *geomean,
                       struct model_comparison *ret_row);

/* "99 % confidence interval from those of the 5 benchmarks, which err independently."
 */
void geomean_words_append(struct text *text, const struct model_geomean *geomean);

#endif
