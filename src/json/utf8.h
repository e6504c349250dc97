/* UTF-8, which JSON demands, of strings that may hold any bytes. */
#ifndef DUET_JSON_UTF8_H
#define DUET_JSON_UTF8_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character and returns its length in bytes, 1 to 4; 0: not well-formed
 * (Unicode, table 3-7: no overlong form, no surrogate, nothing above 10FFFF). The NUL
 * at the end stops it inside a cut sequence. */
size_t utf8_decode(const char *string, int32_t *ret_code);

/* Whether all of it is well-formed. */
bool utf8_is_valid(const char *string);

/* The string with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
 */
void utf8_append(struct text *text, const char *string);

#endif
