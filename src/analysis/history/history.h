/* A benchmark's speed over a history of commits: what is measured are comparisons of
 * two commits each; the answer is a level of every commit and where the level changed.
 *
 * The level is the ratio to a reference commit, through all stored comparisons
 * (stats/history/ratio_graph.h). Its interval has the error of the path in it.
 *
 * A change is a split of the levels in order. They are taken for a constant before the
 * split, another one behind it, the comparisons' errors (which add up along a chain)
 * and a scatter of the commits. The step between the constants is estimated by
 * generalised least squares at every place that leaves at least three commits on either
 * side, and the place with the largest step in standard errors is tested:
 *
 * - by the errors: normal, after Bonferroni for the places. The variance of the scatter
 *   is half of what the squared differences of neighbours (in longer histories up to
 * three apart, the largest counts) have beyond the comparisons' errors, by their
 * median;
 * - by the order, where there is much scatter: the ranks of the levels are put into
 *   random orders (stats/history/level_split.h), which holds for scatter of any
 *   distribution. Much is more than half the variance of the errors between neighbours.
 *   Where there is less, the levels of a chain are sums of errors, whose orders are not
 *   equally likely.
 *
 * The larger p counts. First a whole piece is tested, then both sides of a split that
 * was found, each at `error` times its share of the commits, of all pieces that can
 * have a change. So a stable history has a false change with probability at most
 * `error`, and one with true changes a further false one: parts in which nothing
 * changes do not overlap, and their shares add up to 1 at most (hierarchical testing:
 * Meinshausen 2008, Biometrika 95). Changes smaller than `least` are left out at the
 * end, the smallest first.
 *
 * One or two commits far from both neighbours, which are alike, are a spike and no part
 * of it; far off at an end they may become either. docs/decisions/0034-change-points.md
 * has the measured error rates. */
#ifndef DUET_ANALYSIS_HISTORY_H
#define DUET_ANALYSIS_HISTORY_H

#include "analysis/history/link.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ANALYSIS_HISTORY_LEAST = 6,  /* commits, for a change to be found */
    ANALYSIS_HISTORY_MOST = 2000 /* on the line: it takes their third power */
};

struct analysis_history_options {
    double confidence; /* of intervals */
    double error;      /* of a history: in (0, 1) */
    double least;      /* changes that are worth telling, as a fraction */
    size_t replicates; /* random orders */
    uint64_t seed;
    size_t reference; /* a commit's index; SIZE_MAX: the first of each piece */
};

enum analysis_commit_kind {
    ANALYSIS_COMMIT_UNKNOWN, /* nothing measured */
    ANALYSIS_COMMIT_USUAL,
    ANALYSIS_COMMIT_SPIKE, /* far off, and back after one or two */
    ANALYSIS_COMMIT_EDGE   /* far off, one of the first or last two */
};

struct analysis_commit {
    enum analysis_commit_kind kind;
    size_t piece; /* into history->pieces */
    double ratio; /* to the piece's reference; NaN: nothing measured */
    double low;
    double high;
};

/* Commits that comparisons connect. */
struct analysis_piece {
    size_t reference;
    size_t commits; /* with a level, of those on the line */
};

struct analysis_change {
    size_t before; /* the last commit measured before it that is no spike ... */
    size_t at;     /* ... and the first behind it */
    size_t piece;
    double ratio; /* mean level behind it / before it, up to the next changes */
    double low;
    double high;
    double p_value;
    bool beside; /* the two were compared with each other, and that says the same */
};

struct analysis_history {
    struct analysis_commit *commits; /* one for each */
    size_t count;
    struct analysis_piece *pieces; /* by their first commits */
    size_t piece_count;
    struct analysis_change *changes; /* in order, piece by piece */
    size_t change_count;
    struct analysis_link *vague; /* left out: they would join pieces (link_choice.h) */
    size_t vague_count;
};
void analysis_history_release(struct analysis_history *history);

/* links: between commits 0 ... count - 1, in the order of history; those with an
 * interval that is open on a side are left out, as are those in `vague`. on_line: which
 * commits are part of the series, at most ANALYSIS_HISTORY_MOST; others only connect.
 * Errors: DUET_E_DOMAIN, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
analysis_history_make(const struct analysis_link *links, size_t link_count,
                      const bool *on_line, size_t count,
                      const struct analysis_history_options *options,
                      struct analysis_history *ret_history, struct duet_error *reterr);

#endif
