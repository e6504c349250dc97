#include "measure/runner_wait.h"

#include "measure/cancel.h"
#include "measure/ring.h"
#include "measure/runner_progress.h"
#include "measure/trouble.h"
#include "sync/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum {
    ROOM_DOUBLINGS = 4,
    STOPPED_LOOKS = 2, /* who suspends a whole job wakes one process after the other */
    BELL_READS = 16,   /* a benchmark may ring for ever */
    SLOT_BELL = 0,
    SLOT_CANCEL = 1,
    SLOT_FIRST_POSITION = 2,
    FDS_PER_POSITION = 2 + MODEL_SIDES, /* socket, standard output, errors of a side */
    POLLED = SLOT_FIRST_POSITION + FDS_PER_POSITION * BOARD_POSITIONS
};
static const uint64_t slow_iteration_ns = 1000000000U;
/* How often the runner wakes by itself: while a side may show progress, has been seen
 * stopped, is wound up; and otherwise, which costs a side 10 us at most. */
static const uint64_t progress_ns = 1000000000U;
static const uint64_t stopped_ns = 500000000U;
static const uint64_t winding_ns = 50000000U;
static const uint64_t look_ns = 5000000000U;
/* And while one ring is full and the other side still at work, more and more seldom. */
static const uint64_t room_look_ns = 5000000U;
/* How long a benchmark whose peer is gone has to say so and leave, ... */
static const uint64_t leave_ns = 1000000000U;
/* ... a supervisor that was told to end, to end what it runs, ... */
static const uint64_t obey_ns = 3000000000U;
/* ... and one whose program has exceeded the time limit, to report that. */
static const uint64_t stalled_ns = 5000000000U;

static bool is_awaited(const struct runner_wait *wait, unsigned position)
{
    return wait->ordered[position] && !wait->reported[position];
}

static bool all_reported(const struct runner_wait *wait)
{
    return !is_awaited(wait, 0) && !is_awaited(wait, 1);
}

/* Begins to wind up: the first error counts, everybody waiting is released. */
static void wind_up(struct runner_wait *wait, enum duet_code code,
                    const struct duet_error *error, enum sync_abort reason)
{
    if (wait->code == DUET_OK) {
        wait->code = code;
        wait->error = *error;
        wait->give_up_ns = clock_mono_ns() + leave_ns;
        wait->tick_ns = 0;
        wait->room_ns = UINT64_MAX;
        board_poison(wait->runner->board);
        sync_page_abort(wait->runner->map.page, reason);
    }
}

static void cancel_others(struct runner_wait *wait)
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (is_awaited(wait, position)) {
            supervisor_cancel(&wait->runner->positions[position].supervisor);
        }
    }
    if (!wait->told) {
        wait->told = true;
        wait->give_up_ns = clock_mono_ns() + obey_ns;
    }
}

/* It will not report any more. */
static void kill_one(struct runner_wait *wait, unsigned position)
{
    supervisor_kill(&wait->runner->positions[position].supervisor);
    wait->reports[position] =
        (struct supervisor_report){.trouble = SUPERVISOR_CANCELLED};
    wait->reported[position] = true;
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

static void tail_read(struct runner_wait *wait, unsigned position, enum model_side side)
{
    struct runner_position *own = &wait->runner->positions[position];
    if (own->pipe_err[side] >= 0) {
        stream_tail_read(&own->tails[side], own->pipe_err[side]);
    }
}

/* What the side that a position has executed said last on standard error. */
static struct stream_tail *tail_of(struct runner_wait *wait, unsigned position)
{
    enum model_side side = wait->sides[position];
    tail_read(wait, position, side);
    return &wait->runner->positions[position].tails[side];
}

/* Whether the page of benchmarks is still right. One that was written over explains
 * whatever a side does, and neither is to blame by what it did. */
static bool page_is_right(struct runner_wait *wait, bool look)
{
    const struct runner *runner = wait->runner;
    bool solo = wait->task->solo;
    if (wait->code != DUET_OK || !page_is_used(runner)) {
        return true;
    }
    const char *part = page_check(runner, solo);
    if (part == NULL && look && !solo &&
        page_check_stuck(runner, clock_mono_ns(), &wait->page)) {
        part = "each side waits for the other";
    }
    if (part != NULL) {
        struct duet_error error;
        enum duet_code code =
            trouble_overwritten(runner->plan, wait->task, part, &error);
        wind_up(wait, code, &error, SYNC_ABORT_RUNNER);
    }
    return part == NULL;
}

/* A side ended well by itself: do the two still go together? */
static void check_together(struct runner_wait *wait, unsigned position)
{
    const struct runner *runner = wait->runner;
    const struct supervisor_report *report = &wait->reports[position];
    bool alone = wait->task->solo;
    uint64_t iterations = ring_iterations(runner, position);
    if (!report->attached || ring_is_complete(runner, position) ||
        !page_is_right(wait, false)) {
        return;
    }
    struct duet_error error;
    enum duet_code code = DUET_OK;
    if (ring_is_done(runner, position)) {
        code = trouble_unclosed(runner->plan, wait->task, wait->sides[position],
                                iterations, tail_of(wait, position), &error);
    } else if (alone) {
        code = error_set(&error, DUET_E_PEER,
                         "%s ('%s') ended after %llu iteration%s without "
                         "duet_close(), or before duet_next() returned false",
                         model_side_name(wait->sides[position]),
                         runner->plan->sides[wait->sides[position]].command,
                         (unsigned long long)iterations, iterations == 1 ? "" : "s");
    } else {
        code = trouble_unpaired(runner->plan, wait->task, wait->sides[position], true,
                                iterations, tail_of(wait, position), &error);
    }
    wind_up(wait, code, &error, SYNC_ABORT_PEER_LEFT);
}

/* Both sides have the same time; in a benchmark's run, the one that the other waits for
 * is to blame. */
static unsigned who_is_late(const struct runner_wait *wait, unsigned position)
{
    unsigned other = 1U - position;
    bool waits =
        wait->reports[position].attached && !wait->task->solo &&
        ring_iterations(wait->runner, other) < ring_iterations(wait->runner, position);
    return waits ? other : position;
}

/* What it prints on standard output may say what standard error does not. */
static void note_silence(struct runner_wait *wait, unsigned position)
{
    struct runner *runner = wait->runner;
    const struct model_plan *plan = runner->plan;
    const struct supervisor_report *report = &wait->reports[position];
    bool dropped = plan->output.kind == MODEL_STREAM_NULL ||
                   plan->output.kind == MODEL_STREAM_PIPE;
    if (wait->code == DUET_OK && report->trouble == SUPERVISOR_EXITED &&
        !report->attached && dropped && plan->error_output.kind == MODEL_STREAM_PIPE &&
        plan->input.kind != MODEL_STREAM_INHERIT &&
        *stream_tail_lines(tail_of(wait, position), 1) == '\0') {
        runner->silent = true;
        runner->silent_side = wait->sides[position];
        runner->silent_status = report->status;
    }
}

static void take_report(struct runner_wait *wait, unsigned position)
{
    struct runner_position *own = &wait->runner->positions[position];
    struct supervisor_report *report = &wait->reports[position];
    struct duet_error error;
    wait->reported[position] = true;
    enum duet_code code = supervisor_report(&own->supervisor, report, &error);
    if (code == DUET_OK && wait->task->batch > 0) {
        wait->sides[position] = report->side;
    }
    if (code != DUET_OK) {
        wind_up(wait, code, &error, SYNC_ABORT_RUNNER);
        cancel_others(wait);
        return;
    }
    if (report->trouble == SUPERVISOR_FINE) {
        check_together(wait, position);
        return;
    }
    if (report->trouble == SUPERVISOR_CANCELLED && report->status == 0 &&
        wait->code == DUET_OK) {
        return; /* released by the other side's failure, whose report is on its way */
    }
    if (!page_is_right(wait, false)) {
        return;
    }
    unsigned blamed = report->trouble == SUPERVISOR_TIMED_OUT
                          ? who_is_late(wait, position)
                          : position;
    code = trouble_error(wait->runner->plan, wait->task, wait->sides[blamed], report,
                         tail_of(wait, blamed), &error);
    note_silence(wait, blamed);
    wind_up(wait, code, &error, abort_reason(report->trouble));
    if (!ring_is_claimed(wait->runner, 1U - position)) {
        cancel_others(wait); /* a command has nobody to tell it */
    }
}

static void interrupted(struct runner_wait *wait)
{
    struct duet_error error;
    enum duet_code code =
        error_set(&error, DUET_E_INTERRUPTED, "interrupted in run %llu",
                  (unsigned long long)wait->task->run + 1);
    wind_up(wait, code, &error, SYNC_ABORT_INTERRUPTED);
    cancel_others(wait);
}

/* Has a benchmark attached whose other side is a command that has ended already? */
static void check_attached(struct runner_wait *wait)
{
    const struct runner *runner = wait->runner;
    if (wait->task->solo) {
        return;
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with end_together()'s */
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        /* Acquire pairs with the release in end_together(). */
        uint64_t ended = atomic_load_explicit(&runner->board->slots[position].ended,
                                              memory_order_acquire);
        if (ended > 0 && ring_is_claimed(runner, 1U - position)) {
            if (!page_is_right(wait, false)) {
                return;
            }
            struct duet_error error;
            enum duet_code code =
                trouble_unpaired(runner->plan, wait->task, wait->sides[position], false,
                                 0, tail_of(wait, position), &error);
            wind_up(wait, code, &error, SYNC_ABORT_PEER_NEVER_CAME);
        }
    }
}

/* Empties the rings when one is full, but only when nobody executes: each side has a
 * full ring, has closed, or has come to the next meeting, because with fewer regions it
 * has room left. Who waits there has not rung the bell. */
static void make_room(struct runner_wait *wait)
{
    struct runner *runner = wait->runner;
    unsigned count = wait->task->solo ? 1 : BOARD_POSITIONS;
    bool some_full = false;
    bool all_idle = true;
    for (unsigned slot = 0; slot < count; slot++) {
        some_full = some_full || ring_is_full(runner, slot);
        all_idle = all_idle && ring_is_idle(runner, slot);
    }
    if (some_full && !all_idle && !ring_is_awaited(runner)) {
        wait->room_ns = clock_mono_ns() + (room_look_ns << wait->room_looks);
        wait->room_looks += wait->room_looks < ROOM_DOUBLINGS;
        return;
    }
    wait->room_ns = UINT64_MAX;
    struct duet_error error;
    enum duet_code code = DUET_OK;
    if (some_full && wait->task->warmup) {
        ring_empty(runner, count);
    } else if (some_full) {
        code = ring_drain(runner, count, wait->sides, wait->run->started_ns, &error);
    }
    if (some_full || all_idle) {
        wait->page = (struct page_look){0}; /* they have waited for us */
    }
    if (code != DUET_OK) {
        wind_up(wait, code, &error, SYNC_ABORT_RUNNER);
    }
}

/* Somebody attached, closed, or has a full ring. */
static void answer_bell(struct runner_wait *wait)
{
    char bytes[256];
    for (int i = 0;
         i < BELL_READS && read(wait->runner->bell_read, bytes, sizeof bytes) > 0;
         i++) {
    }
    claimants_note(wait->runner, &wait->claimants);
    check_attached(wait);
    if (wait->code == DUET_OK) {
        wait->room_looks = 0;
        make_room(wait);
    }
}

static bool wants_progress(const struct runner_wait *wait)
{
    const struct runner *runner = wait->runner;
    bool known_slow = runner->iteration_ns > slow_iteration_ns;
    /* One execution of a command, whose length nobody knows yet. A benchmark would have
     * rung the bell when it attached, and is left in peace. */
    bool single = runner->iteration_ns == 0 && wait->task->executions == 1 &&
                  !ring_is_claimed(runner, 0) && !ring_is_claimed(runner, 1);
    return runner->hooks->progress != NULL && (known_slow || single);
}

static uint64_t interval_ns(const struct runner_wait *wait)
{
    if (wait->code != DUET_OK) {
        return winding_ns;
    }
    const unsigned *missed = wait->claimants.missed;
    if (wait->stopped[0] + wait->stopped[1] + missed[0] + missed[1] > 0) {
        return stopped_ns;
    }
    return wants_progress(wait) ? progress_ns : look_ns;
}

static int left_ms(const struct runner_wait *wait)
{
    uint64_t now_ns = clock_mono_ns();
    uint64_t next_ns = wait->tick_ns < wait->room_ns ? wait->tick_ns : wait->room_ns;
    return next_ns > now_ns ? (int)((next_ns - now_ns) / 1000000U) + 1 : 0;
}

static void show_progress(struct runner_wait *wait)
{
    struct runner *runner = wait->runner;
    const struct measure_progress progress = runner_progress(runner, true);
    runner->result->ticks++;
    (void)runner->hooks->progress(runner->hooks->context, &progress);
}

/* Against who has not reported: told to end at first, killed when that was no use. */
static void insist(struct runner_wait *wait)
{
    bool hurry = cancel_count(wait->runner->hooks->cancel_fd) >= CANCEL_AT_ONCE;
    if (!hurry && clock_mono_ns() < wait->give_up_ns) {
        return;
    }
    if (!wait->told && !hurry) {
        cancel_others(wait);
        return;
    }
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (is_awaited(wait, position)) {
            kill_one(wait, position);
        }
    }
}

/* A stopped supervisor answers nothing but SIGKILL. */
static void look_for_stopped(struct runner_wait *wait, unsigned position)
{
    const struct supervisor *supervisor = &wait->runner->positions[position].supervisor;
    if (!is_awaited(wait, position) || !supervisor_is_stopped(supervisor)) {
        wait->stopped[position] = 0;
        return;
    }
    wait->stopped[position]++;
    if (wait->stopped[position] >= STOPPED_LOOKS) {
        struct duet_error error;
        enum duet_code code = error_set(
            &error, DUET_E_SYSTEM,
            "supervisor process %d was stopped by a signal in run %llu, while it "
            "executed %s ('%s'), and was killed; measure again",
            (int)supervisor->pid, (unsigned long long)wait->task->run + 1,
            model_side_name(wait->sides[position]),
            wait->runner->plan->sides[wait->sides[position]].command);
        wind_up(wait, code, &error, SYNC_ABORT_RUNNER);
        kill_one(wait, position);
        cancel_others(wait);
    }
}

/* A worker that is gone does nothing more, and its program may wait for it for ever. */
static void look_for_lost(struct runner_wait *wait, unsigned position)
{
    const struct runner *runner = wait->runner;
    if (!is_awaited(wait, position) ||
        !claimant_is_lost(runner, &wait->claimants, position)) {
        return;
    }
    struct duet_error error;
    enum duet_code code = trouble_lost(
        runner->plan, wait->task, wait->sides[position], wait->claimants.pids[position],
        ring_iterations(runner, position), tail_of(wait, position), &error);
    wind_up(wait, code, &error, SYNC_ABORT_PEER_DIED);
}

/* With a time limit no program begins or ends for longer than that only when a
 * supervisor cannot see to it. */
static void look_for_stalled(struct runner_wait *wait)
{
    const struct runner *runner = wait->runner;
    uint64_t limit_ns = runner->plan->timeout_ns;
    uint64_t now_ns = clock_mono_ns();
    uint64_t steps = 0;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        /* Relaxed: only whether it changes matters. */
        steps += atomic_load_explicit(&runner->board->slots[position].steps,
                                      memory_order_relaxed);
    }
    if (steps != wait->steps || wait->steps_ns == 0) {
        wait->steps = steps;
        wait->steps_ns = now_ns;
    } else if (limit_ns != 0 && now_ns - wait->steps_ns > limit_ns + stalled_ns) {
        struct duet_error error;
        enum duet_code code = error_set(
            &error, DUET_E_TIMEOUT,
            "run %llu made no progress for the time limit of %.3g s (--timeout): "
            "one of its processes was stopped, or waits for a device",
            (unsigned long long)wait->task->run + 1, (double)limit_ns / 1e9);
        wind_up(wait, code, &error, SYNC_ABORT_TIMEOUT);
        cancel_others(wait);
    }
}

static void tick(struct runner_wait *wait)
{
    if (wait->code == DUET_OK) {
        look_for_stopped(wait, 0);
        look_for_stopped(wait, 1);
        look_for_lost(wait, 0);
        look_for_lost(wait, 1);
        look_for_stalled(wait);
        (void)page_is_right(wait, true);
    }
    if (wait->code != DUET_OK) {
        insist(wait);
    } else if (wants_progress(wait)) {
        show_progress(wait);
    }
    wait->tick_ns = clock_mono_ns() + interval_ns(wait);
}

static void look_at_what_is_due(struct runner_wait *wait)
{
    uint64_t now_ns = clock_mono_ns();
    if (now_ns >= wait->room_ns && wait->code == DUET_OK) {
        make_room(wait);
    }
    if (now_ns >= wait->tick_ns) {
        tick(wait);
    }
}

static void polled_fill(const struct runner_wait *wait, struct pollfd fds[POLLED])
{
    const struct runner *runner = wait->runner;
    bool winding_up = wait->code != DUET_OK;
    fds[SLOT_BELL] = (struct pollfd){.fd = runner->bell_read, .events = POLLIN};
    fds[SLOT_CANCEL] = (struct pollfd){.fd = winding_up ? -1 : runner->hooks->cancel_fd,
                                       .events = POLLIN};
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        const struct runner_position *own = &runner->positions[position];
        bool waits = is_awaited(wait, position);
        struct pollfd *mine = &fds[SLOT_FIRST_POSITION + FDS_PER_POSITION * position];
        mine[0] = (struct pollfd){.fd = waits ? own->supervisor.socket_fd : -1,
                                  .events = POLLIN};
        mine[1] = (struct pollfd){.fd = waits ? own->pipe_out : -1, .events = POLLIN};
        for (int side = 0; side < MODEL_SIDES; side++) {
            mine[2 + side] = (struct pollfd){.fd = waits ? own->pipe_err[side] : -1,
                                             .events = POLLIN};
        }
    }
}

static void discard(int fd)
{
    struct stream_tail unused = {.length = 0};
    stream_tail_read(&unused, fd);
}

static void react(struct runner_wait *wait, const struct pollfd fds[POLLED])
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        const struct pollfd *mine =
            &fds[SLOT_FIRST_POSITION + FDS_PER_POSITION * position];
        if ((mine[1].revents & POLLIN) != 0) {
            discard(mine[1].fd);
        }
        for (int side = 0; side < MODEL_SIDES; side++) {
            if ((mine[2 + side].revents & POLLIN) != 0) {
                tail_read(wait, position, (enum model_side)side);
            }
        }
        if (mine[0].revents != 0 && is_awaited(wait, position)) {
            take_report(wait, position);
        }
    }
    if (fds[SLOT_BELL].revents != 0) {
        answer_bell(wait);
    }
    if (fds[SLOT_CANCEL].revents != 0) {
        interrupted(wait);
    }
}

enum duet_code runner_wait_until_reported(struct runner_wait *wait, enum duet_code code,
                                          struct duet_error *reterr)
{
    if (code != DUET_OK) {
        wind_up(wait, code, reterr, SYNC_ABORT_RUNNER);
        cancel_others(wait);
    }
    wait->tick_ns = clock_mono_ns() + interval_ns(wait);
    wait->room_ns = UINT64_MAX;
    while (!all_reported(wait)) {
        struct pollfd fds[POLLED];
        polled_fill(wait, fds);
        int n = poll(fds, POLLED, left_ms(wait));
        if (n > 0) {
            react(wait, fds);
        }
        if (!all_reported(wait)) {
            look_at_what_is_due(wait);
        }
        if (!all_reported(wait)) {
            wait->run->runner_wakeups++;
            wait->runner->result->wakeups++;
        }
    }
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (wait->code == DUET_OK && wait->ordered[position] &&
            wait->reports[position].trouble != SUPERVISOR_FINE) {
            /* Cancelled, and not by us: somebody signalled the supervisors. */
            wait->code = trouble_error(wait->runner->plan, wait->task,
                                       wait->sides[position], &wait->reports[position],
                                       tail_of(wait, position), &wait->error);
        }
    }
    (void)page_is_right(wait, false);
    if (wait->code == DUET_OK) {
        return DUET_OK;
    }
    return error_set(reterr, wait->code, "%s", wait->error.message);
}
