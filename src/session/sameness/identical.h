/* Whether both sides are the same programs, so that there is nothing to measure
 * (--skip-identical). */
#ifndef DUET_SESSION_SAMENESS_IDENTICAL_H
#define DUET_SESSION_SAMENESS_IDENTICAL_H

#include "base/error.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>

enum { IDENTICAL_WHY_BYTES = 256 };

enum identical {
    IDENTICAL_NOT,
    IDENTICAL_UNKNOWN, /* what was compared is equal, but says too little */
    IDENTICAL_YES
};

/* Whether both sides are the same command line in the same folder. */
bool identical_command(const struct model_plan *plan);

/* What is compared: the words of both commands, which must be equal but for the sides'
 * folders; the program; each word that names a file in its side's folder; and what
 * `paths` names there (comma-separated, folders with all that is in them; NULL:
 * nothing). Two ELF programs are the same when they are but for the build id and what
 * is for debuggers, which does not run. Everything else is compared byte by byte. A
 * script, a program that both sides share or a shell runs, or one that looks for
 * libraries beside itself says too little by itself, unless `paths` names what matters.
 *
 * ret_why: what made it so, for a message. Errors: DUET_E_USAGE (a path of `paths` is
 * in neither folder), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code identical_sides(const struct model_plan *plan,
                                             const char *paths,
                                             enum identical *ret_identical,
                                             char ret_why[IDENTICAL_WHY_BYTES],
                                             struct duet_error *reterr);

#endif
