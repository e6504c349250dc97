/* Files of several benchmarks, compared by name and judged together. */
#ifndef DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H
#define DUET_SESSION_COMPARISON_RECORDED_SEVERAL_H

#include "session/comparison/recorded.h"

/* asked, schedule, paths, count: as for recorded_from_files(), once for each of
 * `names`. scratch: a store that gets each as an experiment; NULL: none.
 * ret_answers: names->count, judged as a family; owned, with answer_release() each.
 * Errors: those of reading, of the analysis and of the store. */
BASE_MUST_USE enum duet_code
recorded_several(const struct formats_request *asked,
                 const enum model_schedule *schedule, char *const *paths, size_t count,
                 const struct model_name_table *names,
                 const struct model_analysis *analysis, struct store *scratch,
                 struct answer **ret_answers, struct duet_error *reterr);

#endif
