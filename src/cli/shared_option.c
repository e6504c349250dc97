#include "cli/shared_option.h"

#include "base/parse.h"

#include <string.h>

static enum duet_code take_fail_on(struct gate_options *gate, const char *value,
                                   struct duet_error *reterr)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"slower", GATE_FAIL_ON_SLOWER},
                 {"faster", GATE_FAIL_ON_FASTER},
                 {"unsure", GATE_FAIL_ON_UNSURE}};
    unsigned chosen = 0;
    for (const char *word = value; *word != '\0';) {
        size_t length = strcspn(word, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (strlen(known[i].name) == length &&
                strncmp(known[i].name, word, length) == 0) {
                bit = known[i].bit;
            }
        }
        if (bit == 0) {
            return error_set(reterr, DUET_E_USAGE,
                             "--fail-on %s: the verdicts are slower, faster, unsure",
                             value);
        }
        chosen |= bit;
        word += length + (word[length] == ',');
    }
    gate->fail_on = chosen;
    return DUET_OK;
}

static enum duet_code take_multiplicity(enum model_multiplicity *multiplicity,
                                        const char *value, struct duet_error *reterr)
{
    for (int rule = 0; rule < MODEL_MULTIPLICITIES; rule++) {
        if (strcmp(value, model_multiplicity_name((enum model_multiplicity)rule)) ==
            0) {
            *multiplicity = (enum model_multiplicity)rule;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--multiplicity %s: it is one of holm, bonferroni, bh, none",
                     value);
}

static enum duet_code take_own(const struct shared_options *options, int id,
                               const char *value, struct duet_error *reterr)
{
    switch (id) {
    case SHARED_OPTION_STORE:
        *options->store = value;
        return DUET_OK;
    case SHARED_OPTION_SEED:
        if (options->seed_given != NULL) {
            *options->seed_given = true;
        }
        return parse_whole(value, "--seed", 0, INT64_MAX, options->seed, reterr);
    case SHARED_OPTION_FAIL_ON:
        return take_fail_on(options->gate, value, reterr);
    case SHARED_OPTION_MAX_SLOWDOWN:
        return parse_change(value, "--max-slowdown", &options->gate->max_slowdown,
                            reterr);
    default:
        return take_multiplicity(options->multiplicity, value, reterr);
    }
}

bool shared_option_take(const struct shared_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr)
{
    if (id >= SHARED_OPTION_STORE && id <= SHARED_OPTION_MULTIPLICITY) {
        *ret_code = take_own(options, id, value, reterr);
        return true;
    }
    return (options->output != NULL &&
            output_option_take(options->output, id, value, ret_code, reterr)) ||
           (options->analysis != NULL &&
            analysis_option_take(options->analysis, id, value, ret_code, reterr)) ||
           (options->foreign != NULL &&
            foreign_option_take(options->foreign, id, value, ret_code, reterr));
}
