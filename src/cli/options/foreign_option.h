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

#define FOREIGN_OPTION_ROWS                                                         \
    {"old", 0, "FILE...", FOREIGN_OPTION_OLD,                                       \
     "Read old from several files; each is of other processes."},                   \
        {"new", 0, "FILE...", FOREIGN_OPTION_NEW,                                   \
         "Read new from several files; each is of other processes."},               \
        {"format", 0, "numbers|csv|hyperfine|json|go|tango", FOREIGN_OPTION_FORMAT, \
         "Read this format: numbers (one a line, '#' begins a comment), csv, "      \
         "hyperfine (JSON), json (any other tool's), go (the output of go test "    \
         "-bench) or tango (its samples). Default: by content."},                   \
        {"where", 0, "NAME=VALUE", FOREIGN_OPTION_WHERE,                            \
         "CSV: read only rows with this value in this column. May be "              \
         "repeated."},                                                              \
        {"benchmark", 0, "NAME", FOREIGN_OPTION_BENCHMARK,                          \
         "Compare this benchmark of files that hold several."},                     \
        {"column", 0, "NAME", FOREIGN_OPTION_COLUMN,                                \
         "CSV: read the values from this column, like --map value=NAME."},          \
        {"map", 0, "KEY=NAME", FOREIGN_OPTION_MAP,                                  \
         "CSV: assign columns; KEY is value, old and new (two values a row), "      \
         "side, run, iteration, block, instance or benchmark. Several: again, "     \
         "or with commas. Default: columns of these names."},                       \
        {"separator", 0, "C", FOREIGN_OPTION_SEPARATOR,                             \
         "CSV: split rows at ',', ';' or 'tab'. Default: the commonest in the "     \
         "first row."},                                                             \
        {"sides", 0, "OLD,NEW", FOREIGN_OPTION_SIDES,                               \
         "Name the sides as in the side column, or their commands as in "           \
         "hyperfine's JSON. Other rows are left out. Default: old and new, a "      \
         "and b, 0 and 1, base and head, before and after."},                       \
        {"unit", 0, "UNIT", FOREIGN_OPTION_UNIT,                                    \
         "Read times in this unit: ns, us, ms, s, min, h. Default: by the "         \
         "column's name (time_ms), else s."},                                       \
        {"throughput", 0, NULL, FOREIGN_OPTION_THROUGHPUT,                          \
         "Read the values as operations per unit of time. They are turned "         \
         "into the time of an operation, so that above 1 is worse here too."},      \
        {"paired", 0, NULL, FOREIGN_OPTION_PAIRED,                                  \
         "Pair the n-th values of old and new, which were measured at the "         \
         "same time. Default: when one file holds both sides and says the run "     \
         "or iteration of each value."},                                            \
    {                                                                               \
        "schedule", 0, "duet|interleaved|sequential", FOREIGN_OPTION_SCHEDULE,      \
            "Say how the sides were measured: duet (like --paired), "               \
            "interleaved or sequential. Default: duet for pairs, else "             \
            "sequential."                                                           \
    }

/* What a word of --format or --map can be. */
struct foreign_words {
    const char *(*name_of)(unsigned word);
    unsigned first;
    unsigned count;   /* words `first` to `count` - 1 */
    const char *list; /* as messages name them */
};
/* Errors: DUET_E_USAGE (says what there is). */
BASE_MUST_USE enum duet_code foreign_format_take(const struct foreign_words *formats,
                                                 const char *value, unsigned *ret_kind,
                                                 struct duet_error *reterr);
/* "KEY=NAME", or several with commas between them: the column of each role. owned: the
 * names, of which ret_columns gets the addresses. Errors: DUET_E_USAGE (says what there
 * is), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code foreign_map_take(const struct foreign_words *roles,
                                              const char *value, char **owned,
                                              const char **ret_columns,
                                              struct duet_error *reterr);
/* ',', ';' or 'tab'. Errors: DUET_E_USAGE (says what there is). */
BASE_MUST_USE enum duet_code foreign_separator_take(const char *value,
                                                    char *ret_separator,
                                                    struct duet_error *reterr);

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
