/* The answer of duet study planning, as far as it is done. */
#ifndef DUET_STUDY_PLANNING_ANSWER_H
#define DUET_STUDY_PLANNING_ANSWER_H

#include "model/dataset.h"
#include "study/study_planning.h"

#include <stdbool.h>

/* Of one configuration. */
struct planning_row {
    bool done;
    bool too_few; /* instances; then `planned` is empty */
    struct study_planned planned;
};

struct planning_answer {
    const struct model_dataset *dataset;
    const struct study_planning *planning;
    struct planning_row *rows; /* one a configuration */
};

/* Counts of configurations that are done. */
struct planning_summary {
    size_t done;
    size_t too_few; /* instances */
    size_t planned;
    size_t checked; /* on the instances held out, which suffice for the plan */
    size_t found;   /* of these, the plan finds the slowdown there often enough */
    size_t quiet;   /* of these, the plan has few enough false positives there */
};
struct planning_summary planning_answer_summary(const struct planning_answer *answer);

#endif
