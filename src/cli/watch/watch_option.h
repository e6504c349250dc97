/* What was typed after `duet watch`. */
#ifndef DUET_CLI_WATCH_OPTION_H
#define DUET_CLI_WATCH_OPTION_H

#include "base/field.h"
#include "cli/options/option.h"
#include "session/watch/watch_request.h"

#include <stdbool.h>

enum watch_option {
    OPTION_RULE = CLI_OPTION_FIRST,
    OPTION_STATISTIC,
    OPTION_SHELL,
    OPTION_INTERVALS,
    OPTION_FAIL_ON
};

/* What of a command line is for what: a watch that goes on keeps its settings. */
struct watch_words {
    struct watch_request request;
    const char *metric; /* --metric; NULL: not given */
    bool status;
    bool fail_unsure; /* --fail-on unsure */
    bool quiet;
    bool json;
    const char *series; /* --derive; NULL: none */
    double loss;
    bool per_hour_given;
    const char *setting;   /* one that was given; NULL: none */
    const char *executing; /* likewise; not --executions-per-hour, which a series has */
};

/* The defaults; the seed is drawn. */
void watch_words_init(struct watch_words *words);
/* The fields of struct watch_words that are no settings of the watch. */
extern const struct field watch_fields[];
/* Takes another option, for cli_options_parse(). context: a struct watch_words. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code watch_words_take(void *context, struct cli_options *parsed,
                                              int id, struct duet_error *reterr);
/* What can only be judged when all is known; `count`: of operands. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code watch_words_settle(struct watch_words *words, int count,
                                                struct duet_error *reterr);

#endif
