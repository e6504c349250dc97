/* The exact interval of a centre of symmetry from sign flips. */
#ifndef DUET_STATS_SIGNFLIP_H
#define DUET_STATS_SIGNFLIP_H

#include "base/error.h"
#include "stats/bootstrap/bootstrap.h"

#include <stddef.h>
#include <stdint.h>

/* Up to so many values all 2^count flips are enumerated; beyond, STATS_FLIPS random
 * ones and the unflipped data make the reference set, which keeps the level exact
 * (Dwass 1957) and the result a function of (seed, stream). */
enum { STATS_SIGNFLIP_EXACT_MAX = 20, STATS_FLIPS = 99999 };

/* All theta that the two-sided sign-flip test of the mean does not reject at 1 - level:
 * the test compares |mean(g - theta)| with the same after any pattern of sign changes.
 * Holds at least its level whatever the distributions, as long as each value is
 * symmetric about theta and they are independent.
 *
 * Inversion. Let S be the flipped values and m_S their mean. For theta below the mean,
 * a flip is at least as extreme as the data when m_S <= theta, or m_S' <= theta for the
 * complement S', or S is empty or everything. So the p value is 2 (1 + N) / 2^count,
 * where N counts the non-empty subsets whose mean is <= theta, and with
 * k = floor((1 - level) 2^(count - 1)) the interval's low end is the k-th smallest of
 * the 2^count - 1 subset means, its high end the k-th largest (Hartigan 1969's typical
 * values). With k = 0 it is unbounded.
 *
 * values: borrowed. Memory 8 bytes * 2^count, at most 8 MiB. Streams: how->stream.
 * Errors: DUET_E_TOO_FEW (2 / 2^count > 1 - level: 8 values for 0.99), DUET_E_DOMAIN,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
stats_signflip_interval(const double *values, size_t count, double level, uint64_t seed,
                        uint64_t stream, struct stats_interval *ret_interval,
                        struct duet_error *reterr);

/* The two-sided p value of "the centre is 0": the share of sign patterns, or of
 * STATS_FLIPS random ones and the data as they are, whose sum is at least as far from
 * 0; at least 2^(1 - count). values: borrowed, count >= 1. Streams: stream. Errors:
 * DUET_E_TOO_FEW, DUET_E_DOMAIN. */
BASE_MUST_USE enum duet_code stats_signflip_p_value(const double *values, size_t count,
                                                    uint64_t seed, uint64_t stream,
                                                    double *ret_p_value,
                                                    struct duet_error *reterr);

/* The fewest values for which the interval is bounded at this level in (0, 1). */
size_t stats_signflip_fewest(double level);

/* What `count` values that are all the same say at most, where a test that estimates a
 * variance would be certain: the p value of the sign flips that "the centre is 0" has
 * then, 2^(1 - count), or 1 when the value is 0. count >= 1. */
double stats_signflip_p_value_of_equal(double value, size_t count);

#endif
