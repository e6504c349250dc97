/* What is shown while measuring: takes a copy of the observations on their way to the
 * store, and draws the progress line between runs. */
#ifndef DUET_CLI_LIVE_H
#define DUET_CLI_LIVE_H

#include "analysis/compare.h"
#include "measure/measure.h"

#include <stdbool.h>

struct live;

/* `next`: the sink that observations go to; `label`: the benchmark. When `shown` is
 * false nothing is drawn or kept, and live_sink() is `next`. */
BASE_MUST_USE enum duet_code live_new(const struct model_plan *plan,
                                      const struct analysis_options *options,
                                      const struct model_sink *next, bool shown,
                                      struct live **ret_live,
                                      struct duet_error *reterr);
struct model_sink live_sink(struct live *live);
/* For struct measure_hooks; always goes on. */
bool live_progress(void *live, const struct measure_progress *progress);
/* Removes the line and frees. */
void live_free(struct live *live);

#endif
