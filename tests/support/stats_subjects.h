/* Every statistic, interval and test of src/stats behind one signature, with what must
 * hold for it: for tests that ask all of them the same. */
#ifndef TESTS_SUPPORT_STATS_SUBJECTS_H
#define TESTS_SUPPORT_STATS_SUBJECTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { SUBJECT_RESULTS_MAX = 8 };

/* What is asked, beside the values. */
struct subject_call {
    const double *values; /* borrowed; never changed */
    size_t count;
    size_t replicates; /* of bootstraps */
};

/* What happens to the results when all values are multiplied by a positive number or
 * moved by one. Shapes: a place moves and stretches with the values; a width only
 * stretches; a share does neither. */
enum subject_kind { SUBJECT_PLACE, SUBJECT_WIDTH, SUBJECT_SHARE, SUBJECT_GEOMETRIC };

/* What happens when the values come in another order, or each twice. */
enum subject_order {
    SUBJECT_EXACT,   /* nothing, but for the last digits */
    SUBJECT_SAMPLED, /* other resamples are drawn: about the same */
    SUBJECT_ORDERED  /* the order is part of the question */
};

struct subject {
    const char *name;
    /* Results in ret[0..SUBJECT_RESULTS_MAX), as many as the function has. */
    enum duet_code (*ask)(const struct subject *subject,
                          const struct subject_call *call, double *ret,
                          size_t *ret_count, struct duet_error *reterr);
    enum subject_kind kind;
    enum subject_order order;
    size_t fewest;    /* values; with fewer it is DUET_E_TOO_FEW */
    bool positive;    /* zero and negative values are DUET_E_DOMAIN */
    bool no_constant; /* constant data is DUET_E_DOMAIN */
    bool no_spread;   /* constant data is DUET_E_TOO_FEW */
    bool same_twice;  /* each value twice changes nothing */
    bool threads;     /* may start threads */
    bool no_shift;    /* a share that moves when all values do, as the CV */
    int option[3];    /* for `ask` */
};

extern const struct subject subjects[];
extern const size_t subjects_count;

#endif
