/* The answer of duet study planning: shown, drawn, and kept while it is being made. */
#ifndef DUET_CLI_PLANNING_ANSWER_H
#define DUET_CLI_PLANNING_ANSWER_H

#include "base/text.h"
#include "model/dataset.h"
#include "study/lab/study_state.h"
#include "study/study_planning.h"

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

/* Rows that are done, for people and for programs. */
void planning_answer_append(struct text *text, const struct planning_answer *answer);
void planning_answer_append_records(struct text *csv, struct text *json,
                                    const struct planning_answer *answer);

/* Writes an SVG document: what the cheapest group costs, and how often it finds the
 * slowdown in the half of the instances that it was planned on and in the other, with
 * the other's false positives. Errors: DUET_E_NOMEM, DUET_E_IO. */
BASE_MUST_USE enum duet_code
planning_picture_write(const char *path, const struct planning_answer *answer,
                       struct duet_error *reterr);

/* Takes what the file has, if there is one. state: its path is set. Errors: those of
 * study_state_open(). */
BASE_MUST_USE enum duet_code planning_state_begin(struct study_state *state,
                                                  const struct planning_answer *answer,
                                                  struct duet_error *reterr);
/* Writes the file, every few seconds only, unless `now`. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code planning_state_keep(struct study_state *state,
                                                 const struct planning_answer *answer,
                                                 bool now, struct duet_error *reterr);

#endif
