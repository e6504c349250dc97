/* An experiment as a pilot of others: its pairs, and what they took. */
#ifndef DUET_MODEL_PILOT_H
#define DUET_MODEL_PILOT_H

#include "model/experiment.h"

struct model_pilot {
    struct model_values values; /* paired, in order of their runs; owned */
    enum model_mode mode;
    double wall_ns;      /* that the runs took, with what came between them */
    double iterating_ns; /* of which pairs were executing */
    uint64_t iterations; /* pairs in all */
};

void model_pilot_release(struct model_pilot *pilot);

#endif
