/* Names of benchmarks, each of which occurs once: readers drop, or refuse, the others.
 */
#ifndef DUET_REPORT_CI_CI_NAMES_H
#define DUET_REPORT_CI_CI_NAMES_H

#include "report/ci/ci_report.h"

/* One for each comparison, made by `append` from its own name and, where that is taken,
 * from the same with " (2)" and so on. Free with ci_names_free(). NULL: no memory. */
char **ci_names_new(const struct ci_report *report,
                    void (*append)(struct text *text, const char *name));
void ci_names_free(char **names, size_t count);

/* For `append`: cleaned, as it is shown. */
void ci_name_shown(struct text *text, const char *name);

/* Never "": the comparison's name, else what its new side is called. */
const char *ci_name_of(const struct model_comparison *comparison);

#endif
