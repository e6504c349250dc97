/* How fleets are shown, and what the parts of `duet fleet` have in common. */
#ifndef DUET_CLI_FLEET_FLEET_SHOW_H
#define DUET_CLI_FLEET_FLEET_SHOW_H

#include "cli/cli.h"
#include "model/analysis.h"
#include "session/fleet/fleet_answers.h"
#include "session/fleet/fleet_collect.h"
#include "session/fleet/fleet_state.h"

#include <stdbool.h>

struct fleet_show {
    bool json;
    bool quiet;
    bool no_color;
    enum fleet_strata strata;
};

/* The words of --by, for FIELD_WORD. */
extern const char *const fleet_strata_words[];

/* Reads the options into `show` (NULL: there are none) and opens the fleet of the one
 * operand, which fleet_close() releases. Returns -1, or an exit status when there is
 * nothing to go on with. */
int fleet_show_open(const struct cli_command *command, int argc, char **argv,
                    struct fleet_show *show, struct fleet *ret_fleet);

/* What the fleet's files show and, with Slurm, what squeue does; a Slurm that does not
 * answer is told. Returns an exit status. */
int fleet_show_status(const struct fleet *fleet, const struct fleet_show *show,
                      int cancel_fd);

/* Collects into `store` (NULL: the fleet's own, or, without a fleet, the default),
 * shows what the results say, and judges the gate. question: used where fleet is NULL.
 * Returns an exit status. */
struct fleet_collection_request {
    const struct fleet *fleet; /* NULL: results of any origin */
    const char *const *paths;
    size_t path_count;
    const char *store;
    struct fleet_question question;
    const struct model_gate *gate;
    bool tasks_judged; /* a task that failed is an exit status */
};
int fleet_show_collection(const struct fleet_collection_request *wanted,
                          const struct fleet_show *show, int cancel_fd);

/* Executes the tasks that have no result, or has Slurm do so, or says how; then what is
 * to be done next. Tasks that were executed here are collected, but not those of a
 * study: fleet_study_collect() has to do that. Returns an exit status. */
int fleet_show_start(const struct fleet *fleet, const char *tasks,
                     const struct fleet_show *show, int cancel_fd);

#endif
