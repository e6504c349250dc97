/* What `duet suite` does once its options are known, and how it takes them, for other
 * commands too. */
#ifndef DUET_CLI_SUITE_SUITE_CARRY_H
#define DUET_CLI_SUITE_SUITE_CARRY_H

#include "cli/options/baseline_option.h"
#include "cli/options/option.h"
#include "cli/options/run_option_rows.h"
#include "cli/options/shared_option.h"
#include "cli/output.h"
#include "session/suite/suite_request.h"

/* What `duet suite` and `duet git --suite` have beside the options of `duet run`;
 * suite_carry_take() takes them. */
enum { SUITE_OPTION_TIME_BUDGET = 1600, SUITE_OPTION_RESUME };

#define SUITE_OPTION_TIME_BUDGET_ROW                                                    \
    {                                                                                   \
        "time-budget", 0, "T", SUITE_OPTION_TIME_BUDGET,                                \
            "Measure all benchmarks of the suite within T, such as 5min: in turns, so " \
            "that the time goes where the verdict is still open. Default: each has a "  \
            "limit of its own (--until)."                                               \
    }
#define SUITE_OPTION_RESUME_ROW                                                      \
    {                                                                                \
        "resume", 0, NULL, SUITE_OPTION_RESUME,                                      \
            "Go on with the suite's last run in the store. A finished benchmark is " \
            "not measured again, unless the file describes it differently now."      \
    }

/* The last rows of every command that measures a suite. */
#define SUITE_OPTION_ROWS                                                                       \
    SUITE_OPTION_TIME_BUDGET_ROW, RUN_OPTION_AMOUNT_ROWS, RUN_OPTION_MANNER_ROWS,               \
        RUN_OPTION_CARE_ROWS, RUN_OPTION_STREAM_ROWS,                                           \
        {"seed", 0, "N", SHARED_OPTION_SEED,                                                    \
         "Seed all random choices: order of the benchmarks, assignment to CPUs, "               \
         "bootstrap. Default: the file's, else drawn; kept with the results."},                 \
        ANALYSIS_OPTION_ROWS, SHARED_OPTION_MULTIPLICITY_ROW, SHARED_OPTION_GATE_ROWS,          \
        {"store", 0, "PATH", SHARED_OPTION_STORE,                                               \
         "Store the measurements in this file, at a postgresql:// URL, or in 'none'. Default: " \
         ".duet/results.db in the nearest parent folder that has one, else in this "            \
         "one."},                                                                               \
        BASELINE_OPTION_ROWS, OUTPUT_OPTION_ROWS, CLI_OPTION_END_ROWS

struct suite_command {
    struct suite_request request; /* `path` is the file */
    struct output_options output;
    struct baseline_options baseline;
};

/* --only PATTERN. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_carry_only(struct suite_command *suite,
                                              const char *pattern,
                                              struct duet_error *reterr);
/* --old and --new: "VALUE" of {build}, or "NAME=VALUE"; borrowed. Errors: DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code suite_carry_set(struct suite_command *suite,
                                             enum model_side side, const char *word,
                                             struct duet_error *reterr);
/* Any other option: one of the output, the store, the seed, or a setting that goes
 * above the file's. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_carry_take(struct suite_command *suite,
                                              const struct cli_options *parsed, int id,
                                              struct duet_error *reterr);

/* What can only be judged when all options are known. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code suite_carry_check(const struct suite_command *suite,
                                               struct duet_error *reterr);

/* Measures, or lists, and shows the answers. cancel_fd: interrupt_open(); -1: it is
 * called here. Returns the exit status. */
int suite_carry_out(const struct suite_command *command, int cancel_fd);

#endif
