#include "session/git/bisect_likely.h"

#include <string.h>

/* The place of the least likely one; of equally likely ones the last. */
static size_t least_of(const double *weights, const size_t *commits, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++) {
        least = weights[commits[i]] <= weights[commits[least]] ? i : least;
    }
    return least;
}

size_t bisect_likely(const struct bisect_result *result,
                     size_t ret_commits[BISECT_LIKELY_MAX])
{
    const double *weights = result->weights;
    bool many = result->count > BISECT_LIKELY_MAX;
    double enough = many ? 1.0 / (double)(4 * result->count) : 0.0;
    size_t found = 0;
    for (size_t b = 1; b < result->history.count; b++) {
        if (!(weights[b] > 0.0) || weights[b] < enough) {
            continue;
        }
        if (found == BISECT_LIKELY_MAX) {
            size_t least = least_of(weights, ret_commits, found);
            if (weights[b] <= weights[ret_commits[least]]) {
                continue;
            }
            found--;
            memmove(&ret_commits[least], &ret_commits[least + 1],
                    (found - least) * sizeof *ret_commits);
        }
        ret_commits[found++] = b;
    }
    return found;
}
