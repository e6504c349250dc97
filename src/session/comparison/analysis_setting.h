/* What is left out, what is estimated, which interval, when a gate fails: the settings
 * of an analysis by their names, which are those of the command line's options and of
 * the keys in a suite's file. */
#ifndef DUET_SESSION_COMPARISON_ANALYSIS_SETTING_H
#define DUET_SESSION_COMPARISON_ANALYSIS_SETTING_H

#include "analysis/conclude.h"

#include <stdbool.h>

/* How a comparison is answered where nothing is asked for: as the model has it, and
 * `same` within 1 %, which a user need not care about. */
struct model_analysis analysis_setting_default(void);

/* Takes setting `name` with its value. Returns false when there is none of this name.
 * Errors in *ret_code: DUET_E_USAGE, DUET_E_NOMEM. */
bool analysis_setting_take(struct model_analysis *options, const char *name,
                           const char *value, enum duet_code *ret_code,
                           struct duet_error *reterr);

/* Refuses blocks for another interval than `block`, where they change nothing. Not for
 * what was stored. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code
analysis_setting_check(const struct model_analysis *options, struct duet_error *reterr);

/* Settings in the order in which they were given, to be put over a stored analysis. The
 * strings are borrowed. */
enum { ANALYSIS_OVERRIDES_MAX = 64 };
struct analysis_overrides {
    struct {
        const char *name;
        const char *value;
    } items[ANALYSIS_OVERRIDES_MAX];
    size_t count;
};
/* Errors: DUET_E_USAGE (too many). */
BASE_MUST_USE enum duet_code
analysis_overrides_add(struct analysis_overrides *overrides, const char *name,
                       const char *value, struct duet_error *reterr);
bool analysis_overrides_have(const struct analysis_overrides *overrides,
                             const char *name);
/* Puts them over *analysis; what was not asked for by name follows from them. NULL:
 * none. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code
analysis_overrides_apply(const struct analysis_overrides *overrides, bool paired,
                         struct model_analysis *analysis, struct duet_error *reterr);

#endif
