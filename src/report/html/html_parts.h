/* Parts of HTML pages. Strings of foreign origin are escaped here or by
 * report/xml_text.h, whose output is character data and attribute value of HTML, too.
 */
#ifndef DUET_REPORT_HTML_HTML_PARTS_H
#define DUET_REPORT_HTML_HTML_PARTS_H

#include "base/text.h"
#include "model/comparison.h"

#include <stdint.h>

/* Everything down to the page's heading, which is `title`; <header> is open. The policy
 * lets nothing be loaded, and only this program's script and style sheet run, by their
 * hashes. */
void html_head(struct text *text, const char *title);
/* The script, and the end. */
void html_tail(struct text *text);

/* A mark and the verdict's word: "▲ slower". */
void html_verdict(struct text *text, enum model_verdict verdict);

/* "2026-11-25 10:20 UTC" as a <time>; nothing for 0. */
void html_time(struct text *text, int64_t utc_ms);

/* Bytes in base64 (RFC 4648). */
void html_base64(struct text *text, const unsigned char *bytes, size_t count);

/* A table of data behind a picture, folded: the caption is its summary. Cells that
 * begin with a number's name are the caller's. */
void html_table_begin(struct text *text, const char *caption);
/* cells: NUL-terminated, in a row; head: <th scope="col">. */
void html_table_head(struct text *text, const char *const *cells, size_t count);
void html_table_end(struct text *text);

#endif
