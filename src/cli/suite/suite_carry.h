/* What `duet suite` does once its options are known, and how it takes them, for other
 * commands too. */
#ifndef DUET_CLI_SUITE_SUITE_CARRY_H
#define DUET_CLI_SUITE_SUITE_CARRY_H

#include "cli/options/baseline_option.h"
#include "cli/options/option.h"
#include "cli/output.h"
#include "session/suite/suite_request.h"

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

/* Measures, or lists, and shows the answers. cancel_fd: interrupt_open(); -1: it is
 * called here. Returns the exit status. */
int suite_carry_out(const struct suite_command *command, int cancel_fd);

#endif
