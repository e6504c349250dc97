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

#endif
