/* Which CPUs the two positions have: the user's, or the machine's choice. */
#ifndef DUET_SESSION_CPU_CHOICE_H
#define DUET_SESSION_CPU_CHOICE_H

#include "base/text.h"
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

/* Appends the options by which a plan has these sets on this machine: " --cpus A,B",
 * " --cpus-per-side N" where they are the choice for N, nothing where they are the
 * usual choice. Nothing for CPUs that this machine does not have. */
void cpu_choice_append_options(struct text *text, const struct machine *machine,
                               const struct model_cpu_set sets[2]);

#endif
