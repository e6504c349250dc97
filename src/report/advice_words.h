/* What would bring a verdict, in words. */
#ifndef DUET_REPORT_ADVICE_WORDS_H
#define DUET_REPORT_ADVICE_WORDS_H

#include "base/text.h"
#include "model/comparison.h"

/* "noise; seeing 1 % takes about 4 min at this rate"; nothing where there is no advice.
 */
void advice_words_append_limit(struct text *text,
                               const struct model_comparison *comparison);

/* The command to try, or, of programs that are not known, the options. */
void advice_words_append_try(struct text *text,
                             const struct model_comparison *comparison);

#endif
