/* A fleet whose tasks compute parts of a study. */
#ifndef DUET_CLI_FLEET_STUDY_H
#define DUET_CLI_FLEET_STUDY_H

#include "session/fleet/fleet_folder.h"

/* Takes one part of each task, of the fleet and in `paths`, and gives the study's
 * answer as the study's command does; what else there is to say goes to standard error.
 * The command opens its own interruption: none may be open. Returns an exit status,
 * that of a failure when a task has no part yet. */
int fleet_study_collect(const struct fleet *fleet, const char *const *paths,
                        size_t path_count);

/* Executes a command with its words, as if they had been typed: words->list[0] is the
 * last word of its name, behind "study" where it is one. Their order may change.
 * Returns its exit status. */
int fleet_study_execute(bool study, const struct model_words *words);

#endif
