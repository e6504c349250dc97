/* suites/published/duet-2020.csv, built in. */
#ifndef DUET_STUDY_LAB_PUBLISHED_H
#define DUET_STUDY_LAB_PUBLISHED_H

#include <stddef.h>

extern const unsigned char published_widths[];
extern const size_t published_widths_size;

#endif
