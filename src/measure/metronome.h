/* A metronome makes two processes that share a CPU alternate faster than the kernel's
 * tick would let them: a thread that wakes up on that CPU every half millisecond, each
 * time giving the scheduler occasion to choose again. */
#ifndef DUET_MEASURE_METRONOME_H
#define DUET_MEASURE_METRONOME_H

#include "base/error.h"
#include "model/plan.h"

struct metronome;

/* Starts it on the CPUs of `set`, borrowed until it is stopped. Errors: DUET_E_SYSTEM,
 * DUET_E_NOMEM, those of machine_bind_thread(). */
BASE_MUST_USE enum duet_code metronome_start(const struct model_cpu_set *set,
                                             struct metronome **ret_metronome,
                                             struct duet_error *reterr);
void metronome_stop(struct metronome *metronome);

#endif
