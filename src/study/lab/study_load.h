/* The competing load that a study measures under: `duet stress` as a process beside the
 * measurement, always with the same profile but for the period. */
#ifndef DUET_STUDY_LAB_STUDY_LOAD_H
#define DUET_STUDY_LAB_STUDY_LOAD_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

struct study_load {
    pid_t pid;           /* 0: none */
    char profile[128];   /* its command line */
    char condition[160]; /* the same, as it stands in the names of experiments */
};

/* Starts it on all CPUs, from zero load: a mix of integer and cache work, a triangle
 * from zero to all of every CPU and back within period_ns (at least 1 s). It ends with
 * this process, whatever becomes of that. Errors: DUET_E_SYSTEM, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_load_start(uint64_t period_ns,
                                              struct study_load *ret_load,
                                              struct duet_error *reterr);

/* Ends it, if there is one, and waits until it is gone. Returns `code`, with which what
 * was measured beside it ended. Errors: DUET_E_SYSTEM (`code` is DUET_OK, but the load
 * had ended before). */
BASE_MUST_USE enum duet_code study_load_stop(struct study_load *load,
                                             enum duet_code code,
                                             struct duet_error *reterr);

#endif
