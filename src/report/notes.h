/* What stands below a table on the terminal. */
#ifndef DUET_REPORT_NOTES_H
#define DUET_REPORT_NOTES_H

#include "base/text.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

/* What the notes stand below. */
enum notes_below {
    NOTES_BELOW_ONE, /* a single answer: method and pairing are for verbosity 2 */
    NOTES_BELOW_TABLE,
    NOTES_BELOW_BRIEF_TABLE, /* that left out the details of `unsure` */
    NOTES_BELOW_SELF /* a table of what more runs would show: no advice on these */
};

/* What limits the answers, warnings, and with verbosity 2 or below a table method,
 * pairing, what could have been seen: one paragraph each, led by a word. */
void notes_append(struct text *text, const struct model_comparison *comparisons,
                  size_t count, enum notes_below below,
                  const struct report_style *style);

/* Whether no earlier one was found by the method of comparisons[at]: it is told once.
 */
bool notes_method_is_new(const struct model_comparison *comparisons, size_t at);
/* words_append_method() of comparisons[at], the first of its method; where there are
 * others, behind the names of those that have it. */
void notes_append_method(struct text *text, const struct model_comparison *comparisons,
                         size_t count, size_t at, double coverage);

/* Whether comparisons[at]'s warning `index` is the first of its kind and words: it is
 * told once for all benchmarks, with the figures of the first. */
bool notes_warning_is_new(const struct model_comparison *comparisons, size_t at,
                          size_t index);

/* Whether it needs the benchmark's name in front: one of several benchmarks, and not
 * the machine's warning to several of them. */
bool notes_warning_is_named(const struct model_comparison *comparisons, size_t count,
                            size_t at, size_t index);

/* Which other benchmarks say so, and how many where it concerns the machine and the
 * figures differ; nothing when there is none. */
void notes_append_others(struct text *text, const struct model_comparison *comparisons,
                         size_t count, size_t at, size_t index);

#endif
