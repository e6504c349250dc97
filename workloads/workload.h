/* The artificial workloads: programs whose length is known exactly, so that a change of
 * known size can be made and looked for. Source: Bulej 2020, section 4.4.
 *
 * An execution is a number of operations, each of which depends on the one before. The
 * code that runs is the same whatever the number; only a counter differs. */
#ifndef DUET_WORKLOADS_WORKLOAD_H
#define DUET_WORKLOADS_WORKLOAD_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct random_stream;
struct workload;

struct workload_kind {
    const char *name;        /* as users type it */
    const char *description; /* one line, for --help */
    const char *operation;   /* what one operation is */
    size_t data_bytes;       /* what an execution walks over */
    /* Sets the state and writes all of the zeroed data, from random numbers. */
    void (*prepare)(struct workload *workload, struct random_stream *random);
    uint64_t (*execute)(struct workload *workload, uint64_t operations);
};

/* The kinds, in the order of the paper, from index 0; NULL after the last. Static. */
const struct workload_kind *workload_kind_at(size_t index);

/* The kind called `name`. Errors: DUET_E_USAGE (the message lists the names). */
BASE_MUST_USE enum duet_code workload_kind_find(const char *name,
                                                const struct workload_kind **ret_kind,
                                                struct duet_error *reterr);

/* A workload ready to be executed: data filled, every page touched, in pages of the
 * ordinary size (huge ones come or don't from one process to the next, which would look
 * like a difference between the sides). Two with one kind and seed do exactly the same.
 * Free with workload_free(). Up to 0.3 s for `memory`. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code workload_new(const struct workload_kind *kind,
                                          uint64_t seed, struct workload **ret_workload,
                                          struct duet_error *reterr);
void workload_free(struct workload *workload); /* NULL: nothing */

/* Executes exactly so many operations and returns the checksum over all operations
 * since workload_new(): n and then m operations give what n + m give. Time is
 * proportional to the count; no allocation, no system call. The checksum is the same on
 * every machine of one byte order with IEEE 754 doubles. */
uint64_t workload_execute(struct workload *workload, uint64_t operations);

/* Operations for an execution of `duration_ns` at the calibrated rate, times `scale`:
 * the count for scale 1 is rounded first and then multiplied, so that two counts from
 * one rate and duration have the ratio of their scales to within half an operation.
 * Errors: DUET_E_DOMAIN (scale not positive and finite, duration or rate 0, a result
 * below 1 or above 2^53). */
BASE_MUST_USE enum duet_code workload_operations(uint64_t rate_operations_per_s,
                                                 uint64_t duration_ns, double scale,
                                                 uint64_t *ret_operations,
                                                 struct duet_error *reterr);

/* Measures how many operations a second this CPU executes: the fastest of several short
 * trials. A peer that runs at the same time, or a neighbour, can only slow a trial
 * down, so the fastest is the one that says most about the machine. Takes 0.2 to 0.6 s.
 * Fits calibration_measure_fn; `context` is not used. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code workload_rate_measure(const struct workload_kind *kind,
                                                   void *context,
                                                   uint64_t *ret_rate_operations_per_s,
                                                   struct duet_error *reterr);

#endif
