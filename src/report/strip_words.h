/* The spread of the blocks' changes as a strip of characters. */
#ifndef DUET_REPORT_STRIP_WORDS_H
#define DUET_REPORT_STRIP_WORDS_H

#include "base/text.h"
#include "model/comparison.h"
#include "report/report.h"

/* "  blocks  -1.2 % ▁▂▄█▆▂ ▁ +4.7 %": how many blocks (height) showed which change,
 * from the smallest to the largest. Nothing without unicode, or where the strip is
 * unknown.
 */
void strip_words_append(struct text *text, const struct model_strip *strip,
                        const struct report_style *style);

#endif
