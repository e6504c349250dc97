/* What the results of a fleet say, benchmark by benchmark, and how its machines differ.
 */
#ifndef DUET_SESSION_FLEET_FLEET_ANSWERS_H
#define DUET_SESSION_FLEET_FLEET_ANSWERS_H

#include "model/fleet.h"

enum fleet_strata { FLEET_STRATA_NONE, FLEET_STRATA_CPU, FLEET_STRATA_NODE };

struct fleet_question {
    double confidence;
    double same_within; /* NaN: no such verdict */
    bool until_decided; /* an answer after every task, in the order of their numbers */
    enum fleet_strata strata;
};

struct fleet_answers {
    struct model_fleet_answer *list; /* in the order of the benchmarks' names */
    size_t count;
    struct model_fleet_stratum *strata; /* by benchmark, then by name */
    size_t stratum_count;
    size_t used;    /* tasks whose results are in */
    size_t waiting; /* results that wait for a task before them */
    bool decided;   /* every verdict is certain */
};

/* tasks: in the order of their numbers. With until_decided they count up to the first
 * that is neither done nor failed: which of them are in must not depend on how long
 * they took. Otherwise those that are not done are left out. Errors: DUET_E_NOMEM, and
 * those of analysis_instances(). */
BASE_MUST_USE enum duet_code fleet_answers_make(const struct fleet_question *question,
                                                const struct model_fleet_state *tasks,
                                                size_t count,
                                                struct fleet_answers *ret_answers,
                                                struct duet_error *reterr);
/* Judges one of them by the gate, as a comparison, and adds that to the summary. */
void fleet_answer_judge(const struct model_fleet_answer *answer,
                        const struct model_gate *gate,
                        struct model_comparison *ret_comparison,
                        struct model_gate_summary *summary);
void fleet_answers_release(struct fleet_answers *answers);

#endif
