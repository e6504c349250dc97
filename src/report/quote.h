/* Text of any origin as a field of CSV and as a word of a shell. */
#ifndef DUET_REPORT_QUOTE_H
#define DUET_REPORT_QUOTE_H

#include "base/text.h"

/* Bytes that are not well-formed UTF-8 become U+FFFD. RFC 4180 s.2, rules 5 to 7:
 * quotes around what holds a separator (in some countries a semicolon), a quote or a
 * line break; quotes inside are doubled. Text that a spreadsheet would execute as a
 * formula (it begins with = + - @, a tab or a line break) gets an apostrophe in front,
 * as OWASP recommends ("CSV Injection"). No separator behind it. */
void quote_append_csv(struct text *text, const char *string);

/* As one word of a POSIX shell, byte by byte: in single quotes where it needs any. */
void quote_append_shell(struct text *text, const char *string);

#endif
