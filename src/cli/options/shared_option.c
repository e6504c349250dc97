#include "cli/options/shared_option.h"

#include "base/parse.h"

static enum duet_code take_own(const struct shared_options *options, int id,
                               const char *value, struct duet_error *reterr)
{
    if (id == SHARED_OPTION_STORE) {
        if (options->store != NULL) { /* a command that has a store */
            *options->store = value;
        }
        return DUET_OK;
    }
    if (options->seed_given != NULL) {
        *options->seed_given = true;
    }
    return parse_whole(value, "--seed", 0, INT64_MAX, options->seed, reterr);
}

bool shared_option_take(const struct shared_options *options,
                        struct cli_options *parsed, int id, enum duet_code *ret_code,
                        struct duet_error *reterr)
{
    const char *value = parsed->value;
    bool of_analysis = id == SHARED_OPTION_SEED;
    if (id == SHARED_OPTION_STORE || id == SHARED_OPTION_SEED) {
        *ret_code = take_own(options, id, value, reterr);
    } else if (id == CLI_OPTION_SETTING && options->analysis != NULL) {
        of_analysis = analysis_setting_take(options->analysis, parsed->name, value,
                                            ret_code, reterr);
    } else {
        return (options->output != NULL &&
                output_option_take(options->output, id, value, ret_code, reterr)) ||
               (options->foreign != NULL &&
                (foreign_option_take(options->foreign, id, value, ret_code, reterr) ||
                 foreign_option_take_files(options->foreign, parsed, id, ret_code,
                                           reterr)));
    }
    if (of_analysis && *ret_code == DUET_OK && options->overrides != NULL) {
        *ret_code =
            analysis_overrides_add(options->overrides, parsed->name, value, reterr);
    }
    return id != CLI_OPTION_SETTING || of_analysis;
}

enum duet_code shared_option_take_store(void *context, struct cli_options *parsed,
                                        int id, struct duet_error *reterr)
{
    const struct shared_options shared = {.store = context};
    enum duet_code code = DUET_OK;
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}
