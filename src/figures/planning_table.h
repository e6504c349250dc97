/* The answer of duet study planning, shown and drawn. */
#ifndef DUET_FIGURES_PLANNING_TABLE_H
#define DUET_FIGURES_PLANNING_TABLE_H

#include "base/text.h"
#include "study/planning_answer.h"

/* Rows that are done, for people and for programs. */
void planning_table_append(struct text *text, const struct planning_answer *answer);
void planning_table_append_records(struct text *csv, struct text *json,
                                   const struct planning_answer *answer);

/* Writes an SVG document: what the cheapest group costs, and how often it finds the
 * slowdown in the half of the instances that it was planned on and in the other, with
 * the other's false positives. Errors: DUET_E_NOMEM, DUET_E_IO. */
BASE_MUST_USE enum duet_code
planning_picture_write(const char *path, const struct planning_answer *answer,
                       struct duet_error *reterr);

#endif
