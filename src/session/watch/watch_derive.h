/* How often to execute, and for how long at a time, from a first series. */
#ifndef DUET_SESSION_WATCH_WATCH_DERIVE_H
#define DUET_SESSION_WATCH_WATCH_DERIVE_H

#include "analysis/plan/cadence.h"
#include "formats/series_folder.h"

/* One series' answer. */
struct watch_derived {
    const char *name;
    size_t points;
    double per_hour; /* of the series */
    struct analysis_cadence cadence;
    double block_hours;
    double wanted_per_hour; /* that keep its autocorrelation */
};

struct watch_derivation {
    struct formats_series_folder folder; /* owned */
    struct watch_derived *list;          /* folder.count; owned */
    double loss;
};

/* That of all together: the longest block, the most frequent executions. */
struct watch_advice {
    const struct watch_derived *longest;
    const struct watch_derived *fastest;
    double every_hours; /* whole ones */
    double per_hour;    /* whole ones where there are any */
};

/* path: a series or a folder of them (formats/series_folder.h). per_hour: executions of
 * the first series; 0: by slices.csv, whose test points are those of 21 days; only they
 * are looked at then. loss: of autocorrelation that is put up with. Errors: those of
 * the files and of analysis_cadence_derive(); DUET_E_USAGE (nothing says how often). */
BASE_MUST_USE enum duet_code watch_derive(const char *path, double per_hour,
                                          double loss,
                                          struct watch_derivation *ret_derivation,
                                          struct duet_error *reterr);
/* Borrows from the derivation. */
struct watch_advice watch_advise(const struct watch_derivation *derivation);
void watch_derivation_release(struct watch_derivation *derivation);

#endif
