/* What two CPUs can do together, measured before anything is compared on them. */
#ifndef DUET_MEASURE_PROBE_H
#define DUET_MEASURE_PROBE_H

#include "base/error.h"
#include "model/finding.h"
#include "model/plan.h"

/* Binds a thread to each of two different CPUs and lets them exchange cache lines,
 * meet, and execute the same short work side by side, for `duration_ns` in all: fewer
 * times where other programs take the CPUs, but 500 and 50 times at least. Spins:
 * nothing else should run there. *ret_probe: model_probe_release(). Errors:
 * DUET_E_UNSUITABLE (cannot bind), DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code probe_cpus(const struct model_cpu_set cpus[2],
                                        uint64_t duration_ns,
                                        struct model_probe *ret_probe,
                                        struct duet_error *reterr);

#endif
