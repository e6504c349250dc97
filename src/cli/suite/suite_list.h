/* `duet suite --list`: what would be measured. */
#ifndef DUET_CLI_SUITE_LIST_H
#define DUET_CLI_SUITE_LIST_H

#include "session/suite/suite_plan.h"

/* Prints it to standard output. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code suite_list_print(const struct suite_plan *plan,
                                              struct duet_error *reterr);

#endif
