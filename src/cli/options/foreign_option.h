/* The options of every command that reads other programs' files. */
#ifndef DUET_CLI_FOREIGN_OPTION_H
#define DUET_CLI_FOREIGN_OPTION_H

#include "cli/options/option.h"
#include "formats/foreign.h"
#include "model/plan.h"

#include <stdbool.h>

struct foreign_options {
    struct formats_request request; /* without files */
    char **paths[MODEL_SIDES];      /* of --old and --new; owned, the words, too */
    size_t counts[MODEL_SIDES];
    size_t capacities[MODEL_SIDES];
    char *columns[FORMATS_ROLES]; /* owned; `request` points to them */
    char *sides[MODEL_SIDES];     /* owned */
    bool schedule_given;
    enum model_schedule schedule;
};

enum {
    FOREIGN_OPTION_FORMAT = 1200,
    FOREIGN_OPTION_COLUMN,
    FOREIGN_OPTION_MAP,
    FOREIGN_OPTION_BENCHMARK,
    FOREIGN_OPTION_OLD,
    FOREIGN_OPTION_NEW,
    FOREIGN_OPTION_WHERE,
    FOREIGN_OPTION_SEPARATOR,
    FOREIGN_OPTION_SIDES,
    FOREIGN_OPTION_UNIT,
    FOREIGN_OPTION_THROUGHPUT,
    FOREIGN_OPTION_PAIRED,
    FOREIGN_OPTION_SCHEDULE
};

#define FOREIGN_OPTION_ROWS                                                            \
    {"old", 0, "FILE...", FOREIGN_OPTION_OLD,                                          \
     "The files of old, where they are several: each is of processes of its own."},    \
        {"new", 0, "FILE...", FOREIGN_OPTION_NEW, "The files of new, likewise."},      \
        {"format", 0, "numbers|csv|hyperfine|json|go|tango", FOREIGN_OPTION_FORMAT,    \
         "numbers (one a line, '#' begins a comment), csv, hyperfine (JSON), json "    \
         "(any other tool's), go (the output of go test -bench) or tango (its "        \
         "samples). Default: by content."},                                            \
        {"where", 0, "NAME=VALUE", FOREIGN_OPTION_WHERE,                               \
         "CSV: only rows with this value in this column. Several: again."},            \
        {"benchmark", 0, "NAME", FOREIGN_OPTION_BENCHMARK,                             \
         "Of files of several benchmarks, compare this one."},                         \
        {"column", 0, "NAME", FOREIGN_OPTION_COLUMN,                                   \
         "CSV: the column of the values; the same as --map value=NAME."},              \
        {"map", 0, "KEY=NAME", FOREIGN_OPTION_MAP,                                     \
         "CSV: which column is what; KEY is value, old and new (two values a row), "   \
         "side, run, iteration, block, instance or benchmark. Several: again, or "     \
         "with "                                                                       \
         "commas. "                                                                    \
         "Default: columns of these names."},                                          \
        {"separator", 0, "C", FOREIGN_OPTION_SEPARATOR,                                \
         "CSV: ',', ';' or 'tab'. Default: the commonest in the first row."},          \
        {"sides", 0, "OLD,NEW", FOREIGN_OPTION_SIDES,                                  \
         "What the sides are called in the side column, or their commands in "         \
         "hyperfine's JSON. Rows of others are left out. Default: old and new, a and " \
         "b, 0 and 1, base and head, before and after."},                              \
        {"unit", 0, "UNIT", FOREIGN_OPTION_UNIT,                                       \
         "Unit of time of the files: ns, us, ms, s, min, h. Default: by the column's " \
         "name (time_ms), else s."},                                                   \
        {"throughput", 0, NULL, FOREIGN_OPTION_THROUGHPUT,                             \
         "The values are operations per unit of time; they are turned into the time "  \
         "of an operation, so that above 1 is worse here too."},                       \
        {"paired", 0, NULL, FOREIGN_OPTION_PAIRED,                                     \
         "The n-th value of old and of new were measured at the same time. Default: "  \
         "when one file holds both sides and says the run or iteration of each "       \
         "value."},                                                                    \
    {                                                                                  \
        "schedule", 0, "duet|interleaved|sequential", FOREIGN_OPTION_SCHEDULE,         \
            "How it was measured: duet (the same as --paired), interleaved or "        \
            "sequential. Default: duet for pairs, else sequential."                    \
    }

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool foreign_option_take(struct foreign_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr);
/* The same for --old and --new, which take the words behind them, too. */
bool foreign_option_take_files(struct foreign_options *options,
                               struct cli_options *parsed, int id,
                               enum duet_code *ret_code, struct duet_error *reterr);
/* Puts the files into the request: --old and --new, or the operands: one file with both
 * sides, or old and new. Errors: DUET_E_USAGE (none; both ways; one side only; too
 * many). */
BASE_MUST_USE enum duet_code foreign_options_settle(struct foreign_options *options,
                                                    char **operands, size_t count,
                                                    struct duet_error *reterr);
bool foreign_options_has_files(const struct foreign_options *options);
/* Warns of what was not taken from the files. */
void foreign_warn(const struct formats_foreign *foreign);
void foreign_options_release(struct foreign_options *options);

/* How the data counts as measured; NULL: nobody has said. */
const enum model_schedule *
foreign_options_schedule(const struct foreign_options *options);

#endif
