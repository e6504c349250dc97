/* A comparison's parts as words, shared by the terminal's layouts and Markdown. */
#ifndef DUET_REPORT_WORDS_H
#define DUET_REPORT_WORDS_H

#include "base/text.h"
#include "model/comparison.h"
#include "report/display.h"

#include <stdbool.h>
#include <stddef.h>

/* "slower", "faster", "same within 1 %", "unsure: could have seen 0.8 %", "unsure: too
 * few runs", "unsure: the mean says otherwise", "unsure: the slow iterations say
 * otherwise", "unsure: p = 0.02 by Holm's rule"; of a coefficient of variation "varies
 * more", "varies less". brief: the first word alone. */
void words_append_verdict(struct text *text, const struct model_comparison *comparison,
                          bool brief);
/* The same behind a name: " is slower", " varies more". */
void words_append_predicate(struct text *text,
                            const struct model_comparison *comparison, bool brief);
/* The same as a sentence's begin, of a single benchmark: "new is slower", "no
 * difference above 1 %", "unsure", "unsure (the mean says otherwise)". */
void words_append_headline(struct text *text,
                           const struct model_comparison *comparison);
/* Why a verdict was taken back, or there is none: "the mean says otherwise", "too few
 * runs". Nothing where the interval alone leaves it open. */
void words_append_doubt(struct text *text, const struct model_comparison *comparison);
/* Worse, better, or neither. */
enum display_paint words_verdict_paint(enum model_verdict verdict);

/* "+3.02 %"; factor: from 2 on (or one half) also "+104 % (×2.04)", at most "above
 * ×100000", at least "below ×0.00001". Digits follow the interval's width. Nothing when
 * the ratio is unknown. */
void words_append_change(struct text *text, const struct model_comparison *comparison,
                         bool unicode, bool factor);

/* "1.0302": the ratio with the digits of the change, at most "above 100000", at least
 * "below 0.00001"; "" when unknown. */
void words_append_relative(struct text *text,
                           const struct model_comparison *comparison);
/* The same, however large or small it is: for programs. */
void words_append_relative_number(struct text *text,
                                  const struct model_comparison *comparison);

/* "[+2.71, +3.34]"; units: "[+2.71 %, +3.34 %]". One end unknown, or the upper one
 * beyond a hundredfold: "at least +2.71 %". From less than half to more than twice:
 * "[below half, above double]", without units "[<half, >double]". Nothing when both
 * ends are unknown. */
void words_append_interval(struct text *text, const struct model_comparison *comparison,
                           bool units);
/* Whether at least one end of the interval is known. */
bool words_has_interval(const struct model_comparison *comparison);
/* Whether there is none because old's statistic is 0, however many runs there are. */
bool words_is_to_0(const struct model_comparison *comparison);

enum words_mean {
    WORDS_MEAN_LONG, /* "1.021 s ± 0.013 s" */
    WORDS_MEAN_ONCE, /* "1.021 ± 0.013 s" */
    WORDS_MEAN_TIGHT /* "1.021±0.013 s" */
};
/* Mean and standard deviation; nothing when the mean is unknown. */
void words_append_mean(struct text *text, const struct model_summary *summary,
                       double unit_ns, bool unicode, enum words_mean form);

/* The unit for the times of `count` comparisons: unit_ns, 0: by the largest mean. */
double words_unit_ns(const struct model_comparison *comparisons, size_t count,
                     double unit_ns);

/* "99 % confidence interval by Student's t over blocks of two runs; ...": interval,
 * schedule and metric. coverage: the method's measured coverage, NaN: not said. */
void words_append_method(struct text *text, const struct model_comparison *comparison,
                         double coverage);
/* Whether words_append_method says the same of both. */
bool words_same_method(const struct model_comparison *a,
                       const struct model_comparison *b);
/* The smallest measured coverage of those that share comparisons[0]'s method, NaN when
 * unknown. Without `always` also NaN for the methods that cover what they say; the
 * bootstraps cover less for few runs, and that never goes unsaid. */
double words_least_coverage(const struct model_comparison *comparisons, size_t count,
                            bool always);

/* How the runs were carried out: "both sides at the same time", "in turns on one CPU",
 * "taken as measured one after the other". */
const char *words_schedule(const struct model_comparison *comparison);

/* "16 runs", "10 runs, 1000 iterations a side". */
void words_append_runs(struct text *text, const struct model_comparison *comparison);

/* "machine", "data", "workload". */
const char *words_warning_name(enum model_warning_kind kind);

#endif
