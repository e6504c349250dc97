/* The options that several commands have, taken in one place: those of the analysis, of
 * the output, of other programs' files, of the exit status, and the store and the seed.
 */
#ifndef DUET_CLI_SHARED_OPTION_H
#define DUET_CLI_SHARED_OPTION_H

#include "cli/options/analysis_option.h"
#include "cli/options/foreign_option.h"
#include "cli/output.h"
#include "session/comparison/analysis_setting.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHARED_OPTION_STORE = 1400, SHARED_OPTION_SEED };

/* otherwise: what fails where neither is given. */
#define SHARED_OPTION_GATE_ROWS_OF(otherwise)                                        \
    {"max-slowdown", 0, "P", CLI_OPTION_SETTING,                                     \
     "Exit with 1 when the whole interval is above a slowdown of P (such as 2%); "   \
     "fine when it is below; else the answer counts as unsure."},                    \
    {                                                                                \
        "fail-on", 0, "slower|faster|unsure|slower,unsure|none", CLI_OPTION_SETTING, \
            "Exit with 1 on these verdicts (slower, faster), with 3 on unsure; "     \
            "comma-separated, or none. Default: " otherwise "."                      \
    }
#define SHARED_OPTION_GATE_ROWS SHARED_OPTION_GATE_ROWS_OF("none")

#define SHARED_OPTION_STORE_READ_ROW                                      \
    {                                                                     \
        "store", 0, "PATH", SHARED_OPTION_STORE,                          \
            "Use this file, or a postgresql:// URL. Default: "            \
            ".duet/results.db in the nearest parent folder that has one." \
    }

#define SHARED_OPTION_MULTIPLICITY_ROW                                         \
    {                                                                          \
        "multiplicity", 0, "holm|bonferroni|bh|none", CLI_OPTION_SETTING,      \
            "Correct for several benchmarks judged at once: holm (the "        \
            "default), bonferroni (wider intervals), bh (bounds the share of " \
            "false ones among the alarms) or none."                            \
    }

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

/* Takes option `id`, as it was parsed. Returns false when it is not one of these. */
bool shared_option_take(const struct shared_options *options,
                        struct cli_options *parsed, int id, enum duet_code *ret_code,
                        struct duet_error *reterr);

/* For cli_options_parse(), where --store is the only one: context is a `const char *`.
 */
enum duet_code shared_option_take_store(void *context, struct cli_options *parsed,
                                        int id, struct duet_error *reterr);

#endif
