#include "measure/watch.h"

#include "measure/cancel.h"
#include "measure/ring.h"
#include "measure/trouble.h"
#include "sync/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum {
    STOPPED_LOOKS = 2, /* who suspends a whole job wakes one process after the other */
    BELL_READS = 16,   /* a benchmark may ring for ever */
    SLOT_BELL = 0,
    SLOT_CANCEL = 1,
    SLOT_FIRST_POSITION = 2,
    FDS_PER_POSITION = 3,
    WATCHED = SLOT_FIRST_POSITION + FDS_PER_POSITION * BOARD_POSITIONS
};
static const uint64_t slow_iteration_ns = 1000000000U;
/* How often the runner wakes by itself: while a side may show progress, has been seen
 * stopped, is wound up; and otherwise, which costs a side 10 us at most. */
static const uint64_t progress_ns = 1000000000U;
static const uint64_t stopped_ns = 500000000U;
static const uint64_t winding_ns = 50000000U;
static const uint64_t look_ns = 5000000000U;
/* How long a benchmark whose peer is gone has to say so and leave, ... */
static const uint64_t leave_ns = 1000000000U;
/* ... a supervisor that was told to end, to end what it runs, ... */
static const uint64_t obey_ns = 3000000000U;
/* ... and one whose program has exceeded the time limit, to report that. */
static const uint64_t stalled_ns = 5000000000U;

static bool is_awaited(const struct watch *watch, unsigned position)
{
    return watch->ordered[position] && !watch->reported[position];
}

static bool all_reported(const struct watch *watch)
{
    return !is_awaited(watch, 0) && !is_awaited(watch, 1);
}

/* Begins to wind up: the first error counts, everybody waiting is released. */
static void wind_up(struct watch *watch, enum duet_code code,
                    const struct duet_error *error, enum sync_abort reason)
{
    if (watch->code == DUET_OK) {
        watch->code = code;
        watch->error = *error;
        watch->give_up_ns = clock_mono_ns() + leave_ns;
        watch->tick_ns = 0;
        board_poison(watch->runner->board);
        sync_page_abort(watch->runner->map.page, reason);
    }
}

static void cancel_others(struct watch *watch)
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (is_awaited(watch, position)) {
            supervisor_cancel(&watch->runner->positions[position].supervisor);
        }
    }
    if (!watch->told) {
        watch->told = true;
        watch->give_up_ns = clock_mono_ns() + obey_ns;
    }
}

/* It will not report any more. */
static void kill_one(struct watch *watch, unsigned position)
{
    supervisor_kill(&watch->runner->positions[position].supervisor);
    watch->reports[position] =
        (struct supervisor_report){.trouble = SUPERVISOR_CANCELLED};
    watch->reported[position] = true;
}

static enum sync_abort abort_reason(enum supervisor_trouble trouble)
{
    switch (trouble) {
    case SUPERVISOR_STOPPED:
        return SYNC_ABORT_PEER_STOPPED;
    case SUPERVISOR_TIMED_OUT:
        return SYNC_ABORT_TIMEOUT;
    case SUPERVISOR_FINE:
    case SUPERVISOR_EXITED:
    case SUPERVISOR_SIGNALLED:
    case SUPERVISOR_CANCELLED:
    case SUPERVISOR_MOVED:
    case SUPERVISOR_PREPARE:
    case SUPERVISOR_CONCLUDE:
    case SUPERVISOR_NOT_STARTED:
        break;
    case SUPERVISOR_UNMATCHED:
        return SYNC_ABORT_PEER_NEVER_CAME;
    }
    return SYNC_ABORT_PEER_DIED;
}

static void tail_read(struct watch *watch, unsigned position)
{
    struct runner_position *place = &watch->runner->positions[position];
    if (place->pipe_err >= 0) {
        stream_tail_read(&place->tail, place->pipe_err);
    }
}

/* A side ended well by itself: do the two still go together? */
static void check_together(struct watch *watch, unsigned position)
{
    const struct runner *runner = watch->runner;
    const struct supervisor_report *report = &watch->reports[position];
    bool alone = watch->task->solo;
    if (!report->attached || ring_is_complete(runner, position)) {
        return;
    }
    struct duet_error error;
    tail_read(watch, position);
    enum duet_code code = DUET_OK;
    if (alone) {
        code =
            error_set(&error, DUET_E_PEER,
                      "%s ('%s') ended after %llu iterations without duet_close(), or "
                      "before duet_next() had said that it is enough",
                      model_side_name(watch->sides[position]),
                      runner->plan->sides[watch->sides[position]].command,
                      (unsigned long long)ring_iterations(runner, position));
    } else {
        code = trouble_unpaired(runner->plan, watch->task, watch->sides[position], true,
                                ring_iterations(runner, position),
                                &watch->runner->positions[position].tail, &error);
    }
    wind_up(watch, code, &error, SYNC_ABORT_PEER_LEFT);
}

/* Both sides have the same time; in a benchmark's run, the one that the other waits for
 * is to blame. */
static unsigned who_is_late(const struct watch *watch, unsigned position)
{
    unsigned other = 1U - position;
    bool waits = watch->reports[position].attached && !watch->task->solo &&
                 ring_iterations(watch->runner, other) <
                     ring_iterations(watch->runner, position);
    return waits ? other : position;
}

static void take_report(struct watch *watch, unsigned position)
{
    struct runner_position *place = &watch->runner->positions[position];
    struct supervisor_report *report = &watch->reports[position];
    struct duet_error error;
    watch->reported[position] = true;
    enum duet_code code = supervisor_report(&place->supervisor, report, &error);
    if (code == DUET_OK && watch->task->batch > 0) {
        watch->sides[position] = report->side;
    }
    if (code != DUET_OK) {
        wind_up(watch, code, &error, SYNC_ABORT_RUNNER);
        cancel_others(watch);
        return;
    }
    if (report->trouble == SUPERVISOR_FINE) {
        check_together(watch, position);
        return;
    }
    if (report->trouble == SUPERVISOR_CANCELLED && report->status == 0 &&
        watch->code == DUET_OK) {
        return; /* released by the other side's failure, whose report is on its way */
    }
    unsigned blamed = report->trouble == SUPERVISOR_TIMED_OUT
                          ? who_is_late(watch, position)
                          : position;
    tail_read(watch, blamed);
    code = trouble_error(watch->runner->plan, watch->task, watch->sides[blamed], report,
                         &watch->runner->positions[blamed].tail, &error);
    wind_up(watch, code, &error, abort_reason(report->trouble));
    if (!ring_is_claimed(watch->runner, 1U - position)) {
        cancel_others(watch); /* a command has nobody to tell it */
    }
}

static void interrupted(struct watch *watch)
{
    struct duet_error error;
    enum duet_code code =
        error_set(&error, DUET_E_INTERRUPTED, "interrupted in run %llu",
                  (unsigned long long)watch->task->run + 1);
    wind_up(watch, code, &error, SYNC_ABORT_INTERRUPTED);
    cancel_others(watch);
}

/* Has a benchmark attached whose other side is a command that has ended already? */
static void check_attached(struct watch *watch)
{
    const struct runner *runner = watch->runner;
    if (watch->task->solo) {
        return;
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with end_together()'s */
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        /* Acquire pairs with the release in end_together(). */
        uint64_t ended = atomic_load_explicit(&runner->board->slots[position].ended,
                                              memory_order_acquire);
        if (ended > 0 && ring_is_claimed(runner, 1U - position)) {
            struct duet_error error;
            tail_read(watch, position);
            enum duet_code code = trouble_unpaired(
                runner->plan, watch->task, watch->sides[position], false, 0,
                &watch->runner->positions[position].tail, &error);
            wind_up(watch, code, &error, SYNC_ABORT_PEER_NEVER_CAME);
        }
    }
}

/* Somebody attached, closed, or has a full ring. Emptied only when nobody executes. */
static void answer_bell(struct watch *watch)
{
    char bytes[256];
    for (int i = 0;
         i < BELL_READS && read(watch->runner->bell_read, bytes, sizeof bytes) > 0;
         i++) {
    }
    check_attached(watch);
    if (watch->task->warmup || watch->code != DUET_OK) {
        return;
    }
    unsigned count = watch->task->solo ? 1 : BOARD_POSITIONS;
    bool some_full = false;
    for (unsigned slot = 0; slot < count; slot++) {
        if (!ring_is_idle(watch->runner, slot)) {
            return;
        }
        some_full = some_full || sync_ring_waiting(&watch->runner->map, slot) ==
                                     (uint64_t)SYNC_RING_RECORDS;
    }
    struct duet_error error;
    enum duet_code code = some_full ? ring_drain(watch->runner, count, watch->sides,
                                                 watch->run->started_ns, &error)
                                    : DUET_OK;
    if (code != DUET_OK) {
        wind_up(watch, code, &error, SYNC_ABORT_RUNNER);
    }
}

static bool wants_progress(const struct watch *watch)
{
    const struct runner *runner = watch->runner;
    bool known_slow = runner->iteration_ns > slow_iteration_ns;
    /* One execution of a command, whose length nobody knows yet. A benchmark would have
     * rung the bell when it attached, and is left in peace. */
    bool single = runner->iteration_ns == 0 && watch->task->executions == 1 &&
                  !ring_is_claimed(runner, 0) && !ring_is_claimed(runner, 1);
    return runner->hooks->progress != NULL && (known_slow || single);
}

static uint64_t interval_ns(const struct watch *watch)
{
    if (watch->code != DUET_OK) {
        return winding_ns;
    }
    if (watch->stopped[0] + watch->stopped[1] > 0) {
        return stopped_ns;
    }
    return wants_progress(watch) ? progress_ns : look_ns;
}

static int left_ms(const struct watch *watch)
{
    uint64_t now_ns = clock_mono_ns();
    return watch->tick_ns > now_ns ? (int)((watch->tick_ns - now_ns) / 1000000U) + 1
                                   : 0;
}

static void show_progress(struct watch *watch)
{
    struct runner *runner = watch->runner;
    struct measure_progress progress = {
        .runs_done = runner->result->runs,
        .runs_planned = runner->plan->runs,
        .elapsed_ns = clock_mono_ns() - runner->began_ns,
        .budget_ns = runner->plan->budget_ns,
        .mode = runner->result->mode,
        .in_run = true,
    };
    runner->result->ticks++;
    (void)runner->hooks->progress(runner->hooks->context, &progress);
}

/* Against who has not reported: told to end at first, killed when that was no use. */
static void insist(struct watch *watch)
{
    bool hurry = cancel_count(watch->runner->hooks->cancel_fd) >= CANCEL_AT_ONCE;
    if (!hurry && clock_mono_ns() < watch->give_up_ns) {
        return;
    }
    if (!watch->told && !hurry) {
        cancel_others(watch);
        return;
    }
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (is_awaited(watch, position)) {
            kill_one(watch, position);
        }
    }
}

/* A stopped supervisor answers nothing but SIGKILL. */
static void look_for_stopped(struct watch *watch, unsigned position)
{
    const struct supervisor *supervisor =
        &watch->runner->positions[position].supervisor;
    if (!is_awaited(watch, position) || !supervisor_is_stopped(supervisor)) {
        watch->stopped[position] = 0;
        return;
    }
    watch->stopped[position]++;
    if (watch->stopped[position] >= STOPPED_LOOKS) {
        struct duet_error error;
        enum duet_code code = error_set(
            &error, DUET_E_SYSTEM,
            "supervisor process %d was stopped by a signal in run %llu, while "
            "it executed %s ('%s'); it was killed, since nothing else ends it",
            (int)supervisor->pid, (unsigned long long)watch->task->run + 1,
            model_side_name(watch->sides[position]),
            watch->runner->plan->sides[watch->sides[position]].command);
        wind_up(watch, code, &error, SYNC_ABORT_RUNNER);
        kill_one(watch, position);
        cancel_others(watch);
    }
}

/* With a time limit no program begins or ends for longer than that only when a
 * supervisor cannot see to it. */
static void look_for_stalled(struct watch *watch)
{
    const struct runner *runner = watch->runner;
    uint64_t limit_ns = runner->plan->timeout_ns;
    uint64_t now_ns = clock_mono_ns();
    uint64_t steps = 0;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        /* Relaxed: only whether it changes matters. */
        steps += atomic_load_explicit(&runner->board->slots[position].steps,
                                      memory_order_relaxed);
    }
    if (steps != watch->steps || watch->steps_ns == 0) {
        watch->steps = steps;
        watch->steps_ns = now_ns;
    } else if (limit_ns != 0 && now_ns - watch->steps_ns > limit_ns + stalled_ns) {
        struct duet_error error;
        enum duet_code code =
            error_set(&error, DUET_E_TIMEOUT,
                      "run %llu stands still for longer than the time limit of %.3g s "
                      "(--timeout): "
                      "a process of it was stopped, or waits for a device",
                      (unsigned long long)watch->task->run + 1, (double)limit_ns / 1e9);
        wind_up(watch, code, &error, SYNC_ABORT_TIMEOUT);
        cancel_others(watch);
    }
}

static void tick(struct watch *watch)
{
    if (watch->code == DUET_OK) {
        look_for_stopped(watch, 0);
        look_for_stopped(watch, 1);
        look_for_stalled(watch);
    }
    if (watch->code != DUET_OK) {
        insist(watch);
    } else if (wants_progress(watch)) {
        show_progress(watch);
    }
    watch->tick_ns = clock_mono_ns() + interval_ns(watch);
}

static void watched_fill(const struct watch *watch, struct pollfd fds[WATCHED])
{
    const struct runner *runner = watch->runner;
    bool winding_up = watch->code != DUET_OK;
    fds[SLOT_BELL] = (struct pollfd){.fd = runner->bell_read, .events = POLLIN};
    fds[SLOT_CANCEL] = (struct pollfd){.fd = winding_up ? -1 : runner->hooks->cancel_fd,
                                       .events = POLLIN};
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        const struct runner_position *place = &runner->positions[position];
        bool waits = is_awaited(watch, position);
        struct pollfd *mine = &fds[SLOT_FIRST_POSITION + FDS_PER_POSITION * position];
        mine[0] = (struct pollfd){.fd = waits ? place->supervisor.socket_fd : -1,
                                  .events = POLLIN};
        mine[1] = (struct pollfd){.fd = waits ? place->pipe_err : -1, .events = POLLIN};
        mine[2] = (struct pollfd){.fd = waits ? place->pipe_out : -1, .events = POLLIN};
    }
}

static void discard(int fd)
{
    struct stream_tail unused = {.length = 0};
    stream_tail_read(&unused, fd);
}

static void react(struct watch *watch, const struct pollfd fds[WATCHED])
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        const struct pollfd *mine =
            &fds[SLOT_FIRST_POSITION + FDS_PER_POSITION * position];
        if ((mine[1].revents & POLLIN) != 0) {
            tail_read(watch, position);
        }
        if ((mine[2].revents & POLLIN) != 0) {
            discard(mine[2].fd);
        }
        if (mine[0].revents != 0 && is_awaited(watch, position)) {
            take_report(watch, position);
        }
    }
    if (fds[SLOT_BELL].revents != 0) {
        answer_bell(watch);
    }
    if (fds[SLOT_CANCEL].revents != 0) {
        interrupted(watch);
    }
}

enum duet_code watch_until_reported(struct watch *watch, enum duet_code code,
                                    struct duet_error *reterr)
{
    if (code != DUET_OK) {
        wind_up(watch, code, reterr, SYNC_ABORT_RUNNER);
        cancel_others(watch);
    }
    watch->tick_ns = clock_mono_ns() + interval_ns(watch);
    while (!all_reported(watch)) {
        struct pollfd fds[WATCHED];
        watched_fill(watch, fds);
        int n = poll(fds, WATCHED, left_ms(watch));
        if (n > 0) {
            react(watch, fds);
        }
        if (left_ms(watch) == 0 && !all_reported(watch)) {
            tick(watch);
        }
        if (!all_reported(watch)) {
            watch->run->runner_wakeups++;
            watch->runner->result->wakeups++;
        }
    }
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (watch->code == DUET_OK && watch->ordered[position] &&
            watch->reports[position].trouble != SUPERVISOR_FINE) {
            /* Cancelled, and not by us: somebody signalled the supervisors. */
            watch->code =
                trouble_error(watch->runner->plan, watch->task, watch->sides[position],
                              &watch->reports[position],
                              &watch->runner->positions[position].tail, &watch->error);
        }
    }
    if (watch->code == DUET_OK) {
        return DUET_OK;
    }
    return error_set(reterr, watch->code, "%s", watch->error.message);
}
