/* Random streams of the studies of data sets, away from those of other studies and of
 * the analysis. */
#ifndef DUET_STUDY_STUDY_STREAMS_H
#define DUET_STUDY_STUDY_STREAMS_H

#include <stdint.h>

enum study_use {
    STUDY_USE_DRAWS,       /* which instances and trials make a group */
    STUDY_USE_VARIABILITY, /* bootstrap of a CV */
    STUDY_USE_SIMULATION   /* simulated data */
};

static inline uint64_t study_stream(enum study_use use)
{
    return ((uint64_t)0xE600U + (uint64_t)use) << 48U;
}

#endif
