/* The options that several commands have, taken in one place: those of the analysis, of
 * the output, of other programs' files, of the exit status, and the store and the seed.
 */
#ifndef DUET_CLI_SHARED_OPTION_H
#define DUET_CLI_SHARED_OPTION_H

#include "cli/analysis_option.h"
#include "cli/foreign_option.h"
#include "cli/output.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SHARED_OPTION_STORE = 1400,
    SHARED_OPTION_SEED,
    SHARED_OPTION_FAIL_ON,
    SHARED_OPTION_MAX_SLOWDOWN,
    SHARED_OPTION_MULTIPLICITY
};

#define SHARED_OPTION_GATE_ROWS                                                    \
    {"max-slowdown", 0, "P", SHARED_OPTION_MAX_SLOWDOWN,                           \
     "Exit with 1 when the whole interval is above a slowdown of P (such as 2%); " \
     "fine when it is below; else the answer counts as unsure."},                  \
    {                                                                              \
        "fail-on", 0, "VERDICTS", SHARED_OPTION_FAIL_ON,                           \
            "Exit with 1 on these verdicts (slower, faster), with 3 on unsure; "   \
            "comma-separated, or none. Default: none."                             \
    }

#define SHARED_OPTION_STORE_READ_ROW                                                \
    {                                                                               \
        "store", 0, "PATH", SHARED_OPTION_STORE,                                    \
            "The database. Default: .duet/results.db in the nearest parent folder " \
            "that has one."                                                         \
    }

#define SHARED_OPTION_MULTIPLICITY_ROW                                              \
    {                                                                               \
        "multiplicity", 0, "RULE", SHARED_OPTION_MULTIPLICITY,                      \
            "With several benchmarks at once, what keeps false alarms from adding " \
            "up: holm (the default), bonferroni (wider intervals), bh (bounds the " \
            "share of false ones among the alarms) or none."                        \
    }

/* Options of the analysis as typed, in their order, to be put over a stored one. The
 * values are borrowed. */
enum { ANALYSIS_OVERRIDES_MAX = 64 };
struct analysis_overrides {
    struct {
        int id;
        const char *value;
    } items[ANALYSIS_OVERRIDES_MAX];
    size_t count;
};
/* Records option `id` when it is one of them. Errors: DUET_E_USAGE (too many). */
BASE_MUST_USE enum duet_code
analysis_overrides_add(struct analysis_overrides *overrides, int id, const char *value,
                       struct duet_error *reterr);
bool analysis_overrides_have(const struct analysis_overrides *overrides, int id);
/* Puts them over *analysis; what was not asked for by name follows from them. NULL:
 * none. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code
analysis_overrides_apply(const struct analysis_overrides *overrides, bool paired,
                         struct model_analysis *analysis, struct duet_error *reterr);

/* Where they go; NULL: the command has none of these. */
struct shared_options {
    struct model_analysis *analysis;
    struct analysis_overrides *overrides; /* what is taken is recorded, too */
    struct output_options *output;
    struct foreign_options *foreign;
    const char **store;
    uint64_t *seed;
    bool *seed_given; /* may be NULL */
};

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool shared_option_take(const struct shared_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr);

#endif
