/* The line that a terminal shows while a watch waits. */
#ifndef DUET_CLI_WATCH_LINE_H
#define DUET_CLI_WATCH_LINE_H

#include "model/watching.h"
#include "session/watch/watch_session.h"

/* All but the session zeroed in the beginning. */
struct watch_line {
    const struct watch_session *session;
    struct model_watch_status status;
    size_t reckoned; /* points that the status is of */
    bool drawn;
};

/* For struct watch_session; context: the line. */
void watch_line_draw(void *context, int64_t due_utc_ns);
void watch_line_erase(void *context);

#endif
