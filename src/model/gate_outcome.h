/* A gate: what it asks of a comparison, and what came of it. */
#ifndef DUET_MODEL_GATE_OUTCOME_H
#define DUET_MODEL_GATE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

/* Verdicts that end the program with another status than 0. */
enum { MODEL_FAIL_ON_SLOWER = 1, MODEL_FAIL_ON_FASTER = 2, MODEL_FAIL_ON_UNSURE = 4 };

/* What is asked of one benchmark: --max-slowdown, --fail-on. */
struct model_gate {
    double max_slowdown; /* fraction; NaN: not asked */
    unsigned fail_on;    /* of MODEL_FAIL_ON_... */
};

/* What an experiment is to another one. */
enum model_role {
    MODEL_ROLE_COMPARISON,   /* nothing: it stands by itself */
    MODEL_ROLE_CONTROL,      /* --control: its old side against itself */
    MODEL_ROLE_CONFIRMATION, /* --confirm: the same again, since it failed the gate */
    MODEL_ROLES
};
const char *model_role_name(unsigned role); /* "comparison" ... */

/* A regression that somebody has accepted: `accept` of a suite's file. */
struct model_acceptance {
    double limit;                    /* slowdown, a fraction; 0: nothing is accepted */
    char until[sizeof "2026-12-31"]; /* the last day, UTC */
    char reason[256];
};

enum model_confirmation {
    MODEL_CONFIRMATION_NONE, /* there was no second experiment */
    MODEL_CONFIRMED,
    MODEL_NOT_CONFIRMED
};

/* From good to bad. */
enum model_gate_state {
    MODEL_GATE_NONE, /* nothing was asked, or the command failed */
    MODEL_GATE_PASSED,
    MODEL_GATE_UNSURE, /* --fail-on unsure, and the verdict or the limit is open */
    MODEL_GATE_FAILED,
    MODEL_GATE_STATES
};
const char *model_gate_state_name(unsigned state); /* "none", "passed" */

/* Where an interval lies by a largest slowdown. */
enum model_gate_to_limit {
    MODEL_GATE_NO_LIMIT,
    MODEL_GATE_BELOW,  /* all of it: surely no such slowdown */
    MODEL_GATE_AROUND, /* the limit is within it, or there is no interval */
    MODEL_GATE_ABOVE   /* all of it: surely slower than that */
};

/* What came of it. Both may be true: each asked for by itself would have failed. */
struct model_gate_outcome {
    enum model_gate_state state;
    enum model_gate_to_limit to_limit;
    bool by_verdict; /* --fail-on names the verdict */
    bool by_limit;   /* surely slower than max_slowdown: not where the verdict `slower`
                        was taken back, for the mean, few values or family.unshown */
    bool accepted;   /* the acceptance's limit stood in for the gate's */
    bool expired;    /* there is one, but its last day is over */
    enum model_confirmation confirmation;
    double confirmed_ratio; /* of the second experiment; NaN: there was none */
    double both_wrong;      /* a false failure of both, at most; NaN: likewise */
    bool control_alarmed;   /* the old side differs from itself */
    double control_ratio;   /* NaN: there was no control */
};

/* Several comparisons together. */
struct model_gate_summary {
    enum model_gate_state state; /* the worst of them */
    size_t asked;                /* comparisons with a gate */
    size_t passed;
    size_t unsure;
    size_t failed;
    size_t broken; /* comparisons whose command failed */
};

#endif
