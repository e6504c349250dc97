/* A comparison, and beside it, in turns, the old side against itself: what this machine
 * shows where there is nothing (--control). */
#ifndef DUET_SESSION_COMPARISON_CONTROLLED_H
#define DUET_SESSION_COMPARISON_CONTROLLED_H

#include "session/comparison/ongoing.h"

struct controlled {
    struct ongoing *main;
    struct benchmark own; /* the control's; its strings are the main benchmark's */
    char *name;           /* of the control */
    struct ongoing *control;
    int64_t experiment; /* 0: none */
    int64_t control_experiment;
    const struct benchmark *benchmark;
    const struct session *session;
    bool wanted; /* a control */
};

/* Begins the comparison; its control, if any, begins with the first slice. The
 * benchmark and the session are borrowed; close in any case. Errors: those of
 * ongoing_begin(). */
BASE_MUST_USE enum duet_code controlled_begin(const struct benchmark *benchmark,
                                              const struct session *session,
                                              bool control,
                                              struct controlled *controlled,
                                              struct duet_error *reterr);
/* A slice of the comparison (for_ns; 0: to the end, in slices of its own where there is
 * a control), and as many runs of the control. Errors: those of ongoing_continue(). */
BASE_MUST_USE enum duet_code controlled_continue(struct controlled *controlled,
                                                 uint64_t for_ns, bool *ret_ended,
                                                 struct duet_error *reterr);
/* Keeps how it ended, with `code` and *error (not of DUET_OK). Returns `code`, else the
 * store's error. */
BASE_MUST_USE enum duet_code controlled_end(struct controlled *controlled,
                                            enum duet_code code,
                                            struct duet_error *error);
void controlled_close(struct controlled *controlled);

/* What there is of it, on failure, too. */
struct experiments {
    int64_t experiment; /* 0: none */
    int64_t control;    /* likewise */
    struct measure_result result;
};
/* All of it. *ret_made: zeroed. Errors: those of the functions above. */
BASE_MUST_USE enum duet_code controlled_carry_out(const struct benchmark *benchmark,
                                                  const struct session *session,
                                                  bool control,
                                                  struct experiments *ret_made,
                                                  struct duet_error *reterr);

#endif
