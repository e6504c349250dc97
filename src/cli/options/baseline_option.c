#include "cli/options/baseline_option.h"

#include "base/parse.h"

static enum duet_code take_name(const char *value, const char *what,
                                const char **ret_name, struct duet_error *reterr)
{
    if (*value == '\0') {
        return error_set(reterr, DUET_E_USAGE, "%s: a baseline has a name", what);
    }
    *ret_name = value;
    return DUET_OK;
}

bool baseline_option_take(struct baseline_options *options,
                          const struct cli_options *parsed, int id,
                          enum duet_code *ret_code, struct duet_error *reterr)
{
    size_t index = 0;
    switch (id) {
    case BASELINE_OPTION_SAVE:
        *ret_code = take_name(parsed->value, "--save-baseline", &options->save, reterr);
        return true;
    case BASELINE_OPTION_WITH:
        *ret_code = take_name(parsed->value, "--baseline", &options->with, reterr);
        return true;
    case BASELINE_OPTION_FROM:
        *ret_code = parse_word(parsed->value, "--baseline-from", baseline_reach_names,
                               &index, reterr);
        options->reach =
            *ret_code == DUET_OK ? (enum baseline_reach)index : options->reach;
        return true;
    default:
        return false;
    }
}
