/* Two names of one program: comparing them can only raise false alarms. */
#ifndef DUET_SESSION_SAMENESS_SAME_PROGRAM_H
#define DUET_SESSION_SAMENESS_SAME_PROGRAM_H

#include "session/comparison/answer.h"
#include "session/listener.h"

/* Adds a warning to the answer of an experiment whose sides are the same command with
 * the same hooks; imported data has none. Errors: the store's. */
BASE_MUST_USE enum duet_code same_program_note(struct store *store,
                                               struct answer *answer,
                                               struct duet_error *reterr);

/* Takes it out again, for those who compare a program with itself on purpose. */
void same_program_meant(struct model_comparison *comparison);

/* Warns, before anything is measured, when different paths lead to
 * the same file or to identical bytes and the arguments are the same. */
void same_program_warn(const struct model_plan *plan, const struct listener *listener);

#endif
