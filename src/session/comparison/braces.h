/* {NAME} in a command where there is no parameter NAME. */
#ifndef DUET_SESSION_COMPARISON_BRACES_H
#define DUET_SESSION_COMPARISON_BRACES_H

#include "session/comparison/run_request.h"
#include "session/listener.h"

/* With parameters (-L, -P): refuses a side that does not use one of them and has braces
 * around another name, which is how a mistyped name looks. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code braces_check(const struct run_request *options,
                                          enum model_side side,
                                          struct duet_error *reterr);

/* Without parameters: warns of a word {NAME} of a command, which is passed on as it is.
 */
void braces_warn(const struct run_request *options, const struct listener *listener);

#endif
