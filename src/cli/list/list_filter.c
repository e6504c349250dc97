#include "cli/list/list_filter.h"

#include "base/parse.h"
#include "session/history/history_name.h"

enum { STATES = STORE_FAILED + 1 };

const char *list_state_word(enum store_state state)
{
    switch (state) {
    case STORE_RUNNING:
        return "unfinished";
    case STORE_DONE:
        return "done";
    case STORE_INTERRUPTED:
        return "interrupted";
    case STORE_FAILED:
        break;
    }
    return "failed";
}

const char *list_side_name(const struct store_experiment *experiment,
                           enum model_side side)
{
    const char *name = experiment->names[side];
    if (name == NULL || name[0] == '\0') {
        name = experiment->commands[side];
    }
    return name == NULL ? "" : name;
}

enum duet_code list_filter_verdicts(const char *words, unsigned *ret_verdicts,
                                    struct duet_error *reterr)
{
    const char *known[MODEL_VERDICTS + 1] = {NULL};
    for (unsigned i = 0; i < MODEL_VERDICTS; i++) {
        known[i] = model_verdict_name((enum model_verdict)i);
    }
    known[MODEL_VERDICT_FAILED] = NULL; /* that is a state; no verdict is behind it */
    return parse_word_set(words, "--verdict", known, ret_verdicts, reterr);
}

enum duet_code list_filter_states(const char *words, unsigned *ret_states,
                                  struct duet_error *reterr)
{
    const char *known[STATES + 1] = {NULL};
    for (unsigned i = 0; i < STATES; i++) {
        known[i] = list_state_word((enum store_state)i);
    }
    return parse_word_set(words, "--state", known, ret_states, reterr);
}

bool list_filter_passes(const struct list_filter *filter,
                        const struct store_experiment *experiment)
{
    return experiment->started_utc_ms >= filter->since_utc_ms &&
           (filter->states == 0 ||
            (filter->states & (1U << (unsigned)experiment->state)) != 0) &&
           (history_name_matches(filter->name, experiment->name) ||
            history_name_matches(filter->name, list_side_name(experiment, MODEL_OLD)) ||
            history_name_matches(filter->name, list_side_name(experiment, MODEL_NEW)));
}

bool list_filter_passes_verdict(const struct list_filter *filter,
                                const struct store_verdict *verdict)
{
    return filter->verdicts == 0 ||
           (verdict->known &&
            (filter->verdicts & (1U << (unsigned)verdict->verdict)) != 0);
}
