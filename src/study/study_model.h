/* Random values of known mean. */
#ifndef DUET_STUDY_STUDY_MODEL_H
#define DUET_STUDY_STUDY_MODEL_H

#include "base/random.h"
#include "study/study_coverage.h"

enum { STUDY_ITERATIONS_MAX = 20 };

/* Iterations of a run under this model: 1, or 20 with two levels. */
size_t study_model_iterations(enum study_model model);

/* `count` runs of study_model_iterations() values each, run by run, mean 0. */
void study_model_draw(enum study_model model, struct random_stream *stream,
                      double *ret_values, size_t count);

#endif
