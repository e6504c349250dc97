/* What is to be compared, and how: typed, before it is a plan. What was not asked for
 * follows from the rest (run_request_settle). */
#ifndef DUET_SESSION_COMPARISON_RUN_REQUEST_H
#define DUET_SESSION_COMPARISON_RUN_REQUEST_H

#include "analysis/conclude.h"
#include "model/plan.h"
#include "model/revision.h"
#include "session/parameter.h"

#include <stdbool.h>

/* Of --until decided where nobody says more: runs at least, two blocks that also choose
 * the schedule and eight runs (a verdict takes eight coins at 99 %, and two runs more
 * tell its size); how long a benchmark program's runs take; and how long all of it may
 * take where it was asked for. docs/decisions/0009-looking-after-every-block.md. */
enum { RUN_REQUEST_DECIDED_RUNS = 12 };
/* Of a command against itself: one experiment of the length that `duet aa` judges. */
enum { RUN_REQUEST_SELF_RUNS = 16 };
#define RUN_REQUEST_DECIDED_RUN_NS UINT64_C(25000000)
#define RUN_REQUEST_DECIDED_NS UINT64_C(60000000000)

/* Strings are borrowed. */
struct run_request {
    struct model_plan plan; /* without workloads and CPUs */
    struct model_analysis analysis;
    struct parameter_list parameters;
    /* What each side has for {VAR}, one value each, beside the parameters; of a suite.
     */
    struct parameter_list variables[MODEL_SIDES];
    size_t
        family; /* comparisons that are judged together; 0: those of the parameters */
    const char *commands[MODEL_SIDES]; /* as typed */
    const char *folders[MODEL_SIDES];  /* --cwd-old, --cwd-new; NULL: this one */
    const char *names[MODEL_SIDES];    /* -n; NULL: not given */
    const char *name;                  /* of the benchmark; NULL: not given */
    /* Of commits: what the sides are, MODEL_SIDES of them, and the name without them
     * (NULL: `name`); NULL: of none. */
    const struct model_revision *revisions;
    const char *benchmark;
    const char *setup;
    const char *prepare;
    const char *conclude;
    const char *cleanup;
    const char *shell; /* NULL: none */
    const char *cpus;  /* NULL: chosen */
    uint64_t cpus_per_side;
    const char *scan[3];     /* -P, not yet a parameter: -D may follow; NULL: none */
    const char *step;        /* -D */
    bool self;               /* one command, against itself */
    bool paper;              /* --design paper */
    bool decides_by_default; /* the verdict ends it, since nothing else was asked */
    bool run_time_given;
    uint64_t runs_of[2]; /* of --runs and of --until runs=N; 0: not given */
    bool min_runs_given;
    bool max_runs_given;
    bool gate_given; /* --fail-on or --max-slowdown, also as 'none' */
    bool seed_given;
    bool size_known;          /* `decided` waits for a slowdown's size, too */
    bool confirm;             /* a failing verdict must recur */
    bool control;             /* the old side against itself beside it */
    bool same_output;         /* the sides must print the same */
    bool skip_identical;      /* equal programs are not measured */
    const char *identical_if; /* what else must be equal for that; NULL: nothing */
    struct model_acceptance acceptance; /* of a suite's benchmark; limit 0: none */
    bool resume;         /* go on with an experiment that was interrupted */
    const char *resumed; /* which; NULL: the newest */
    const char *store;   /* NULL: the default; "none" */
};

/* The defaults, with a drawn seed. */
void run_request_init(struct run_request *request);
/* Frees the parameters and the variables. */
void run_request_release(struct run_request *request);

/* One setting by its name, which is that of an option of `duet run` and of a key in a
 * suite's file; a flag's value is not looked at. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code run_setting_take(struct run_request *request,
                                              const char *name, const char *value,
                                              struct duet_error *reterr);

/* Whether a setting says when a comparison fails; for who takes it in another way. */
bool run_setting_is_gate(const char *name);

/* Judges what can only be judged when all settings are known, and fills in the others.
 * Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code run_request_settle(struct run_request *request,
                                                struct duet_error *reterr);

/* Whether anything says when a comparison fails, were it that it never does. */
bool run_request_has_gate(const struct run_request *request);

/* How many comparisons are judged together. */
size_t run_request_family(const struct run_request *request);

#endif
