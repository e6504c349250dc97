/* The exit statuses that `git bisect run` understands (--exit-codes git-bisect): 0
 * fast, 1 slow, 125 cannot be told, from 128 on: end the bisection. */
#ifndef DUET_CLI_EXIT_CODES_H
#define DUET_CLI_EXIT_CODES_H

#include "model/comparison.h"

#include <stdbool.h>

enum { EXIT_CODES_FAST = 0, EXIT_CODES_SLOW = 1, EXIT_CODES_SKIP = 125 };

/* Whether the arguments ask for them, also where another one of them is wrong, so that
 * a mistake does not mean "slow". */
bool exit_codes_asked(int argc, char *const *argv);

/* Takes the option's value. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code exit_codes_take(const char *value, bool *ret_git_bisect,
                                             struct duet_error *reterr);

/* What a comparison says, by --max-slowdown where it is given, else by the verdict. */
int exit_codes_judge(const struct model_comparison *comparison);
/* Two comparisons together: slow wins, then skip. */
int exit_codes_worse(int a, int b);

/* The status for git, of the command's own (enum cli_exit) and what its comparisons
 * say: a command that failed is skipped, wrong usage and what this machine cannot do
 * end the bisection. */
int exit_codes_of(int status, int judged);

#endif
