/* Which CPUs the two positions have: the user's, or the machine's choice. */
#ifndef DUET_SESSION_CPU_CHOICE_H
#define DUET_SESSION_CPU_CHOICE_H

#include "machine/machine.h"

#include <stdbool.h>

struct cpu_choice {
    const char *cpus;    /* --cpus: "A,B", each a number, a range, or several joined by
                            '+'; NULL: choose */
    size_t per_position; /* when chosen */
    bool solo;           /* one position is enough */
};

/* Errors: DUET_E_UNSUITABLE, DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code cpu_choice_find(const struct machine *machine,
                                             const struct cpu_choice *choice,
                                             struct model_cpu_set ret_sets[2],
                                             struct duet_error *reterr);

#endif
