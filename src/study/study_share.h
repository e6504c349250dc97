/* Shares that were counted: so many of so many. */
#ifndef DUET_STUDY_STUDY_SHARE_H
#define DUET_STUDY_STUDY_SHARE_H

#include <stdint.h>

/* All: NaN of nothing. In percent it is rounded once: 49 of 400 are 12.25. */
double study_share(uint64_t hits, uint64_t of);
double study_share_pct(uint64_t hits, uint64_t of);

/* Standard error of a share in [0, 1] that `of` samples were counted for: the binomial
 * distribution's sqrt(p (1 - p) / n). */
double study_share_error(double share, uint64_t of);

#endif
