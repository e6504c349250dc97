#include "cli/warmup_rule.h"

#include "base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum stats_warmup warmup;
} rules[] = {{"none", STATS_WARMUP_NONE},
             {"half", STATS_WARMUP_HALF},
             {"steady", STATS_WARMUP_STEADY}};

enum { RULES = sizeof rules / sizeof rules[0] };

static enum duet_code read_word(const char *word, struct analysis_cleaning *cleaning,
                                struct duet_error *reterr)
{
    for (size_t i = 0; i < RULES; i++) {
        if (strcmp(word, rules[i].word) == 0) {
            cleaning->warmup = rules[i].warmup;
            return DUET_OK;
        }
    }
    if (strspn(word, "0123456789") == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--drop-warmup %s: it is a number of iterations, or one of "
                         "none, half, steady",
                         word);
    }
    cleaning->warmup = STATS_WARMUP_COUNT;
    return parse_whole(word, "--drop-warmup", 0, INT64_MAX, &cleaning->warmup_count,
                       reterr);
}

enum duet_code warmup_rule_take(const char *word, struct analysis_cleaning *cleaning,
                                struct duet_error *reterr)
{
    cleaning->warmup_asked = true;
    return read_word(word, cleaning, reterr);
}

void warmup_rule_write(const struct analysis_cleaning *cleaning,
                       char ret_word[MODEL_WARMUP_RULE_BYTES])
{
    ret_word[0] = '\0';
    if (cleaning->warmup == STATS_WARMUP_COUNT) {
        (void)snprintf(ret_word, MODEL_WARMUP_RULE_BYTES, "%" PRIu64,
                       cleaning->warmup_count);
        return;
    }
    for (size_t i = 0; i < RULES; i++) {
        if (cleaning->warmup == rules[i].warmup &&
            cleaning->warmup != STATS_WARMUP_NONE) {
            (void)snprintf(ret_word, MODEL_WARMUP_RULE_BYTES, "%s", rules[i].word);
        }
    }
}

enum duet_code warmup_rule_recall(const struct store_experiment *experiment,
                                  struct analysis_cleaning *cleaning,
                                  struct duet_error *reterr)
{
    struct duet_error error;
    if (cleaning->warmup_asked || experiment->drop_warmup[0] == '\0') {
        return DUET_OK;
    }
    struct analysis_cleaning planned = *cleaning;
    if (read_word(experiment->drop_warmup, &planned, &error) != DUET_OK) {
        return error_set(reterr, DUET_E_FORMAT,
                         "experiment %" PRId64 " was planned to leave out '%s' as "
                         "warm-up, which this duet does not know; say --drop-warmup",
                         experiment->id, experiment->drop_warmup);
    }
    *cleaning = planned;
    return DUET_OK;
}
