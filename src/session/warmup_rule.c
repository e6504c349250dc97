#include "session/warmup_rule.h"

#include "base/parse.h"
#include "stats/series.h"

#include <inttypes.h>
#include <string.h>

enum duet_code warmup_rule_take(const char *word, struct model_cleaning *cleaning,
                                struct duet_error *reterr)
{
    if (word[strspn(word, "0123456789")] == '\0' && word[0] != '\0') {
        cleaning->warmup = MODEL_WARMUP_COUNT;
        cleaning->warmup_asked = true;
        return parse_whole(word, "--drop-warmup", 0, INT64_MAX, &cleaning->warmup_count,
                           reterr);
    }
    if (!model_warmup_from_name(word, cleaning)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--drop-warmup %s: expected a number of iterations, none, half or steady",
            word);
    }
    cleaning->warmup_asked = true;
    return DUET_OK;
}

enum duet_code warmup_rule_check(const struct model_cleaning *cleaning,
                                 uint64_t iterations, struct duet_error *reterr)
{
    if (cleaning->warmup == MODEL_WARMUP_COUNT &&
        cleaning->warmup_count >= iterations) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "--drop-warmup %" PRIu64 " leaves none of %" PRIu64
            " iteration%s a run: do more in each run (-I N), or drop fewer",
            cleaning->warmup_count, iterations, iterations == 1 ? "" : "s");
    }
    if (cleaning->warmup == MODEL_WARMUP_STEADY &&
        iterations < STATS_STEADY_VALUES_MIN) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "--drop-warmup steady needs %d iterations a run, and there %s %" PRIu64
            ": do more in each run (-I N), or drop a fixed number",
            STATS_STEADY_VALUES_MIN, iterations == 1 ? "is" : "are", iterations);
    }
    return DUET_OK;
}
