/* What was measured of an experiment before it was interrupted, shown to what decides
 * how it goes on. */
#ifndef DUET_SESSION_COMPARISON_REPLAY_H
#define DUET_SESSION_COMPARISON_REPLAY_H

#include "measure/measure.h"
#include "session/comparison/live.h"
#include "store/store.h"

/* Shows `live`, whose next sink keeps nothing now, every run that is stored; *ret_done
 * is then how far the plan is carried out. Errors: the store's, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code replay_runs(struct store *store, int64_t experiment,
                                         const struct model_analysis *analysis,
                                         struct live *live,
                                         struct measure_done *ret_done,
                                         struct duet_error *reterr);

#endif
