#include "formats/suite_settings.h"

#include <string.h>

static const struct suite_setting_key keys[] = {
    {"runs", SUITE_SETTING_VALUE, false},
    {"iterations", SUITE_SETTING_VALUE, false},
    {"until", SUITE_SETTING_VALUE, false},
    {"min-runs", SUITE_SETTING_VALUE, false},
    {"max-runs", SUITE_SETTING_VALUE, false},
    {"run-time", SUITE_SETTING_VALUE, false},
    {"warmup", SUITE_SETTING_VALUE, false},
    {"timeout", SUITE_SETTING_VALUE, false},
    {"schedule", SUITE_SETTING_VALUE, false},
    {"cpus", SUITE_SETTING_VALUE, false},
    {"cpus-per-side", SUITE_SETTING_VALUE, false},
    {"fill", SUITE_SETTING_EITHER, false},
    {"layout", SUITE_SETTING_VALUE, false},
    {"setup", SUITE_SETTING_VALUE, false},
    {"prepare", SUITE_SETTING_VALUE, false},
    {"conclude", SUITE_SETTING_VALUE, false},
    {"cleanup", SUITE_SETTING_VALUE, false},
    {"shell", SUITE_SETTING_EITHER, false},
    {"input", SUITE_SETTING_VALUE, false},
    {"output", SUITE_SETTING_VALUE, false},
    {"stderr", SUITE_SETTING_VALUE, false},
    {"ignore-failure", SUITE_SETTING_FLAG, false},
    {"usage", SUITE_SETTING_FLAG, false},
    {"confirm", SUITE_SETTING_FLAG, false},
    {"control", SUITE_SETTING_FLAG, false},
    {"same-output", SUITE_SETTING_FLAG, false},
    {"skip-identical", SUITE_SETTING_FLAG, false},
    {"identical-if", SUITE_SETTING_VALUE, false},
    {"estimator", SUITE_SETTING_VALUE, false},
    {"statistic", SUITE_SETTING_VALUE, false},
    {"interval", SUITE_SETTING_VALUE, false},
    {"resample", SUITE_SETTING_VALUE, false},
    {"block-scheme", SUITE_SETTING_VALUE, false},
    {"block-length", SUITE_SETTING_VALUE, false},
    {"design", SUITE_SETTING_VALUE, false},
    {"winsorize", SUITE_SETTING_VALUE, false},
    {"losses", SUITE_SETTING_VALUE, false},
    {"drop-warmup", SUITE_SETTING_VALUE, false},
    {"drop-outliers", SUITE_SETTING_VALUE, false},
    {"same-within", SUITE_SETTING_VALUE, false},
    {"max-slowdown", SUITE_SETTING_VALUE, false},
    {"fail-on", SUITE_SETTING_VALUE, false},
    {"confidence", SUITE_SETTING_VALUE, true},
    {"replicates", SUITE_SETTING_VALUE, true},
    {"multiplicity", SUITE_SETTING_VALUE, true},
    {"seed", SUITE_SETTING_VALUE, true},
};

const struct suite_setting_key *suite_setting_keys(size_t *ret_count)
{
    *ret_count = sizeof keys / sizeof keys[0];
    return keys;
}

const struct suite_setting_key *suite_setting_find(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}
