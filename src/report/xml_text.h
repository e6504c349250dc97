/* Text of any origin in XML 1.0, as character data or an attribute's value. What XML
 * cannot hold, ill-formed UTF-8 and control characters become U+FFFD. */
#ifndef DUET_REPORT_XML_TEXT_H
#define DUET_REPORT_XML_TEXT_H

#include "base/text.h"

/* On one line: line breaks and tabs become spaces. NULL is "". */
void xml_append_line(struct text *text, const char *string);

/* The same with line breaks and tabs kept; not for attributes. */
void xml_append_lines(struct text *text, const char *string);

#endif
