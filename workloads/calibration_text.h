/* The content of a calibration file (described in calibration.h); private to workloads/
 * and its tests. No input or output. */
#ifndef DUET_WORKLOADS_CALIBRATION_TEXT_H
#define DUET_WORKLOADS_CALIBRATION_TEXT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Rates are below it: what is not is a damaged file or a bug. */
#define CALIBRATION_RATE_LIMIT UINT64_C(1000000000000000)

/* Whether `text` is a whole calibration file, and if so the rate of (host, kind) in it,
 * the first if there are several, 0 if there is none. *ret_rate is untouched when it is
 * not. */
bool calibration_text_find(const char *text, const char *host, const char *kind,
                           uint64_t *ret_rate_operations_per_s);

/* Appends to `content`, which is empty: `old_text`, a valid file, or NULL for none,
 * with one line more. host and kind are not empty and have no control characters; rate
 * in [1, CALIBRATION_RATE_LIMIT). */
void calibration_text_add(struct text *content, const char *old_text, const char *host,
                          const char *kind, uint64_t rate_operations_per_s);

#endif
