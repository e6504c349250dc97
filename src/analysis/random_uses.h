/* Random streams of the analysis. Each use has 2^48 streams of its own, away from those
 * that the measurement draws its coins from. */
#ifndef DUET_ANALYSIS_RANDOM_USES_H
#define DUET_ANALYSIS_RANDOM_USES_H

#include <stdint.h>

enum analysis_use {
    ANALYSIS_USE_RUNS,       /* resampling runs */
    ANALYSIS_USE_BLOCKS,     /* resampling blocks */
    ANALYSIS_USE_SHUFFLES,   /* shuffled control */
    ANALYSIS_USE_DIFFERENCE, /* standard method */
    ANALYSIS_USE_FLIPS,      /* signs of blocks */
    ANALYSIS_USE_SAMPLE,     /* which runs are analysed at all */
    ANALYSIS_USE_OVERLAP,    /* each side by itself */
    ANALYSIS_USE_GROUPS,     /* a statistic of both sides */
    ANALYSIS_USE_SELF,       /* a program against itself */
    ANALYSIS_USE_STOP,       /* stop rules of one series */
    ANALYSIS_USE_SERIES,     /* a statistic of one series */
    ANALYSIS_USE_PICTURE,    /* shuffled pairs, to look at */
    ANALYSIS_USE_HISTORY     /* orders of a history's commits */
};

static inline uint64_t analysis_stream(enum analysis_use use)
{
    return ((uint64_t)0xA000U + (uint64_t)use) << 48U;
}

#endif
