/* What keeps an `unsure` comparison from its verdict, and what would help. */
#ifndef DUET_ANALYSIS_ADVICE_H
#define DUET_ANALYSIS_ADVICE_H

#include "analysis/remarks/warnings.h"
#include "model/comparison.h"

/* What was measured and how. */
struct analysis_effort {
    double elapsed_s;                  /* of all runs; not positive: unknown */
    const char *commands[MODEL_SIDES]; /* as typed, borrowed; NULL: not to be had */
    const char *folders[MODEL_SIDES];  /* where they ran; NULL: in the current one */
};

/* Fills comparison->advice; of a verdict that is not `unsure` it is NONE, and where the
 * values allow no interval, which more runs do not change. Of *comparison are read:
 * verdict, doubt, schedule, interval(_refused), could_have_seen, same_within(_asked),
 * losses, statistic, conditions (with taken_ratio). The time to see 1 % is
 * the elapsed time times the square of (could_have_seen / 1 %): what can be seen
 * shrinks with the root of the number of blocks. What other programs measured has no
 * options: they would not take them. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code analysis_advise(const struct analysis_facts *facts,
                                             const struct analysis_effort *effort,
                                             struct model_comparison *comparison,
                                             struct duet_error *reterr);

#endif
