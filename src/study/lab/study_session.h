/* A study under way: where its answer goes, and who may end it. */
#ifndef DUET_STUDY_LAB_STUDY_SESSION_H
#define DUET_STUDY_LAB_STUDY_SESSION_H

#include "base/text.h"
#include "session/listener.h"

#include <stdbool.h>
#include <stdint.h>

struct study_session {
    /* The answer, for people and for programs. */
    struct text table;
    struct text csv;
    struct text json;
    int cancel_fd; /* becomes readable when it is to end */
    const struct listener *listener;
    /* How far it is; false: it is to end. */
    bool (*go_on)(void *context, uint64_t done, uint64_t planned);
    void *context;
};

/* For the study to call from one thread at a time: `done` of `planned`, in any unit.
 * `session` is a struct study_session. False: interrupted. */
bool study_session_go_on(void *session, uint64_t done, uint64_t planned);

#endif
