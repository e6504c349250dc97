/* Which experiments `duet list` shows. */
#ifndef DUET_CLI_LIST_LIST_FILTER_H
#define DUET_CLI_LIST_LIST_FILTER_H

#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed storage lets everything through. */
struct list_filter {
    const char *name;     /* a shell pattern, or a part of the name; NULL: any */
    unsigned verdicts;    /* 1 << enum model_verdict, added up; 0: any */
    unsigned states;      /* 1 << enum store_state, added up; 0: any */
    int64_t since_utc_ms; /* since 1970; 0: any */
};

/* A state as the list shows it: "unfinished" of STORE_RUNNING. */
const char *list_state_word(enum store_state state);

/* As the user called the side, else its command; "" when nothing is known. */
const char *list_side_name(const struct store_experiment *experiment,
                           enum model_side side);

/* Comma-separated verdicts or states into a sum of bits. Errors: DUET_E_USAGE (names
 * all words). */
BASE_MUST_USE enum duet_code list_filter_verdicts(const char *words,
                                                  unsigned *ret_verdicts,
                                                  struct duet_error *reterr);
BASE_MUST_USE enum duet_code list_filter_states(const char *words, unsigned *ret_states,
                                                struct duet_error *reterr);

/* Whether the experiment passes, as far as its verdict is not asked for. */
bool list_filter_passes(const struct list_filter *filter,
                        const struct store_experiment *experiment);
bool list_filter_passes_verdict(const struct list_filter *filter,
                                const struct store_verdict *verdict);

#endif
