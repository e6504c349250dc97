/* Waiting for a child without signal handlers: the signals that end a wait stay blocked
 * and are taken one by one. */
#ifndef DUET_MEASURE_REAP_H
#define DUET_MEASURE_REAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

enum reap_event {
    REAP_EXITED,
    REAP_STOPPED,
    REAP_TIMED_OUT,
    REAP_CANCELLED, /* SIGTERM: from the runner, or because it died */
    REAP_PEER_ENDED /* SIGUSR1 */
};

/* Blocks all signals, so that reap_wait() can take those it knows. 0, or -1 with errno.
 */
int reap_block_signals(void);

/* Waits for the child to exit or stop, or for what ends the wait before that.
 * *ret_end_ns: when that happened: the clock when this process goes on, taken before
 * anything else, less how long others then still had its CPU (tasks_fd:
 * taken_tasks_open() of this process; -1: not known, nothing is subtracted). The child
 * is not collected yet. `peer`: whether the other side's end matters. */
enum reap_event reap_wait(pid_t pid, uint64_t deadline_ns, bool peer, int tasks_fd,
                          uint64_t *ret_end_ns);

/* Kills the child and its process group. false: it is another user's (sudo) and may not
 * be killed, so that it is not to be waited for either. */
bool reap_kill_group(pid_t pid);

/* Collects the child, waiting if it must. Returns its status; REAP_UNKNOWN, and no
 * usage, where somebody else has collected it: exit status 127. */
enum { REAP_UNKNOWN = 127 << 8 };
int reap_collect(pid_t pid, struct rusage *ret_usage);

/* Collects a child that was sent SIGKILL. false: after three seconds it has still not
 * ended, since it waits for a device or is frozen, and nobody can say how long that
 * takes. */
bool reap_killed(pid_t pid, int *ret_status);

/* Zeroed storage has none. */
struct reap_children {
    pid_t *pids;
    size_t count;
};

/* The children that this process has now. false: the kernel does not list them, or
 * there is no memory; release in any case. */
bool reap_children(struct reap_children *ret_children);
void reap_children_release(struct reap_children *children);

/* Kills and collects whatever this process has for children (it is a subreaper: all
 * descendants whose parents are gone) but the `others` (NULL: none), which it had
 * before, and those that it may not kill or that do not end within some three seconds
 * in all. Returns how many had to be killed; *ret_any (NULL: not asked): whether there
 * was any, also one that had ended by itself. */
unsigned reap_leftovers(const struct reap_children *others, bool *ret_any);

/* How many children besides the `others` are there nevertheless: another user's, which
 * may not be killed; `stuck`: instead those that were killed and have not ended.
 * *ret_pid: one of them. */
unsigned reap_spared(const struct reap_children *others, bool stuck, pid_t *ret_pid);

#endif
