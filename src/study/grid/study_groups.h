/* Drawing a test and a control group from the measurements of one benchmark. */
#ifndef DUET_STUDY_STUDY_GROUPS_H
#define DUET_STUDY_STUDY_GROUPS_H

#include "base/random.h"
#include "study/grid/study_subject.h"

#include <stdbool.h>
#include <stddef.h>

enum study_sampling {
    STUDY_SAMPLING_INSTANCES, /* ibs: groups of different instances */
    STUDY_SAMPLING_TRIALS,    /* tbs: the same instances, different trials */
    STUDY_SAMPLING_PAIRS,     /* the two sides of the same trials; needs pairs */
    STUDY_SAMPLINGS
};
const char *study_sampling_name(enum study_sampling sampling);
extern const char *const study_sampling_names[]; /* "ibs" ..., ended by NULL */

/* What a group is made of. */
struct study_cell {
    enum study_sampling sampling;
    size_t instances; /* >= 1 */
    size_t trials;    /* of each, >= 1 */
};

/* One group: which trials, by instance; values are those of the subject. */
struct study_group {
    size_t *firsts; /* instances + 1 */
    size_t *offsets;
    size_t *counts;
    size_t count; /* values */
    struct stats_nested nested;
};

/* Room for the groups of cells up to a size; each thread has its own. */
struct study_groups {
    struct study_group test;
    struct study_group control;
    size_t *order;   /* instances, and trials of one, to shuffle */
    size_t *scratch; /* of stats_nested_resample() */
    size_t *memory;  /* the block that all of them lie in */
};

/* Whether the data suffices: ibs needs twice the instances with so many trials, tbs so
 * many with twice the trials, pairs so many with so many, and pairs. */
bool study_cell_fits(const struct study_subject *subject,
                     const struct study_cell *cell);

/* For cells of up to so many instances and trials. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_groups_init(const struct study_subject *subject,
                                               size_t instances, size_t trials,
                                               struct study_groups *ret_groups,
                                               struct duet_error *reterr);
void study_groups_release(struct study_groups *groups);

/* Draws both groups of a cell that fits. Under pairs a coin for each trial says which
 * side goes to which group, so that the groups do not differ even where the sides do.
 * Source: Laaber 2019 s.5.2, equations 9 to 12; instances are drawn among those that
 * have trials enough, and trials anew in each instance. */
void study_groups_draw(const struct study_subject *subject,
                       const struct study_cell *cell, struct random_stream *stream,
                       struct study_groups *groups);

#endif
