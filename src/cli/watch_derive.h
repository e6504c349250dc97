/* How often to execute, and for how long at a time, from a first series. */
#ifndef DUET_CLI_WATCH_DERIVE_H
#define DUET_CLI_WATCH_DERIVE_H

#include <stdbool.h>

/* path: a series or a folder of them (formats/series_folder.h). per_hour: executions of
 * the first series; 0: by slices.csv, whose test points are those of 21 days; only they
 * are looked at then. loss: of autocorrelation that is
 * put up with. Returns an exit status, after a message when it is not 0. */
int watch_derive(const char *path, double per_hour, double loss, bool json);

#endif
