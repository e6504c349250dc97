/* What would bring a verdict, in words. */
#ifndef DUET_REPORT_ADVICE_WORDS_H
#define DUET_REPORT_ADVICE_WORDS_H

#include "base/text.h"
#include "model/comparison.h"

/* "noise; seeing 1 % takes about 4 min at this rate"; nothing where there is no advice.
 */
void advice_words_append_limit(struct text *text,
                               const struct model_comparison *comparison);

/* The same for the benchmarks of a table with that limit, in one line: "sort, sum and 3
 * more: noise; seeing 1 % takes up to 4 min at this rate; try --until
 * decided,time=60s". Nothing where none has it. */
void advice_words_append_limits(struct text *text,
                                const struct model_comparison *comparisons,
                                size_t count, enum model_limit limit);

/* The command to try; of programs that are not known with OLD and NEW for them. Nothing
 * where other programs measured. */
void advice_words_append_try(struct text *text,
                             const struct model_comparison *comparison);

#endif
