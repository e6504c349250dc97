/* --save-baseline, --baseline and --baseline-from. */
#ifndef DUET_CLI_BASELINE_OPTION_H
#define DUET_CLI_BASELINE_OPTION_H

#include "cli/options/option.h"
#include "session/history/baseline.h"

struct baseline_options {
    const char *save; /* NULL: no */
    const char *with; /* NULL: none */
    enum baseline_reach reach;
    const struct analysis_overrides
        *overrides; /* in place of what is stored; or NULL */
};

enum { BASELINE_OPTION_SAVE = 1500, BASELINE_OPTION_WITH, BASELINE_OPTION_FROM };

#define BASELINE_OPTION_WITH_ROWS                                                         \
    {"baseline", 0, "NAME", BASELINE_OPTION_WITH,                                         \
     "Also compare the new side with what was saved as this baseline. That is not "       \
     "paired: what changed on the machine since is in it. duet git takes the baseline's " \
     "commit for BASE instead and measures it again, paired."},                           \
    {                                                                                     \
        "baseline-from", 0, "same|alike|any", BASELINE_OPTION_FROM,                       \
            "Take a baseline from the same machine only (the default), from one of "      \
            "the same CPU model, kernel, clock and governor, or from any, without a "     \
            "verdict."                                                                    \
    }
#define BASELINE_OPTION_ROWS                                                       \
    {"save-baseline", 0, "NAME", BASELINE_OPTION_SAVE,                             \
     "Keep what is measured as a baseline of this name, in place of an older one " \
     "of the same benchmark and CPU model."},                                      \
        BASELINE_OPTION_WITH_ROWS

/* Takes option `id`, as it was parsed. Returns false when it is not one of these. */
bool baseline_option_take(struct baseline_options *options,
                          const struct cli_options *parsed, int id,
                          enum duet_code *ret_code, struct duet_error *reterr);

#endif
