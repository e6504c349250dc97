/* What connects the commits of a history. */
#ifndef DUET_ANALYSIS_LINK_H
#define DUET_ANALYSIS_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* A comparison of two commits, by their indices in the history. */
struct analysis_link {
    size_t from;
    size_t to;
    double ratio; /* to / from */
    double low;   /* its interval */
    double high;
    double confidence;
};

/* Whether a comparison can be part of a history: it has an answer. */
bool analysis_link_usable(const struct analysis_link *link);

#endif
