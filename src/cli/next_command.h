/* The command to paste behind an answer of `duet plan` or `duet aa`. */
#ifndef DUET_CLI_NEXT_COMMAND_H
#define DUET_CLI_NEXT_COMMAND_H

#include "base/text.h"
#include "model/planning.h"
#include "store/store.h"

struct next_command {
    struct store *store;
    const char *store_option; /* of --store; NULL: the default */
    const struct store_experiment *pilot;
    struct model_amount amount;
};

/* Appends the `duet run` that sees the effect, with the pilot's commands, folders and
 * options. The new side is NEW, to be replaced, where the pilot has one command in one
 * folder. That a folder is gone (a commit's, say) is said in its place. Nothing where
 * too many runs were needed, where a command cannot be shown as it is, and where the
 * stored plan is not complete. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code next_command_append(struct text *text,
                                                 const struct next_command *next,
                                                 struct duet_error *reterr);

/* Appends " --store PATH", or nothing. */
void next_command_append_store(struct text *text, const char *store_option);

#endif
