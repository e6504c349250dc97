/* Text of any origin in Markdown as GitHub and GitLab read it. It is cleaned as by
 * display_append_clean(). */
#ifndef DUET_REPORT_MARKDOWN_TEXT_H
#define DUET_REPORT_MARKDOWN_TEXT_H

#include "base/text.h"

#include <stdbool.h>

/* A command or a name as code, outside of tables. Nobody is mentioned in it. */
void markdown_append_code(struct text *text, const char *string, bool unicode);
/* The same in a table's cell. */
void markdown_append_code_cell(struct text *text, const char *string, bool unicode);

/* Prose: what Markdown or HTML would interpret is escaped, and `@name` mentions nobody.
 */
void markdown_append_prose(struct text *text, const char *string, bool unicode);

#endif
