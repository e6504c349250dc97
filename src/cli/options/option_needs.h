/* Options that do nothing without another one. */
#ifndef DUET_CLI_OPTION_NEEDS_H
#define DUET_CLI_OPTION_NEEDS_H

#include "cli/options/option.h"

/* given: by the row of command->options. Says which option is without the one that it
 * goes with; returns whether there is none such. */
bool option_needs_check(const struct cli_command *command, const bool *given);

#endif
