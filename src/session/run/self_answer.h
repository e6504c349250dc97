/* What `duet aa` does: a command against itself, measured or from the store. */
#ifndef DUET_SESSION_RUN_SELF_ANSWER_H
#define DUET_SESSION_RUN_SELF_ANSWER_H

#include "model/self_comparison.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/answer.h"
#include "session/comparison/benchmark.h"

struct self_answer {
    struct answer answer; /* owned: answer_release() */
    struct model_self_comparison self;
};

/* Finds what is wrong before there is a store. Errors: those of benchmark_prepare() and
 * measure_check(). */
BASE_MUST_USE enum duet_code self_answer_prepare(const struct run_request *request,
                                                 const struct machine *machine,
                                                 struct benchmark *ret_benchmark,
                                                 struct duet_error *reterr);

/* What the stored runs of experiment `id` say under `analysis`, its gate included.
 * save: keeps it as the experiment's comparison. Errors: those of answer_make(),
 * pilot_read() and analysis_self_comparison(). */
BASE_MUST_USE enum duet_code self_answer_make(struct store *store, int64_t id,
                                              const struct model_analysis *analysis,
                                              bool save, struct self_answer *ret_answer,
                                              struct duet_error *reterr);

/* The same for the stored experiment `which`, under its own analysis with `overrides`;
 * nothing is kept. Errors: DUET_E_USAGE (it compares two commands), and as above. */
BASE_MUST_USE enum duet_code
self_answer_recall(struct store *store, const char *which,
                   const struct analysis_overrides *overrides,
                   struct self_answer *ret_answer, struct duet_error *reterr);

#endif
