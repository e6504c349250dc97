/* What was not taken from files, and why: a line each. */
#ifndef DUET_FORMATS_LEFT_OUT_H
#define DUET_FORMATS_LEFT_OUT_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

enum { FORMATS_LEFT_OUT_LINES = 20 };

/* Zeroed storage is nothing. */
struct formats_left_out {
    struct text lines; /* owned; the first FORMATS_LEFT_OUT_LINES, '\n' between them */
    size_t count;      /* all */
};

/* Beyond the limit it is counted only. The same as just before is not noted again. */
void formats_left_out_note(struct formats_left_out *left_out, const char *format, ...)
    BASE_PRINTF(2, 3);
void formats_left_out_release(struct formats_left_out *left_out);

#endif
