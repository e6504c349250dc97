/* Is this machine fit for comparing? Looks at it, and lets two CPUs work side by side
 * for a moment. */
#ifndef DUET_SESSION_EXAMINATION_H
#define DUET_SESSION_EXAMINATION_H

#include "machine/machine.h"
#include "model/finding.h"
#include "session/listener.h"

struct examination {
    struct model_cpu_set positions[2]; /* empty: there are no two */
    struct model_host host;
    struct model_host_load before;
    struct model_host_load after;
    struct model_fitness fitness;
    bool measured; /* else nothing is in `fitness` */
    struct model_findings findings;
};

/* cpus: "A,B" as for --cpus; NULL: the machine's choice. Executes for duration_ns, and
 * tells the listener (NULL: nobody) so first. CPUs that cannot be had are a finding and
 * no error. Errors: DUET_E_USAGE (cpus), those of probe_cpus() and fitness_of(). */
BASE_MUST_USE enum duet_code examination_make(const struct machine *machine,
                                              const char *cpus, uint64_t duration_ns,
                                              const struct listener *listener,
                                              struct examination *ret_examination,
                                              struct duet_error *reterr);

#endif
