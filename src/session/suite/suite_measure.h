/* The benchmarks of a suite, measured one after the other, or in slices within one time
 * budget. */
#ifndef DUET_SESSION_SUITE_SUITE_MEASURE_H
#define DUET_SESSION_SUITE_SUITE_MEASURE_H

#include "session/suite/suite_session.h"

/* Every entry that is not done. With a time budget those whose verdict is open have
 * slices in turn, the ones that look changed first, until all have ended or the time is
 * over (docs/method.md, "One time budget"). Errors: as
 * suite_session_measure(). */
BASE_MUST_USE enum duet_code suite_measure_all(struct suite_session *session,
                                               struct duet_error *reterr);

/* The entry's benchmark, on its CPUs. Errors: those of suite_entry_make() and
 * benchmark_pick_cpus(). */
BASE_MUST_USE enum duet_code suite_benchmark_make(const struct suite_session *session,
                                                  const struct suite_entry *entry,
                                                  struct benchmark *ret_benchmark,
                                                  struct duet_error *reterr);

#endif
