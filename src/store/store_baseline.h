/* Baselines: experiments under a name, with which later ones can be compared. A name
 * has one for each benchmark and CPU model. */
#ifndef DUET_STORE_STORE_BASELINE_H
#define DUET_STORE_STORE_BASELINE_H

#include "store/store.h"

struct store_baseline {
    char *name;
    char *benchmark; /* of the experiment */
    char *label;     /* of its new side: its name, else its command */
    char *subject;   /* of the commit that its new side was; "" none */
    char commit[65];
    bool changed; /* ... with changes that are in no commit */
    char cpu_model[128];
    int64_t experiment;
    int64_t saved_utc_ms;
};
void store_baselines_release(struct store_baseline *baselines, size_t count);

/* The baselines of this name (NULL: all), by name and then newest first. None is no
 * error. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_baselines_load(struct store *store, const char *name,
                                                  struct store_baseline **ret_baselines,
                                                  size_t *ret_count,
                                                  struct duet_error *reterr);
/* Makes experiments baselines of this name, in one transaction: each in place of an
 * older one of the same benchmark and CPU model. Errors: DUET_E_NOT_FOUND (no such
 * experiment), DUET_E_IO. */
BASE_MUST_USE enum duet_code store_baseline_save(struct store *store, const char *name,
                                                 const int64_t *experiments,
                                                 size_t count,
                                                 struct duet_error *reterr);
/* Takes the name away; the experiments stay. *ret_removed: how many had it. Errors:
 * DUET_E_IO. */
BASE_MUST_USE enum duet_code store_baseline_remove(struct store *store,
                                                   const char *name,
                                                   size_t *ret_removed,
                                                   struct duet_error *reterr);

/* The benchmark of an experiment: what it is called without the commits. free() it.
 * Errors: DUET_E_NOT_FOUND, DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_benchmark_name(struct store *store,
                                                  int64_t experiment, char **ret_name,
                                                  struct duet_error *reterr);
/* The newest finished experiment of a benchmark that is no baseline of this name, and
 * newer than the one that is; 0: none. By when they began: a merge gives new numbers to
 * old ones. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code
store_benchmark_newest(struct store *store, const char *benchmark, const char *baseline,
                       int64_t *ret_experiment, struct duet_error *reterr);

#endif
