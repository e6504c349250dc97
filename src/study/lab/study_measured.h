/* The experiments that a study rests on, workload by workload, measured just now or
 * found in the store, and what follows from each. */
#ifndef DUET_STUDY_LAB_STUDY_MEASURED_H
#define DUET_STUDY_LAB_STUDY_MEASURED_H

#include "study/lab/study_lab.h"
#include "study/study_samples.h"
#include "study/widths.h"

enum study_way {
    STUDY_TOGETHER, /* duet */
    STUDY_ALONE,    /* interleaved */
    STUDY_SLICED,   /* timeslice */
    STUDY_WAYS
};

struct study_measured {
    char *name;                      /* of the workload; owned */
    int64_t experiments[STUDY_WAYS]; /* 0: none */
};

/* Zeroed storage is an empty one. */
struct study_measured_list {
    struct study_measured *items;
    size_t count;
};

/* Measures every workload of the lab in the chosen ways. Errors: those of
 * study_lab_measure(); what was measured is in the list. */
BASE_MUST_USE enum duet_code study_measure_all(struct study_lab *lab,
                                               const bool ways[STUDY_WAYS],
                                               const char *condition,
                                               struct study_measured_list *ret_list,
                                               struct duet_error *reterr);

/* The newest A/A experiments of each name and schedule in the store: those that were
 * measured under load (`busy`; what says so is cut off the name), or the others. By
 * first measurement. One that has failed is noted, and not there. Errors:
 * DUET_E_TOO_FEW (none), those of the store. */
BASE_MUST_USE enum duet_code study_measured_stored(struct study_lab *lab, bool busy,
                                                   struct study_measured_list *ret_list,
                                                   struct duet_error *reterr);

/* Every workload in the chosen ways within the lab's budget, without load; of a lab
 * without workloads what is stored. Errors: those of study_lab_fit(),
 * study_measure_all() and study_measured_stored(). */
BASE_MUST_USE enum duet_code study_measure_or_find(struct study_lab *lab,
                                                   const bool ways[STUDY_WAYS],
                                                   struct study_measured_list *ret_list,
                                                   struct duet_error *reterr);

/* How long these ways of a workload take, for study_lab_fit(): together one part, one
 * side at a time or both on one CPU two. */
double study_ways_parts(const bool ways[STUDY_WAYS]);

/* The times of the experiments together and alone, without their warm-up; all of one
 * that cannot be analysed. Borrows `times` and what is in it. */
struct study_measured_times {
    struct study_lab *lab;
    const struct study_measured_list *list;
};
struct study_samples study_measured_samples(struct study_measured_times *times);

/* What a study does in its lab: measures (or finds in the store) into two lists, quiet
 * and under load, and tells of what is there. */
struct study_lab_work {
    enum duet_code (*measure)(void *context, struct study_lab *lab,
                              struct study_measured_list lists[2],
                              struct duet_error *reterr);
    enum duet_code (*tell)(void *context, struct study_lab *lab,
                           const struct study_measured_list lists[2],
                           struct duet_error *reterr);
    void *context;
};

/* The whole of it, from study_lab_open() to study_lab_conclude(). What was interrupted
 * is told of as well. Errors: theirs. */
BASE_MUST_USE enum duet_code
study_lab_carry_out(const struct study_lab_options *options,
                    struct study_session *session, const struct study_lab_work *work,
                    struct duet_error *reterr);

/* Adds a row for each workload: the widths that its experiments give. What cannot be
 * analysed is noted as failed and left unknown. Errors: DUET_E_NOMEM, those of the
 * store. */
BASE_MUST_USE enum duet_code
study_measured_widths(struct study_lab *lab, const struct study_measured_list *list,
                      const char *platform, struct widths *widths,
                      struct duet_error *reterr);

#endif
