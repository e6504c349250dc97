/* Whom a session tells what happens while it works: a session prints nothing. */
#ifndef DUET_SESSION_LISTENER_H
#define DUET_SESSION_LISTENER_H

#include "model/comparison.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a measurement is. NaN: not known. */
struct session_progress {
    const char *name; /* of the benchmark */
    size_t index;     /* of it among those of a suite, from 1 */
    size_t count;     /* 0: it is measured alone */
    double done_ratio;
    uint64_t runs;
    uint64_t runs_goal;  /* 0: not known */
    const char *units;   /* "builds"; NULL: runs */
    uint64_t elapsed_ns; /* both of the whole suite, when it is one of it */
    double left_ns;
    double ratio; /* as estimated so far */
    double low;
    double high;
    const size_t *found; /* verdicts of the suite so far: MODEL_VERDICTS; NULL: alone */
};

/* A benchmark of a suite that has ended. */
struct session_ended {
    const char *name;
    /* Its own answer, before all are judged together; NULL: it failed. */
    const struct model_comparison *comparison;
    size_t index;   /* so many have ended */
    size_t count;   /* of all */
    double left_ns; /* of the whole suite; NaN: not known */
};

struct listener {
    /* A line, without its end: news, or a warning. */
    void (*notice)(void *context, bool warning, const char *line);
    /* NULL: not wanted. progress NULL: nothing is under way any more. */
    void (*progress)(void *context, const struct session_progress *progress);
    void (*ended)(void *context,
                  const struct session_ended *ended); /* NULL: likewise */
    void *context;
};

/* A line of any length; one that there is no memory for is lost, and so is one without
 * a listener (NULL). */
void listener_tell(const struct listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void listener_warn(const struct listener *listener, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
