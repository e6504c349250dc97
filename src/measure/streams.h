/* A program's standard streams, and what it said last on standard error. */
#ifndef DUET_MEASURE_STREAMS_H
#define DUET_MEASURE_STREAMS_H

#include "base/error.h"
#include "model/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct streams {
    int fds[3];
    bool owned[3];
};

/* Whether the plan's input can be read, by each execution anew: no pipe; and whether
 * the outputs are two files. Nothing is opened. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code streams_check_paths(const struct model_plan *plan,
                                                 struct duet_error *reterr);

/* Whether a command names no descriptor that a shell has opened for it and only one
 * execution could use, as <(...) does. Errors: DUET_E_USAGE. */
BASE_MUST_USE enum duet_code streams_check_command(const char *command,
                                                   struct duet_error *reterr);

/* Whether the input can be read, and whether the files that the plan names can be
 * opened; output files are there and empty afterwards. Errors: DUET_E_USAGE (says which
 * option and file), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code streams_check(const struct model_plan *plan,
                                           struct duet_error *reterr);

/* Opens what the plan says for one execution of `side`. pipe_out, pipe_err: write ends
 * of the position's pipes, for MODEL_STREAM_PIPE (pipe_err: of the side's). An output
 * file gets ".old" or ".new" appended, since both sides write at the same time. Returns
 * 0 or an errno value. */
int streams_open(struct streams *streams, const struct model_plan *plan,
                 enum model_side side, int pipe_out, int pipe_err);
void streams_close(struct streams *streams);

enum { STREAMS_TAIL_BYTES = 2048 };

/* The last bytes that came through a pipe. */
struct stream_tail {
    char bytes[STREAMS_TAIL_BYTES];
    size_t length;
};

/* Reads all that is in the non-blocking pipe and keeps the end of it; bounded per call,
 * so that a program that prints gigabytes cannot keep the caller. */
void stream_tail_read(struct stream_tail *tail, int fd);

/* The same of a file. */
void stream_tail_read_file(struct stream_tail *tail, int fd);

/* The last `lines` lines as a string that lives in the tail; unprintable bytes become
 * '?'. Of the calls on a stack, as Java, Node.js, Rust and Go print them, one line is
 * left.
 */
const char *stream_tail_lines(struct stream_tail *tail, unsigned lines);

#endif
