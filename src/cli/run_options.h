/* The options of `duet run`, as typed and checked. */
#ifndef DUET_CLI_RUN_OPTIONS_H
#define DUET_CLI_RUN_OPTIONS_H

#include "analysis/compare.h"
#include "cli/output.h"
#include "model/plan.h"
#include "session/parameter.h"

#include <stdbool.h>

struct run_options {
    struct model_plan plan; /* without workloads and CPUs */
    struct model_analysis analysis;
    struct output_options output;
    struct parameter_list parameters;
    /* What each side has for {VAR}, one value each, beside the parameters; of a suite.
     */
    struct parameter_list variables[MODEL_SIDES];
    size_t
        family; /* comparisons that are judged together; 0: those of the parameters */
    const char *commands[MODEL_SIDES]; /* as typed */
    const char *names[MODEL_SIDES];    /* -n; NULL: not given */
    const char *name;                  /* of the benchmark; NULL: not given */
    const char *setup;
    const char *prepare;
    const char *conclude;
    const char *cleanup;
    const char *shell; /* NULL: none */
    const char *cpus;  /* NULL: chosen */
    uint64_t cpus_per_side;
    const char *scan[3];     /* -P, not yet a parameter: -D may follow */
    const char *step;        /* -D */
    bool self;               /* one command, against itself */
    bool paper;              /* --design paper */
    bool decides_by_default; /* the verdict ends it, since nothing else was asked */
    bool run_time_given;
    bool min_runs_given;
    const char *store; /* NULL: the default; "none" */
};

extern const struct cli_option run_option_rows[];

/* Parses and checks. Returns -1 to go on, else an exit status (after --help or a
 * message). Strings point into argv; run_options_release() frees the rest. */
int run_options_parse(const struct cli_command *command, int argc, char **argv,
                      struct run_options *options);
void run_options_release(struct run_options *options);

/* The parts of it, for commands that compose the options themselves: the defaults, with
 * a drawn seed; one option with its value (parsed->value); and what can only be judged
 * when all are known. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
void run_options_init(struct run_options *options);
BASE_MUST_USE enum duet_code run_options_take(struct run_options *options,
                                              struct cli_options *parsed, int id,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code run_options_settle(struct run_options *options,
                                                struct duet_error *reterr);

/* How many comparisons are judged together. */
size_t run_options_family(const struct run_options *options);

#endif
