#include "base/pattern.h"

#include "base/apart.h"

#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* "Ways": in how many ways a part can match nothing; 0 of a character, 1 of an anchor.
 * Ways are doubles, as products of them may be beyond any limit. */
static const double ways_most = 1e9;

/* What has been read of a group. The last part stands apart, as a repetition may follow
 * it. Parts stay below twice PATTERN_PARTS_MAX. */
struct group {
    size_t parts; /* before the last one */
    size_t last;
    double last_ways;
    double branch;   /* ways of this branch's parts before the last one, and */
    double since;    /* of those behind its last character */
    double branches; /* ways of the branches before */
    size_t nested;   /* repetitions within each other, at most, before the last part */
    size_t last_nested;
    bool anchored; /* there are anchors before the last part, and in it */
    bool last_anchored;
};

struct scan {
    struct group groups[PATTERN_DEPTH_MAX + 1];
    size_t depth;
    double most;  /* ways of parts that stand together */
    bool unclear; /* an anchor is repeated without a character: nobody knows how long
                     that takes */
};

static const struct group nothing = {.last_ways = 1, .branch = 1, .since = 1};

static double capped(double ways)
{
    return ways < ways_most ? ways : ways_most;
}

static size_t group_parts(const struct group *group)
{
    return group->parts + group->last;
}

static double group_ways(const struct group *group)
{
    return capped(group->branches + group->branch * group->last_ways);
}

static size_t group_nested(const struct group *group)
{
    return group->last_nested > group->nested ? group->last_nested : group->nested;
}

/* The last part is what it is. */
static void settle(struct scan *scan, struct group *group)
{
    group->parts += group->last;
    group->nested = group_nested(group);
    group->branch = capped(group->branch * group->last_ways);
    group->since = group->last_ways > 0 ? capped(group->since * group->last_ways) : 1;
    scan->most = group->since > scan->most ? group->since : scan->most;
    group->anchored = group->anchored || group->last_anchored;
    group->last = 0;
    group->last_ways = 1;
    group->last_nested = 0;
    group->last_anchored = false;
}

static void add_part(struct scan *scan, size_t parts, double ways)
{
    struct group *group = &scan->groups[scan->depth];
    settle(scan, group);
    group->last = parts;
    group->last_ways = ways;
}

static void add_anchor(struct scan *scan)
{
    add_part(scan, PATTERN_ANCHOR_PARTS, 1);
    scan->groups[scan->depth].last_anchored = true;
}

static void add_branch(struct scan *scan)
{
    add_part(scan, 1, 1);
    struct group *group = &scan->groups[scan->depth];
    group->branches = capped(group->branches + group->branch);
    group->branch = group->since = 1;
}

/* The last part at most `times` times, and `optional` or not. */
static void repeat(struct scan *scan, size_t times, bool optional)
{
    struct group *group = &scan->groups[scan->depth];
    scan->unclear = scan->unclear || group->last_anchored;
    double once = group->last_ways + (optional ? 1 : 0);
    double ways = 1;
    for (size_t i = 0; i < times && i <= PATTERN_PARTS_MAX; i++) {
        ways = capped(ways * once);
    }
    group->last_ways = ways;
    group->last_nested++;
    group->last = times > PATTERN_PARTS_MAX && group->last > 0
                      ? 2 * (size_t)PATTERN_PARTS_MAX
                      : group->last * (times > 0 ? times : 1) + (optional ? 1 : 0);
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

/* The character at `at` as an interval has it, and how long it is: to glibc "\\0" is a
 * digit there, and "\\," a comma. */
static char interval_character(const char *at, size_t *ret_length)
{
    bool escaped = at[0] == '\\' && (at[1] == '0' || at[1] == ',');
    *ret_length = escaped ? 2 : 1;
    return at[escaped ? 1 : 0];
}

static size_t read_count(const char **at)
{
    size_t count = 0;
    size_t length = 0;
    for (char c = interval_character(*at, &length); isdigit((unsigned char)c);
         c = interval_character(*at, &length)) {
        size_t digit = (size_t)(c - '0');
        count = count > PATTERN_PARTS_MAX ? count : 10 * count + digit;
        *at += length;
    }
    return count;
}

/* The interval "{2,3}" at `at`; what is none stands for itself. Returns what is behind
 * it. "{2,}" is glibc's "xxx*". */
static const char *read_interval(struct scan *scan, const char *at)
{
    const char *after = at + 1;
    size_t least = read_count(&after);
    size_t times = least;
    bool optional = false;
    size_t length = 0;
    if (interval_character(after, &length) == ',') {
        after += length;
        bool open = *after == '}';
        times = open ? least + 1 : read_count(&after);
        optional = open || times != least;
    }
    if (*after != '}') {
        return at + 1;
    }
    repeat(scan, times, optional);
    return after + 1;
}

static const char *read_escaped(struct scan *scan, const char *at)
{
    if (at[1] == '\0') {
        return at + 1;
    }
    if (strchr("bB<>`'", at[1]) != NULL) {
        add_anchor(scan);
    } else { /* what a back-reference stands for may be nothing */
        add_part(scan, 1, isdigit((unsigned char)at[1]) ? 1 : 0);
    }
    return at + 2;
}

static const char *read_group_end(struct scan *scan, const char *at)
{
    if (scan->depth == 0) {
        add_part(scan, 1, 0);
        return at + 1;
    }
    struct group *inner = &scan->groups[scan->depth];
    double ways = group_ways(inner);
    size_t parts = group_parts(inner) + 1;
    settle(scan, inner);
    scan->depth--;
    add_part(scan, parts, ways);
    struct group *outer = &scan->groups[scan->depth];
    outer->last_nested = inner->nested;
    outer->last_anchored = ways > 0 && inner->anchored;
    return at + 1;
}

/* One step behind `at`. */
static const char *read_part(struct scan *scan, const char *at)
{
    switch (*at) {
    case '(':
        scan->groups[++scan->depth] = nothing;
        return at + 1;
    case ')':
        return read_group_end(scan, at);
    case '|':
        add_branch(scan);
        return at + 1;
    case '*':
    case '?':
        repeat(scan, 1, true);
        return at + 1;
    case '+':
        repeat(scan, 2, true);
        return at + 1;
    case '{':
        return read_interval(scan, at);
    case '[':
        add_part(scan, 1, 0);
        return skip_bracket(at);
    case '^':
    case '$':
        add_anchor(scan);
        return at + 1;
    case '\\':
        return read_escaped(scan, at);
    default:
        add_part(scan, 1, 0);
        return at + 1;
    }
}

static enum duet_code check_limits(const char *pattern, bool *ret_unclear,
                                   struct duet_error *reterr)
{
    struct scan scan = {.groups = {nothing}};
    for (const char *at = pattern; *at != '\0';) {
        if (*at == '(' && scan.depth == PATTERN_DEPTH_MAX) {
            return error_set(reterr, DUET_E_FORMAT,
                             "its parentheses are nested more than %d deep",
                             PATTERN_DEPTH_MAX);
        }
        at = read_part(&scan, at);
        if (group_parts(&scan.groups[scan.depth]) > PATTERN_PARTS_MAX) {
            return error_set(
                reterr, DUET_E_FORMAT,
                "it is longer than %d characters when its repetitions are written out (an anchor counts as %d); "
                "write * for large counts",
                PATTERN_PARTS_MAX, PATTERN_ANCHOR_PARTS);
        }
        if (group_nested(&scan.groups[scan.depth]) > PATTERN_NESTED_MAX) {
            return error_set(
                reterr, DUET_E_FORMAT,
                "its repetitions are nested more than %d deep (a** is 2 deep)",
                PATTERN_NESTED_MAX);
        }
    }
    settle(&scan, &scan.groups[scan.depth]);
    *ret_unclear = scan.unclear;
    return scan.most > PATTERN_WAYS_MAX
               ? error_set(reterr, DUET_E_FORMAT,
                           "parts of it can match nothing in more than %d ways; nest "
                           "fewer * and ?",
                           PATTERN_WAYS_MAX)
               : DUET_OK;
}

static int compile(const char *pattern, regex_t *ret_regex)
{
    return regcomp(ret_regex, pattern, REG_EXTENDED | REG_NEWLINE);
}

/* ---- A trial ---- */

static void try_out(void *context)
{
    const char *const *pattern = context;
    regex_t regex;
    (void)compile(*pattern, &regex);
}

/* Within regcomp() nothing can be ended. */
static enum duet_code check_time(const char *pattern, struct duet_error *reterr)
{
    int status = 0;
    enum duet_code code = apart_execute(try_out, &pattern, PATTERN_TRIAL_MS,
                                        "a process that tries it out", &status, reterr);
    if (code != DUET_OK || !WIFSIGNALED(status)) {
        return code;
    }
    return WTERMSIG(status) == SIGPROF
               ? error_set(reterr, DUET_E_FORMAT,
                           "it takes more than %d ms to compile: repeat fewer anchors "
                           "(^ $ \\b \\B)",
                           PATTERN_TRIAL_MS)
               : error_set(reterr, DUET_E_NOMEM, "no memory to compile it");
}

enum duet_code pattern_compile(const char *pattern, regex_t *ret_regex,
                               struct duet_error *reterr)
{
    regex_t regex;
    bool unclear = false;
    enum duet_code code = check_limits(pattern, &unclear, reterr);
    if (code == DUET_OK && unclear) {
        code = check_time(pattern, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    int wrong = compile(pattern, &regex);
    if (wrong != 0) {
        char why[200];
        (void)regerror(wrong, &regex, why, sizeof why);
        return error_set(reterr, wrong == REG_ESPACE ? DUET_E_NOMEM : DUET_E_FORMAT,
                         "%s", why);
    }
    *ret_regex = regex;
    return DUET_OK;
}
