/* The option --sbatch WORDS. */
#ifndef DUET_CLI_SBATCH_OPTION_H
#define DUET_CLI_SBATCH_OPTION_H

#include "model/fleet.h"

/* Adds the words of the value, which a shell would split in the same way. Errors:
 * DUET_E_USAGE (the first is no option), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code sbatch_option_take(struct model_words *words,
                                                const char *value,
                                                struct duet_error *reterr);

#endif
