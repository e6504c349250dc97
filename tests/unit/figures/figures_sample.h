/* What tables and pictures of studies are made of. */
#ifndef TESTS_UNIT_FIGURES_FIGURES_SAMPLE_H
#define TESTS_UNIT_FIGURES_FIGURES_SAMPLE_H

#include "unit/study/answers_sample.h"

#include "figures/grid_table.h"
#include "figures/planning_table.h"
#include "figures/prediction_table.h"
#include "figures/stop_table.h"
#include "figures/variability_table.h"
#include "support/alloc_fail.h"
#include "support/golden.h"

static inline struct grid_question sample_question(enum grid_kind kind)
{
    return (struct grid_question){
        .kind = kind, .plan = sample_plan, .found_least = 0.95, .details = true};
}

#endif
