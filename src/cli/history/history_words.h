/* A history's numbers as words, for its table, its picture and `duet log`. */
#ifndef DUET_CLI_HISTORY_WORDS_H
#define DUET_CLI_HISTORY_WORDS_H

#include "base/day.h"
#include "base/text.h"
#include "report/report.h"
#include "session/history/history_set.h"

/* "2026-11-20", or with the time of day as ISO 8601, UTC; "" when it is not known. */
void history_date(int64_t utc_ms, bool whole, char ret_date[DAY_MOMENT_BYTES]);

/* "+3.02 %", with the digits that the interval's width allows. */
void history_append_change(struct text *text, double ratio, double low, double high);

/* The benchmark's answers for the terminal: a table of its commits and its changes, or,
 * brief, a line and its changes. */
void history_append_benchmark(struct text *text, const struct history_set *set,
                              const struct history_benchmark *benchmark, bool brief,
                              const struct report_style *style);
/* What was left out, and by which order. */
void history_append_notes(struct text *text, const struct history_set *set);

/* The change that a commit begins with; NULL: none. */
const struct analysis_change *history_change_at(const struct analysis_history *history,
                                                size_t commit);

#endif
