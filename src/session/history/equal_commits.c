#include "session/history/equal_commits.h"

#include "base/alloc.h"

#include <stdlib.h>

enum duet_code equal_commits_new(const bool *on_line, size_t count,
                                 struct equal_commits *ret_equal,
                                 struct duet_error *reterr)
{
    struct equal_commits equal = {.first = alloc_array(count, sizeof *equal.first),
                                  .last = alloc_array(count, sizeof *equal.last),
                                  .measured =
                                      alloc_array(count, sizeof *equal.measured),
                                  .on_line = on_line,
                                  .count = count};
    if (equal.first == NULL || equal.last == NULL || equal.measured == NULL) {
        equal_commits_release(&equal);
        return error_no_memory(reterr);
    }
    *ret_equal = equal;
    return DUET_OK;
}

void equal_commits_release(struct equal_commits *equal)
{
    free(equal->first);
    free(equal->last);
    free(equal->measured);
    *equal = (struct equal_commits){.count = 0};
}

void equal_commits_begin(struct equal_commits *equal)
{
    for (size_t i = 0; i < equal->count; i++) {
        equal->first[i] = equal->last[i] = i;
        equal->measured[i] = false;
    }
}

size_t equal_commits_first(const struct equal_commits *equal, size_t commit)
{
    while (equal->first[commit] != commit) {
        commit = equal->first[commit];
    }
    return commit;
}

static bool are_in_a_row(const struct equal_commits *equal, size_t before,
                         size_t behind)
{
    size_t at = equal->last[before] + 1;
    while (at < behind && !equal->measured[at]) {
        at++;
    }
    return at >= behind;
}

void equal_commits_join(struct equal_commits *equal, size_t a, size_t b)
{
    size_t first = equal_commits_first(equal, a);
    size_t other = equal_commits_first(equal, b);
    bool turned = equal->on_line[first] == equal->on_line[other]
                      ? other < first
                      : equal->on_line[other];
    if (turned) {
        size_t swap = first;
        first = other;
        other = swap;
    }
    bool both = equal->on_line[other];
    if (first == other || (both && !are_in_a_row(equal, first, other))) {
        return;
    }
    equal->first[other] = first;
    equal->last[first] = both ? equal->last[other] : equal->last[first];
}
