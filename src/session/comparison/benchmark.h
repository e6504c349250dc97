/* One comparison from the command lines to the stored observations. */
#ifndef DUET_SESSION_COMPARISON_BENCHMARK_H
#define DUET_SESSION_COMPARISON_BENCHMARK_H

#include "machine/machine.h"
#include "measure/measure.h"
#include "session/comparison/live.h"
#include "session/comparison/run_request.h"
#include "session/session.h"
#include "session/suite/suite_check.h"
#include "store/store.h"

/* What a benchmark of a suite has beside its plan. */
struct benchmark_suite {
    int64_t run;            /* store_suite_begin() */
    const char *definition; /* store_suite_add() */
    struct live_ordinal ordinal;
    struct suite_check *check; /* NULL: none; the rest of it is filled in */
};

/* A plan whose strings it owns. */
struct benchmark {
    struct model_plan plan;
    struct model_analysis analysis; /* before benchmark_describe() */
    char *commands[MODEL_SIDES];
    char *names[MODEL_SIDES];
    char *folders[MODEL_SIDES]; /* NULL: the current one */
    char *folder;               /* the current one */
    char *name;
    char *benchmark; /* the same without commits; NULL: the name is */
    const struct model_revision *revisions; /* borrowed; NULL: none */
    /* setup, prepare, conclude, cleanup; NULL: none */
    char *hooks[MODEL_SIDES][4];
    char *streams[3]; /* paths; NULL: none */
    char **words[MODEL_SIDES];
    const struct benchmark_suite *suite; /* borrowed; NULL: it is none of a suite */
    int64_t resumed;  /* the experiment to go on with; 0: a new one */
    bool same_output; /* the sides must print the same */
    bool size_known;  /* as in struct stopping */
    bool follows;     /* a slice's limits end it, whatever its own rule says */
    bool advised;     /* self_calibrating_warn(), once its first run has ended */
    /* A regression that somebody has accepted; limit 0: none. */
    struct model_acceptance acceptance;
    bool accepts;         /* it holds today */
    enum model_role role; /* beside which experiment, if any */
    int64_t of;
};

/* `text` with the side's variables and combination `index` of the parameters put in;
 * free(). NULL: no memory. */
char *benchmark_expand(const struct run_request *options, size_t index,
                       enum model_side side, const char *text);

/* The words of a command line, or a shell that is given it whole: one block, free().
 * shell NULL: none. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code benchmark_words(const char *command, const char *shell,
                                             char ***ret_words,
                                             struct duet_error *reterr);

/* Combination `index` of the parameters; of several each has a seed of its own, by its
 * name. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code benchmark_make(const struct run_request *options,
                                            size_t index,
                                            struct benchmark *ret_benchmark,
                                            struct duet_error *reterr);
void benchmark_release(struct benchmark *benchmark);

/* What is kept with the experiment: the analysis, and what it has from the plan, which
 * are the seed and the rule that ends the measurement. */
struct model_analysis benchmark_describe(const struct model_analysis *analysis,
                                         const struct model_plan *plan);

/* Chooses or checks the CPUs of plan->schedule. Errors: DUET_E_UNSUITABLE,
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code benchmark_pick_cpus(const struct run_request *options,
                                                 const struct machine *machine,
                                                 struct model_plan *plan,
                                                 struct duet_error *reterr);

/* benchmark_make() with the CPUs of this machine. Errors: those of both. */
BASE_MUST_USE enum duet_code benchmark_prepare(const struct run_request *options,
                                               const struct machine *machine,
                                               size_t index,
                                               struct benchmark *ret_benchmark,
                                               struct duet_error *reterr);

/* How an experiment has ended that came to this. */
enum store_state benchmark_state(enum duet_code code);

/* Whether what is wrong lies with this benchmark, so that others can be measured all
 * the same. Else it lies with the machine, the store or duet, or the user has
 * interrupted it. */
bool benchmark_is_at_fault(enum duet_code code);

#endif
