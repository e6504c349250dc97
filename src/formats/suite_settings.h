/* The options of `duet run` that a suite's file can hold, as keys. */
#ifndef DUET_FORMATS_SUITE_SETTINGS_H
#define DUET_FORMATS_SUITE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

enum suite_setting_kind {
    SUITE_SETTING_VALUE, /* text as the option takes it */
    SUITE_SETTING_FLAG,  /* true or false */
    SUITE_SETTING_EITHER
};

struct suite_setting_key {
    const char *name; /* the option's long name; "usage" for --no-usage */
    enum suite_setting_kind kind;
    bool defaults_only; /* it concerns all benchmarks together */
};

/* All of them, *ret_count. */
const struct suite_setting_key *suite_setting_keys(size_t *ret_count);
/* NULL: there is none of that name. */
const struct suite_setting_key *suite_setting_find(const char *name);

#endif
