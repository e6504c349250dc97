/* What was typed after `duet watch`. */
#ifndef DUET_CLI_WATCH_OPTION_H
#define DUET_CLI_WATCH_OPTION_H

#include "cli/option.h"
#include "session/watch/watch_request.h"

#include <stdbool.h>

enum watch_option {
    OPTION_EVERY = CLI_OPTION_FIRST,
    OPTION_PER_HOUR,
    OPTION_BATCH,
    OPTION_RULE,
    OPTION_STATISTIC,
    OPTION_ERROR,
    OPTION_CONFIDENCE,
    OPTION_REPLICATES,
    OPTION_INTERVALS,
    OPTION_METRIC,
    OPTION_PATTERN,
    OPTION_PROVISION,
    OPTION_RELEASE,
    OPTION_ATTEMPTS,
    OPTION_RETRY,
    OPTION_PREPARE,
    OPTION_CONCLUDE,
    OPTION_SHELL,
    OPTION_TIMEOUT,
    OPTION_IGNORE_FAILURE,
    OPTION_CPUS,
    OPTION_NAME,
    OPTION_RESUME,
    OPTION_STATUS,
    OPTION_DERIVE,
    OPTION_LOSS,
    OPTION_FAIL_ON,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_VERBOSE
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
    const char *setting; /* one that was given; NULL: none */
};

/* The defaults; the seed is drawn. */
void watch_words_init(struct watch_words *words);
/* Takes option `id` of `rows` with its value. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code watch_words_take(struct watch_words *words,
                                              const struct cli_option *rows, int id,
                                              const char *value,
                                              struct duet_error *reterr);
/* What can only be judged when all is known; `count`: of operands. Errors:
 * DUET_E_USAGE. */
BASE_MUST_USE enum duet_code watch_words_settle(struct watch_words *words, int count,
                                                struct duet_error *reterr);

#endif
