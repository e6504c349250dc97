/* The table of a benchmark's host and settings. */
#ifndef DUET_REPORT_HTML_HTML_FACTS_H
#define DUET_REPORT_HTML_HTML_FACTS_H

#include "report/html/html_page.h"

/* What is not known has no row. */
void html_facts_append(struct text *text, const struct model_comparison *comparison,
                       const struct html_facts *facts);

#endif
