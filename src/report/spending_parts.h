/* Parts of the tables that say what a change takes to be seen. */
#ifndef DUET_REPORT_SPENDING_PARTS_H
#define DUET_REPORT_SPENDING_PARTS_H

#include "report/report.h"

enum { SPENDING_CHANGE_WIDTH = 10, SPENDING_RUNS_WIDTH = 10, SPENDING_TIME_WIDTH = 14 };

/* With four digits below a minute, then in whole units; "too long" when not finite. */
void spending_append_time(struct text *text, double ns,
                          const struct report_style *style);

/* Cells, right-aligned: the change that begins a row; a number of runs ("too many" when
 * not finite); a time. */
void spending_append_change_cell(struct text *text, double effect);
void spending_append_runs_cell(struct text *text, double runs);
void spending_append_time_cell(struct text *text, double ns,
                               const struct report_style *style);

/* A paragraph led by a word; releases the body and clears it. */
void spending_take_paragraph(struct text *text, const struct report_style *style,
                             const char *lead, struct text *body);

#endif
