/* The options of `duet run`, as typed and checked. */
#ifndef DUET_CLI_RUN_OPTIONS_H
#define DUET_CLI_RUN_OPTIONS_H

#include "analysis/compare.h"
#include "cli/output.h"
#include "cli/parameter.h"
#include "cli/verdict_exit.h"
#include "model/plan.h"

#include <stdbool.h>

struct run_options {
    struct model_plan plan; /* without workloads and CPUs */
    struct analysis_options analysis;
    struct output_options output;
    struct parameter_list parameters;
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
    const char *scan[3]; /* -P, not yet a parameter: -D may follow */
    const char *step;    /* -D */
    bool self;           /* one command, against itself */
    bool run_time_given;
    bool min_runs_given;
    struct gate_options gate;
    enum model_multiplicity multiplicity;
    const char *store; /* NULL: the default; "none" */
};

extern const struct cli_option run_option_rows[];

/* Parses and checks; `self`: one command, which becomes both sides. Returns -1 to go
 * on, else an exit status (after --help or a message). Strings point into argv;
 * run_options_release() frees the rest. */
int run_options_parse(const struct cli_command *command, int argc, char **argv,
                      bool self, struct run_options *options);
void run_options_release(struct run_options *options);

#endif
