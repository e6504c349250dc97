/* Settings that go into a struct as they are: a row of a table each, by name, for
 * options as for the keys of files. */
#ifndef DUET_BASE_FIELD_H
#define DUET_BASE_FIELD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
    FIELD_IS_TEXT,     /* const char *, borrowed */
    FIELD_IS_FLAG,     /* bool, set to true; takes no value */
    FIELD_IS_WHOLE,    /* uint64_t, from least to most */
    FIELD_IS_SIZE,     /* size_t, from least to most */
    FIELD_IS_INT,      /* int, from least to most */
    FIELD_IS_DURATION, /* uint64_t, nanoseconds, from least */
    FIELD_IS_POSITIVE, /* double */
    FIELD_IS_FRACTION, /* double, parse_fraction() */
    FIELD_IS_SHARE,    /* double, parse_share() */
    FIELD_IS_CHANGE,   /* double, parse_change() */
    FIELD_IS_WORD      /* an enum: the index among the words */
};

struct field {
    const char *option; /* "--runs", as messages name it; NULL: the table's end */
    enum field_kind kind;
    size_t at; /* in the struct */
    uint64_t least;
    uint64_t most;
    const char *const *words; /* ended by NULL */
    /* Where that is NULL: the words 0 to `most` - 1. */
    const char *(*name_of)(unsigned word);
};
enum { FIELD_NAMES_MAX = 16 };

/* Rows for a member of a struct type, whose C type is checked. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): `of` is the name of a type */
#define FIELD_AT(type, m, of) _Generic(((type *)0)->m, of : offsetof(type, m))
#define FIELD_TEXT(option, type, member)                                              \
    {                                                                                 \
        option, FIELD_IS_TEXT, FIELD_AT(type, member, const char *), 0, 0, NULL, NULL \
    }
#define FIELD_FLAG(option, type, member)                                      \
    {                                                                         \
        option, FIELD_IS_FLAG, FIELD_AT(type, member, bool), 0, 0, NULL, NULL \
    }
#define FIELD_WHOLE(option, type, member, least, most)                               \
    {                                                                                \
        option, FIELD_IS_WHOLE, FIELD_AT(type, member, uint64_t), least, most, NULL, \
            NULL                                                                     \
    }
#define FIELD_SIZE(option, type, member, least, most)                                  \
    {                                                                                  \
        option, FIELD_IS_SIZE, FIELD_AT(type, member, size_t), least, most, NULL, NULL \
    }
#define FIELD_INT(option, type, member, least, most)                               \
    {                                                                              \
        option, FIELD_IS_INT, FIELD_AT(type, member, int), least, most, NULL, NULL \
    }
#define FIELD_DURATION(option, type, member)                                          \
    {                                                                                 \
        option, FIELD_IS_DURATION, FIELD_AT(type, member, uint64_t), 1, 0, NULL, NULL \
    }
/* A pause, which may be none. */
#define FIELD_DURATION_OR_0(option, type, member)                                     \
    {                                                                                 \
        option, FIELD_IS_DURATION, FIELD_AT(type, member, uint64_t), 0, 0, NULL, NULL \
    }
#define FIELD_DOUBLE(option, kind, type, member)                       \
    {                                                                  \
        option, kind, FIELD_AT(type, member, double), 0, 0, NULL, NULL \
    }
#define FIELD_WORD(option, type, member, words)                          \
    {                                                                    \
        option, FIELD_IS_WORD, offsetof(type, member), 0, 0, words, NULL \
    }
/* Words that are named by a function, like those of model/names.c. */
#define FIELD_NAMED(option, type, member, name_of, count)                      \
    {                                                                          \
        option, FIELD_IS_WORD, offsetof(type, member), 0, count, NULL, name_of \
    }
#define FIELD_END                                \
    {                                            \
        NULL, FIELD_IS_TEXT, 0, 0, 0, NULL, NULL \
    }

/* Takes `value` into the field of `base` that is called `name` ("runs"). Returns false
 * when the table has none. *ret_code: DUET_E_USAGE when the value is none of its kind.
 */
bool field_take(const struct field *fields, void *base, const char *name,
                const char *value, enum duet_code *ret_code, struct duet_error *reterr);

#endif
