/* Why a gate (--fail-on, --max-slowdown) failed or passed. */
#ifndef DUET_REPORT_GATE_WORDS_H
#define DUET_REPORT_GATE_WORDS_H

#include "base/text.h"
#include "model/comparison.h"

#include <stdbool.h>

/* "failed: zip is slower by +8.1 % (--fail-on slower)": one line, without its end.
 * Nothing of a comparison without a gate. several: a comparison goes by its name, else
 * one without a name of its own is "new". */
void gate_words_append(struct text *text, const struct model_comparison *comparison,
                       bool several);

/* Whether more is to be told than whether it passed: a confirmation, a control that
 * alarmed, an acceptance. */
bool gate_words_notable(const struct model_comparison *comparison);
/* Whether it passed although it may be slower than the limit: only --fail-on unsure
 * would fail for it. */
bool gate_words_is_open(const struct model_comparison *comparison);
/* "; confirmed by a second experiment (+7.9 %) ...; accepted up to +5 % until ...". */
void gate_words_append_notable(struct text *text,
                               const struct model_comparison *comparison);
/* "accepted up to +5 % until 2026-12-31: REASON"; nothing without one. */
void gate_words_append_acceptance(struct text *text,
                                  const struct model_comparison *comparison);

#endif
