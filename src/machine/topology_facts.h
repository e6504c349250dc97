/* What hwloc says about a machine, as plain data, and how it is asked. Private to
 * src/machine. */
#ifndef DUET_MACHINE_TOPOLOGY_FACTS_H
#define DUET_MACHINE_TOPOLOGY_FACTS_H

#include "base/error.h"
#include "machine/machine_facts.h"

#include <stdbool.h>
#include <stddef.h>

enum { TOPOLOGY_CPUS_MAX = 8192 };

struct topology_facts {
    bool live; /* the machine we are on, not a captured one */
    char arch[32];
    char cpu_model[128];
    double memory_bytes; /* NaN: unknown */
    size_t cpu_count;
    struct machine_cpu cpus[TOPOLOGY_CPUS_MAX]; /* ascending by number */
};

/* Asks hwloc, in this process. xml: a captured machine; NULL: this one. facts: zeroed.
 * Errors: DUET_E_IO, DUET_E_FORMAT (the capture), DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
topology_read(const char *xml, struct topology_facts *facts, struct duet_error *reterr);

/* The same in a process of its own: hwloc does not look at every allocation, and ends
 * with a signal when memory is short or a capture is odd. topology_facts_free() the
 * result. Errors: also DUET_E_SYSTEM when that process has not ended well. */
BASE_MUST_USE enum duet_code topology_read_apart(const char *xml,
                                                 struct topology_facts **ret_facts,
                                                 struct duet_error *reterr);
void topology_facts_free(struct topology_facts *facts);

#endif
