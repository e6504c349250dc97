/* What programs of others had of a position's CPUs while an order was carried out. */
#ifndef DUET_MEASURE_OTHERS_H
#define DUET_MEASURE_OTHERS_H

#include "model/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* A look at the CPUs and at what this process and its children have executed. */
struct others_look {
    bool known;
    uint64_t idle_ns; /* of all CPUs together */
    uint64_t own_ns;
    uint64_t clock_ns;
};

/* ret_look->known: false where the kernel does not tell. */
void others_look(const struct model_cpu_set *cpus, struct others_look *ret_look);

/* What neither this process with its collected children nor idleness had between two
 * looks (so other programs or the hypervisor), and the time of all CPUs, in ns. Both
 * NaN where one of the looks knows nothing. The kernel counts in steps of 10 ms, so
 * that the first may be a little below 0. */
void others_between(const struct model_cpu_set *cpus, const struct others_look *before,
                    const struct others_look *after, double *ret_others_ns,
                    double *ret_window_ns);

#endif
