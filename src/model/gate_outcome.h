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

/* From good to bad. */
enum model_gate_state {
    MODEL_GATE_NONE, /* nothing was asked, or the command failed */
    MODEL_GATE_PASSED,
    MODEL_GATE_UNSURE, /* --fail-on unsure, and the verdict or the limit is open */
    MODEL_GATE_FAILED,
    MODEL_GATE_STATES
};
const char *model_gate_state_name(enum model_gate_state state); /* "none", "passed" */

/* Where an interval lies by a largest slowdown. */
enum model_gate_place {
    MODEL_GATE_NO_LIMIT,
    MODEL_GATE_BELOW,  /* all of it: surely no such slowdown */
    MODEL_GATE_AROUND, /* the limit is within it, or there is no interval */
    MODEL_GATE_ABOVE   /* all of it: surely slower than that */
};

/* What came of it. Both may be true: each asked for by itself would have failed. */
struct model_gate_outcome {
    enum model_gate_state state;
    enum model_gate_place place;
    bool by_verdict; /* --fail-on names the verdict */
    bool by_limit;   /* surely slower than max_slowdown */
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
