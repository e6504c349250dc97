/* What is measured, as text: two measurements that say the same are of the same. */
#ifndef DUET_SESSION_COMPARISON_DEFINITION_H
#define DUET_SESSION_COMPARISON_DEFINITION_H

#include "base/text.h"
#include "model/plan.h"

/* A field; of a text that is NULL nothing. Check text_failed(). */
void definition_add_text(struct text *text, const char *name, const char *value);
void definition_add_number(struct text *text, const char *name, uint64_t value);

/* All of a plan that changes what is measured, but for the sides, the seed and the
 * CPUs. */
void definition_add_plan(struct text *text, const struct model_plan *plan);

#endif
