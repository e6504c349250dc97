/* The options of `duet run`, as typed and checked. */
#ifndef DUET_CLI_RUN_OPTIONS_H
#define DUET_CLI_RUN_OPTIONS_H

#include "cli/options/baseline_option.h"
#include "cli/options/option.h"
#include "cli/output.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/run_request.h"

struct run_options {
    struct run_request request;
    struct output_options output;
    struct baseline_options baseline;
    struct analysis_overrides *overrides; /* records the analysis's; NULL: does not */
    bool git_bisect;                      /* --exit-codes git-bisect */
    const char *setting; /* the last one that says what or how to measure; NULL: none */
};

extern const struct cli_option run_option_rows[];

/* Parses and checks. Returns -1 to go on, else an exit status (after --help or a
 * message). Strings point into argv; run_request_release() frees the rest. */
int run_options_parse(const struct cli_command *command, int argc, char **argv,
                      struct run_options *options);

/* The parts of it, for commands that have further options: the defaults, with a drawn
 * seed; and one option with its value, as cli_options_parse() gives it (context: a
 * struct run_options). Errors: DUET_E_USAGE, DUET_E_NOMEM. */
void run_options_init(struct run_options *options);
BASE_MUST_USE enum duet_code run_options_take(void *context, struct cli_options *parsed,
                                              int id, struct duet_error *reterr);

#endif
