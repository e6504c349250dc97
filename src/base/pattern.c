#include "base/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Parts of what has been read of a group: all, and the last one, which a repetition
 * multiplies. Neither is above 2 * PATTERN_PARTS_MAX. */
struct group {
    size_t before; /* the last one */
    size_t last;
};

static void add_part(struct group *group, size_t parts)
{
    group->before += group->last;
    group->last = parts;
}

static size_t group_parts(const struct group *group)
{
    return group->before + group->last;
}

/* Behind the "]" of the bracket expression that begins at `at`. */
static const char *skip_bracket(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']' ? 1 : 0;
    while (*at != '\0' && *at != ']') {
        if (at[0] == '[' && at[1] != '\0' && strchr(":.=", at[1]) != NULL) {
            const char close[] = {at[1], ']', '\0'};
            const char *end = strstr(at + 2, close);
            at = end == NULL ? at + 1 : end + 1;
        }
        at += *at == '\0' ? 0 : 1;
    }
    return *at == '\0' ? at : at + 1;
}

/* How often the interval "{2,3}" at `at` repeats what is before it at most, "{2,}"
 * being three times; 1 for what is no interval. *ret_end: behind it. */
static size_t interval_times(const char *at, const char **ret_end)
{
    char *end = NULL;
    size_t times = isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 10) : 0;
    const char *after = end == NULL ? at + 1 : end;
    if (*after == ',') {
        after++;
        times += 1;
        if (isdigit((unsigned char)*after)) {
            times = strtoul(after, &end, 10);
            after = end;
        }
    }
    bool interval = *after == '}';
    *ret_end = interval ? after + 1 : at + 1;
    return interval && times > 0 ? times : 1;
}

/* One step behind `at`, which is neither parenthesis. */
static const char *read_part(const char *at, struct group *group)
{
    size_t times = 1;
    const char *after = at + 1;
    switch (*at) {
    case '*':
    case '?':
        return after;
    case '+':
        times = 2;
        break;
    case '{':
        times = interval_times(at, &after);
        break;
    case '[':
        add_part(group, 1);
        return skip_bracket(at);
    case '^':
    case '$':
        add_part(group, PATTERN_ANCHOR_PARTS);
        return after;
    case '\\':
        if (at[1] == '\0') {
            return after;
        }
        add_part(group, strchr("bB<>`'", at[1]) != NULL ? PATTERN_ANCHOR_PARTS : 1);
        return after + 1;
    default:
        add_part(group, 1);
        return after;
    }
    group->last =
        times > PATTERN_PARTS_MAX ? 2 * (size_t)PATTERN_PARTS_MAX : group->last * times;
    return after;
}

static enum duet_code check_limits(const char *pattern, struct duet_error *reterr)
{
    struct group groups[PATTERN_DEPTH_MAX + 1] = {{0}};
    size_t depth = 0;
    for (const char *at = pattern; *at != '\0';) {
        if (*at == '(') {
            if (depth == PATTERN_DEPTH_MAX) {
                return error_set(reterr, DUET_E_FORMAT,
                                 "its parentheses are nested more than %d deep",
                                 PATTERN_DEPTH_MAX);
            }
            groups[++depth] = (struct group){0};
            at++;
        } else if (*at == ')' && depth > 0) {
            depth--;
            add_part(&groups[depth], group_parts(&groups[depth + 1]) + 1);
            at++;
        } else {
            at = read_part(at, &groups[depth]);
        }
        if (group_parts(&groups[depth]) > PATTERN_PARTS_MAX) {
            return error_set(reterr, DUET_E_FORMAT,
                             "it is longer than %d characters when its "
                             "repetitions are written out (an anchor counts as %d); "
                             "write * for large counts",
                             PATTERN_PARTS_MAX, PATTERN_ANCHOR_PARTS);
        }
    }
    return DUET_OK;
}

enum duet_code pattern_compile(const char *pattern, regex_t *ret_regex,
                               struct duet_error *reterr)
{
    regex_t regex;
    enum duet_code code = check_limits(pattern, reterr);
    if (code != DUET_OK) {
        return code;
    }
    int wrong = regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE);
    if (wrong != 0) {
        char why[200];
        (void)regerror(wrong, &regex, why, sizeof why);
        return error_set(reterr, wrong == REG_ESPACE ? DUET_E_NOMEM : DUET_E_FORMAT,
                         "%s", why);
    }
    *ret_regex = regex;
    return DUET_OK;
}
