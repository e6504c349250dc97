#include "session/warmup_rule.h"

#include "base/parse.h"

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
