#include "base/field.h"

#include "base/parse.h"

#include <string.h>

static enum duet_code take_int(const struct field *field, const char *value, int *ret,
                               struct duet_error *reterr)
{
    uint64_t number = 0;
    enum duet_code code =
        parse_whole(value, field->option, field->least, field->most, &number, reterr);
    *ret = code == DUET_OK ? (int)number : *ret;
    return code;
}

/* 0 is no limit and no default: either is had by leaving the option out. */
static enum duet_code take_duration(const struct field *field, const char *value,
                                    uint64_t *ret_ns, struct duet_error *reterr)
{
    uint64_t ns = 0;
    enum duet_code code = parse_duration_ns(value, field->option, &ns, reterr);
    if (code == DUET_OK && ns < field->least) {
        return error_set(reterr, DUET_E_USAGE,
                         "%s %s: it must be above 0; leave it out for its default",
                         field->option, value);
    }
    *ret_ns = code == DUET_OK ? ns : *ret_ns;
    return code;
}

/* An enum has the size of an int. */
static enum duet_code take_word(const struct field *field, const char *value, void *ret,
                                struct duet_error *reterr)
{
    size_t index = 0;
    const char *names[FIELD_NAMES_MAX + 1] = {NULL};
    for (unsigned i = 0; field->words == NULL && i < field->most && i < FIELD_NAMES_MAX;
         i++) {
        names[i] = field->name_of(i);
    }
    enum duet_code code =
        parse_word(value, field->option, field->words != NULL ? field->words : names,
                   &index, reterr);
    int word = (int)index;
    if (code == DUET_OK) {
        memcpy(ret, &word, sizeof word);
    }
    return code;
}

static enum duet_code take_into(const struct field *field, void *at, const char *value,
                                struct duet_error *reterr)
{
    const char *option = field->option;
    switch (field->kind) {
    case FIELD_IS_TEXT:
        *(const char **)at = value;
        return DUET_OK;
    case FIELD_IS_FLAG:
        *(bool *)at = true;
        return DUET_OK;
    case FIELD_IS_WHOLE:
        return parse_whole(value, option, field->least, field->most, at, reterr);
    case FIELD_IS_SIZE:
        return parse_size(value, option, field->least, field->most, at, reterr);
    case FIELD_IS_INT:
        return take_int(field, value, at, reterr);
    case FIELD_IS_DURATION:
        return take_duration(field, value, at, reterr);
    case FIELD_IS_POSITIVE:
        return parse_positive(value, option, at, reterr);
    case FIELD_IS_FRACTION:
        return parse_fraction(value, option, at, reterr);
    case FIELD_IS_SHARE:
        return parse_share(value, option, at, reterr);
    case FIELD_IS_CHANGE:
        return parse_change(value, option, at, reterr);
    case FIELD_IS_WORD:
        break;
    }
    return take_word(field, value, at, reterr);
}

bool field_take(const struct field *fields, void *base, const char *name,
                const char *value, enum duet_code *ret_code, struct duet_error *reterr)
{
    const struct field *field = fields;
    while (field->option != NULL && strcmp(field->option + strlen("--"), name) != 0) {
        field++;
    }
    if (field->option == NULL) {
        return false;
    }
    *ret_code = take_into(field, (char *)base + field->at, value, reterr);
    return true;
}
