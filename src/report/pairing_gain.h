/* What the pairing gained, in words: the width of the paper's interval with the pairs
 * as measured beside the same with the pairs shuffled (Bulej 2020, RQ2). */
#ifndef DUET_REPORT_PAIRING_GAIN_H
#define DUET_REPORT_PAIRING_GAIN_H

#include "base/text.h"
#include "model/comparison.h"

#include <stddef.h>

/* To follow the word "pairing": "made the interval 5.3 times narrower (0.21 % instead
 * of 1.1 %)."; for several comparisons the range of gains. Says plainly when nothing
 * was gained. Appends nothing when no widths are known. */
void pairing_gain_append(struct text *text, const struct model_comparison *comparisons,
                         size_t count);

#endif
