/* A process that outlives a killed duet just long enough to end what it has started:
 * the programs' own children and those of hooks, which no parent's death signal
 * reaches. */
#ifndef DUET_MEASURE_GUARD_H
#define DUET_MEASURE_GUARD_H

#include <sys/types.h>

enum { GUARD_MARK_BYTES = 17 };

struct guard {
    pid_t pid; /* 0: none */
    int fd;
};

/* Marks all that this process will start from here on, by DUET_GUARD in the environment
 * and by a limit, RLIMIT_RTTIME, that is too high to limit anything; and starts the
 * guard: a child in a session of its own, which sleeps. Once this process is gone
 * without guard_stop(), and its supervisors are or five seconds have passed, it sends
 * SIGKILL to every process that has a mark: also to one in another session, but to none
 * that another user may not kill. Where that limit is set already, a process that was
 * started with an emptied environment is not found. Before the first thread. Without
 * memory or processes there is no guard. */
void guard_start(struct guard *ret_guard);
/* Nothing is killed. */
void guard_stop(struct guard *guard);

/* Draws a mark for what one program will start, and the entry of its environment that
 * holds it behind the marks that are there: free(). NULL: there is no mark, it is "".
 */
char *guard_mark(char ret_mark[GUARD_MARK_BYTES]);
/* Sends SIGKILL to every process with the mark ("": none has it), also in other
 * sessions, until there is none, for a second at most. */
void guard_end_marked(const char *mark);

#endif
