/* An experiment: supervisors up, runs one after another, everything down again. */
#include "measure/measure.h"

#include "base/alloc.h"
#include "machine/machine.h"
#include "measure/hook.h"
#include "measure/launch.h"
#include "measure/metronome.h"
#include "measure/reap.h"
#include "measure/runner.h"
#include "measure/runner_progress.h"
#include "measure/schedule.h"
#include "measure/trial.h"
#include "measure/trouble.h"
#include "sync/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { STDERR_PIPE_BYTES = 1024 * 1024 };

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static bool schedule_is_solo(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_INTERLEAVED ||
           schedule == MODEL_SCHEDULE_SEQUENTIAL;
}

/* A pipe whose read end never blocks. Its size is a wish: beyond it a program that
 * prints much waits until the runner, woken by the first bytes, has read. */
static int pipe_new(const struct model_stream *stream, int *ret_read, int *ret_write)
{
    int ends[2];
    *ret_read = *ret_write = -1;
    if (stream->kind != MODEL_STREAM_PIPE) {
        return 0;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    *ret_read = ends[0];
    *ret_write = ends[1];
    (void)fcntl(ends[0], F_SETPIPE_SZ, STDERR_PIPE_BYTES);
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

static enum duet_code position_start(struct runner *runner, unsigned position,
                                     struct duet_error *reterr)
{
    const struct model_plan *plan = runner->plan;
    struct runner_position *own = &runner->positions[position];
    bool one_cpu = plan->schedule != MODEL_SCHEDULE_DUET;
    int out = -1;
    int errs[MODEL_SIDES] = {-1, -1};
    bool kept = runner->part != NULL && runner->part->output_fd >= 0;
    enum duet_code code = DUET_OK;
    if ((!kept && pipe_new(&plan->output, &own->pipe_out, &out) != 0) ||
        pipe_new(&plan->error_output, &own->pipe_err[MODEL_OLD], &errs[MODEL_OLD]) !=
            0 ||
        pipe_new(&plan->error_output, &own->pipe_err[MODEL_NEW], &errs[MODEL_NEW]) !=
            0) {
        code = error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot make a pipe");
    }
    if (code == DUET_OK) {
        struct supervisor_setup setup = {
            .plan = plan,
            .position = position,
            .cpus = &plan->cpus[one_cpu ? 0 : position],
            .board = runner->board,
            .paths = {runner->paths[MODEL_OLD], runner->paths[MODEL_NEW]},
            .stdout_fd = kept ? runner->part->output_fd : out,
            .stderr_fds = {errs[MODEL_OLD], errs[MODEL_NEW]},
            .bell_fd = runner->bell_write,
            .cancel_fd = runner->hooks->cancel_fd,
            .counters_calls = runner->hooks->counters_calls,
        };
        code = supervisor_start(&setup, &own->supervisor, reterr);
    }
    close_fd(&out);
    close_fd(&errs[MODEL_OLD]);
    close_fd(&errs[MODEL_NEW]);
    return code;
}

/* Whether this side is measured at all. */
static bool runner_has(const struct runner *runner, int side)
{
    return runner->part == NULL || (int)runner->part->side == side;
}

/* The supervisors of the current schedule, and its metronome. */
static enum duet_code positions_start(struct runner *runner, struct duet_error *reterr)
{
    const struct model_plan *plan = runner->plan;
    unsigned count = schedule_is_solo(plan->schedule) ? 1 : BOARD_POSITIONS;
    enum duet_code code = DUET_OK;
    for (unsigned position = 0; position < count && code == DUET_OK; position++) {
        code = position_start(runner, position, reterr);
    }
    if (code == DUET_OK && plan->schedule == MODEL_SCHEDULE_TIMESLICE) {
        code = metronome_start(&plan->cpus[0], &runner->metronome, reterr);
    }
    return code;
}

static void positions_stop(struct runner *runner)
{
    metronome_stop(runner->metronome);
    runner->metronome = NULL;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        supervisor_stop(&runner->positions[position].supervisor);
        close_fd(&runner->positions[position].pipe_out);
        close_fd(&runner->positions[position].pipe_err[MODEL_OLD]);
        close_fd(&runner->positions[position].pipe_err[MODEL_NEW]);
        runner->page_sent[position] = false;
    }
}

static enum duet_code runner_start(struct runner *runner, struct duet_error *reterr)
{
    const struct model_plan *plan = runner->plan;
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (!runner_has(runner, side)) {
            continue;
        }
        enum duet_code code =
            launch_find_in(plan->sides[side].folder, plan->sides[side].argv[0],
                           &runner->paths[side], reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    enum duet_code opened = streams_check(plan, reterr);
    if (opened != DUET_OK) {
        return opened;
    }
    runner->board = board_new();
    int bell[2];
    if (runner->board == NULL || pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot make what the processes share");
    }
    runner->bell_read = bell[0];
    runner->bell_write = bell[1];
    /* Should a supervisor be killed, what it was responsible for becomes ours. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot become the processes' subreaper");
    }
    return positions_start(runner, reterr);
}

static void runner_stop(struct runner *runner)
{
    if (runner->board != NULL) {
        board_poison(runner->board);
    }
    positions_stop(runner);
    struct measure_result *result = runner->result;
    result->leftovers += reap_leftovers(&runner->others, NULL);
    result->spared = reap_spared(&runner->others, false, &result->spared_pid);
    result->stuck = reap_spared(&runner->others, true, &result->stuck_pid);
    reap_children_release(&runner->others);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
    sync_page_unmap(&runner->map);
    close_fd(&runner->page_fd);
    close_fd(&runner->bell_read);
    close_fd(&runner->bell_write);
    board_free(runner->board);
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(runner->paths[side]);
    }
}

static struct runner_task task_of(const struct runner *runner, uint64_t run)
{
    const struct model_plan *plan = runner->plan;
    struct runner_task task = {.run = run,
                               .block = runner->block,
                               .second = runner->second,
                               .executions =
                                   plan->iterations == 0 ? 1 : plan->iterations,
                               .solo = schedule_is_solo(plan->schedule),
                               .wants = {true, true}};
    unsigned old_position = schedule_old_position(plan->seed, task.block, task.second);
    task.position[MODEL_OLD] = old_position;
    task.position[MODEL_NEW] = 1U - old_position;
    if (plan->schedule == MODEL_SCHEDULE_SEQUENTIAL) {
        enum model_side side = runner->old_runs == 0 ? MODEL_OLD : MODEL_NEW;
        task.wants[MODEL_OLD] = side == MODEL_OLD;
        task.wants[MODEL_NEW] = side == MODEL_NEW;
        task.position[MODEL_OLD] = task.position[MODEL_NEW] = 0;
    }
    return task;
}

static uint64_t least_runs(const struct runner *runner)
{
    const struct measure_hooks *hooks = runner->hooks;
    return hooks->least_runs != NULL ? hooks->least_runs(hooks->context)
                                     : runner->plan->min_runs;
}

/* `sequential`: old ends when half of the time is over, so that new has the other half.
 */
static void take_turn(struct runner *runner, uint64_t done)
{
    const struct model_plan *plan = runner->plan;
    if (plan->schedule == MODEL_SCHEDULE_SEQUENTIAL && runner->old_runs == 0 &&
        schedule_is_enough(plan, done, least_runs(runner),
                           clock_mono_ns() - runner->began_ns, plan->budget_ns / 2)) {
        runner->old_runs = done;
    }
}

/* Whether the plan wants one more run; only whole blocks are begun and ended, but for
 * an odd number of runs at most. */
static bool wants_more(const struct runner *runner, uint64_t done)
{
    const struct model_plan *plan = runner->plan;
    bool sequential = plan->schedule == MODEL_SCHEDULE_SEQUENTIAL;
    bool ends_block = plan->runs == 0 && runner->second && done < plan->max_runs;
    if (sequential ? runner->old_runs == 0 : ends_block) {
        return true;
    }
    return !schedule_is_enough(plan, done - runner->old_runs, least_runs(runner),
                               clock_mono_ns() - runner->began_ns, plan->budget_ns);
}

static bool report_progress(struct runner *runner)
{
    const struct measure_progress progress = runner_progress(runner, false);
    return runner->hooks->progress == NULL ||
           runner->hooks->progress(runner->hooks->context, &progress);
}

/* Executions before the first run, for caches and the like; harness programs warm up
 * inside each run instead. */
static enum duet_code warm_up(struct runner *runner, struct duet_error *reterr)
{
    uint64_t left = runner->plan->warmup;
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && left > 0 && runner->result->mode == MODEL_MODE_COMMAND) {
        struct runner_task task = task_of(runner, 0);
        task.executions = left < BOARD_RECORDS ? left : BOARD_RECORDS;
        task.warmup = true;
        task.wants[MODEL_OLD] = task.wants[MODEL_NEW] = true;
        code = runner_run(runner, &task, reterr);
        left -= task.executions;
    }
    return code;
}

/* How many short runs to order at once: about 40 ms' worth, whole blocks, and no more
 * than are wanted. 0: one by one. */
static uint64_t batch_of(const struct runner *runner, uint64_t done)
{
    static const uint64_t batch_ns = 40000000;
    const struct model_plan *plan = runner->plan;
    bool suits = runner->mode_known && runner->result->mode == MODEL_MODE_COMMAND &&
                 model_schedule_is_paired(plan->schedule) && plan->iterations <= 1 &&
                 runner->iteration_ns > 0 && !runner->second;
    if (!suits) {
        return 0;
    }
    uint64_t batch = batch_ns / runner->iteration_ns;
    uint64_t wanted = plan->runs - done;
    if (plan->runs == 0) {
        uint64_t elapsed_ns = clock_mono_ns() - runner->began_ns;
        uint64_t left_ns =
            plan->budget_ns > elapsed_ns ? plan->budget_ns - elapsed_ns : 0;
        wanted = left_ns / runner->iteration_ns;
        uint64_t least = least_runs(runner);
        /* More than are done, or wants_more() would not have said so. */
        uint64_t most = least > plan->max_runs ? least : plan->max_runs;
        wanted = done < least && wanted < least - done ? least - done : wanted;
        wanted = wanted < most - done ? wanted : most - done;
    }
    batch = batch < wanted ? batch : wanted;
    batch = batch < SUPERVISOR_BATCH ? batch : SUPERVISOR_BATCH;
    return batch < 4 ? 0 : batch - batch % 2;
}

/* Before a block: the schedule that the caller wants for it. Supervisors belong to
 * CPUs, so that another schedule has others. */
static enum duet_code reschedule(struct runner *runner, struct duet_error *reterr)
{
    if (runner->hooks->schedule == NULL || runner->plan->runs != 0) {
        return DUET_OK;
    }
    enum model_schedule wanted = runner->hooks->schedule(runner->hooks->context);
    if (wanted == runner->plan->schedule) {
        return DUET_OK;
    }
    positions_stop(runner);
    runner->scheduled.schedule = wanted;
    return positions_start(runner, reterr);
}

/* The schedule and the length of the runs of a block. */
static enum duet_code prepare_block(struct runner *runner, struct duet_error *reterr)
{
    const struct measure_hooks *hooks = runner->hooks;
    enum duet_code code = reschedule(runner, reterr);
    if (code == DUET_OK && hooks->run_time != NULL) {
        runner->run_time_ns = hooks->run_time(hooks->context);
    }
    return code;
}

/* *ret_alone: the block has one run. */
static enum duet_code begin_block(struct runner *runner, bool *ret_alone,
                                  struct duet_error *reterr)
{
    const struct measure_hooks *hooks = runner->hooks;
    enum duet_code code = prepare_block(runner, reterr);
    if (code == DUET_OK) {
        *ret_alone = hooks->coin_alone != NULL && hooks->coin_alone(hooks->context);
    }
    return code;
}

static void end_task(struct runner *runner, const struct runner_task *task, bool alone)
{
    bool ended = alone || task->batch > 0 || runner->second;
    runner->block += task->batch > 0 ? task->batch / 2 : ended ? 1 : 0;
    runner->second = !ended;
}

static enum duet_code all_runs(struct runner *runner, struct duet_error *reterr)
{
    const struct measure_done nothing = {0};
    const struct measure_done *before =
        runner->hooks->done != NULL ? runner->hooks->done : &nothing;
    runner->block = before->block;
    runner->second = before->second;
    runner->old_runs = before->old_runs;
    runner->mode_known = before->runs > 0;
    runner->runs_before = before->runs;
    runner->began_ns = clock_mono_ns() - before->elapsed_ns; /* while it warms up */
    runner->result->mode = before->mode;
    enum duet_code code = runner->second ? prepare_block(runner, reterr) : DUET_OK;
    code = code == DUET_OK ? warm_up(runner, reterr) : code;
    uint64_t began_ns = clock_mono_ns();
    uint64_t done = before->runs;
    runner->began_ns = began_ns - before->elapsed_ns; /* wraps after a restart */
    take_turn(runner, done);
    while (code == DUET_OK && wants_more(runner, done)) {
        bool alone = false;
        code = runner->second ? DUET_OK : begin_block(runner, &alone, reterr);
        if (code != DUET_OK) {
            break;
        }
        struct runner_task task = task_of(runner, done);
        task.batch = alone ? 0 : batch_of(runner, done);
        code = task.batch > 0 ? runner_batch(runner, &task, reterr)
                              : runner_run(runner, &task, reterr);
        if (code == DUET_OK) {
            done = before->runs + runner->result->runs;
            end_task(runner, &task, alone);
            take_turn(runner, done);
            if (!report_progress(runner) && !runner->second) {
                break;
            }
        }
    }
    runner->result->wall_ns = clock_mono_ns() - began_ns;
    return code;
}

static enum duet_code part_runs(struct runner *runner, struct duet_error *reterr)
{
    const struct measure_part *part = runner->part;
    enum duet_code code = DUET_OK;
    runner->began_ns = clock_mono_ns();
    for (uint64_t i = 0; i < part->runs && code == DUET_OK; i++) {
        struct runner_task task = {
            .run = part->first + i,
            .block = (part->first + i) / 2,
            .executions = runner->plan->iterations == 0 ? 1 : runner->plan->iterations,
            .solo = true};
        task.wants[part->side] = true;
        code = runner_run(runner, &task, reterr);
    }
    runner->result->wall_ns = clock_mono_ns() - runner->began_ns;
    return code;
}

static enum duet_code setup_hooks(const struct runner *runner,
                                  struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        enum duet_code code =
            runner_has(runner, side)
                ? hook_shell(runner->plan->sides[side].setup, "--setup",
                             runner->plan->sides[side].folder, runner->hooks->cancel_fd,
                             reterr)
                : DUET_OK;
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}

static enum duet_code verify(const struct measure_hooks *hooks, bool after,
                             struct duet_error *reterr)
{
    return hooks->verify == NULL ? DUET_OK
                                 : hooks->verify(hooks->verify_context, after, reterr);
}

static enum duet_code cleanup_hooks(const struct runner *runner, enum duet_code code,
                                    struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct duet_error error;
        enum duet_code mine =
            runner_has(runner, side)
                ? hook_clean(runner->plan->sides[side].cleanup, "--cleanup",
                             runner->plan->sides[side].folder, runner->hooks->cancel_fd,
                             &error)
                : DUET_OK;
        if (mine != DUET_OK && code == DUET_OK) {
            code = error_set(reterr, mine, "%s", error.message);
        }
    }
    return code;
}

/* The error of a command that said nothing about it on standard error. */
static void explain_silence(const struct runner *runner, struct duet_error *error)
{
    struct stream_tail output;
    struct duet_error ignored;
    int status = 0;
    if (runner->silent && runner->part == NULL &&
        measure_trial_output(runner->plan, runner->silent_side,
                             runner->hooks->cancel_fd, &output, &status,
                             &ignored) == DUET_OK &&
        status == runner->silent_status) {
        trouble_add_output(&output, error);
    }
}

static enum duet_code carry_out(const struct model_plan *plan,
                                const struct measure_part *part,
                                const struct measure_hooks *hooks,
                                struct measure_result *ret_result,
                                struct duet_error *reterr)
{
    *ret_result = (struct measure_result){.slice_ns = (double)NAN};
    struct runner *runner = alloc_array(1, sizeof *runner);
    if (runner == NULL) {
        return error_no_memory(reterr);
    }
    (void)reap_children(&runner->others);
    runner->scheduled = *plan;
    runner->plan = &runner->scheduled;
    runner->hooks = hooks;
    runner->part = part;
    runner->result = ret_result;
    runner->run_time_ns = plan->run_time_ns;
    runner->bell_read = runner->bell_write = runner->page_fd = -1;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        runner->positions[position].pipe_out = -1;
        runner->positions[position].pipe_err[MODEL_OLD] = -1;
        runner->positions[position].pipe_err[MODEL_NEW] = -1;
    }
    struct machine_affinity before; /* what comes behind may run anywhere again */
    machine_affinity_save(&before);
    enum duet_code code = setup_hooks(runner, reterr);
    if (code == DUET_OK && part == NULL) {
        code = verify(hooks, false, reterr);
    }
    if (code == DUET_OK) {
        code = runner_start(runner, reterr);
    }
    if (code == DUET_OK && hooks->spare != NULL) {
        code = machine_bind_thread(hooks->spare, reterr);
    }
    if (code == DUET_OK) {
        code = part == NULL ? all_runs(runner, reterr) : part_runs(runner, reterr);
    }
    runner_stop(runner);
    machine_affinity_restore(&before);
    if (code == DUET_E_WORKLOAD && reterr != NULL) {
        explain_silence(runner, reterr);
    }
    if (code == DUET_OK && part == NULL) {
        code = verify(hooks, true, reterr);
    }
    code = cleanup_hooks(runner, code, reterr);
    free(runner);
    return code;
}

void measure_done_take_turn(struct measure_done *done, const struct model_run *run)
{
    bool of_new = run->schedule == MODEL_SCHEDULE_SEQUENTIAL &&
                  run->sides[MODEL_NEW].iterations > 0;
    if (of_new && done->old_runs == 0) {
        done->old_runs = run->index;
    }
}

enum duet_code measure_check(const struct model_plan *plan, struct duet_error *reterr)
{
    const struct model_workload *sides = plan->sides;
    enum duet_code code = streams_check_command(sides[MODEL_OLD].command, reterr);
    code = code == DUET_OK ? streams_check_command(sides[MODEL_NEW].command, reterr)
                           : code;
    if (sides[MODEL_OLD].setup != NULL || sides[MODEL_NEW].setup != NULL) {
        return code;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        char *path = NULL;
        code = launch_find_in(sides[side].folder, sides[side].argv[0], &path, reterr);
        free(path);
    }
    return code == DUET_OK ? streams_check_paths(plan, reterr) : code;
}

enum duet_code measure_experiment(const struct model_plan *plan,
                                  const struct measure_hooks *hooks,
                                  struct measure_result *ret_result,
                                  struct duet_error *reterr)
{
    return carry_out(plan, NULL, hooks, ret_result, reterr);
}

enum duet_code measure_alone(const struct model_plan *plan,
                             const struct measure_part *part,
                             const struct measure_hooks *hooks,
                             struct measure_result *ret_result,
                             struct duet_error *reterr)
{
    return carry_out(plan, part, hooks, ret_result, reterr);
}
