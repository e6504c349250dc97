/* Many short runs under one order. */
#include "measure/ring.h"
#include "measure/runner.h"
#include "measure/runner_wait.h"
#include "measure/schedule.h"
#include "sync/clock.h"

#include <math.h>
#include <string.h>

/* Which side a position has in the n-th run of the batch. */
static enum model_side side_at(const struct runner *runner,
                               const struct runner_task *task, uint64_t n,
                               unsigned position)
{
    unsigned old_position =
        schedule_old_position(runner->plan->seed, task->block + n / 2, n % 2 == 1);
    return old_position == position ? MODEL_OLD : MODEL_NEW;
}

/* Bit n: in the n-th run the position has the other side than in the first. */
static uint64_t swaps_of(const struct runner *runner, const struct runner_task *task,
                         unsigned position)
{
    uint64_t swaps = 0;
    enum model_side first = side_at(runner, task, 0, position);
    for (uint64_t n = 0; n < task->batch; n++) {
        uint64_t swapped = side_at(runner, task, n, position) != first;
        swaps |= swapped << n;
    }
    return swaps;
}

/* The n-th run of the batch, from what both supervisors noted. */
static struct model_run run_of(const struct runner_wait *waiting, uint64_t n)
{
    const struct runner *runner = waiting->runner;
    const struct runner_task *task = waiting->task;
    const struct board_slot *slots = runner->board->slots;
    uint64_t now_ns = clock_mono_ns();
    int64_t now_ms = (int64_t)(clock_read_ns(CLOCK_REALTIME) / 1000000U);
    struct model_run run = {.index = task->run + n,
                            .block = task->block + n / 2,
                            .schedule = runner->plan->schedule,
                            .mode = MODEL_MODE_COMMAND,
                            .started_ns = UINT64_MAX,
                            .slice_ns = (double)NAN};
    bool two_cpus = runner->plan->schedule == MODEL_SCHEDULE_DUET;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        const struct model_iteration *record = &slots[position].records[n];
        const struct board_process *process = &slots[position].processes[n];
        enum model_side side = side_at(runner, task, n, position);
        run.sides[side] = (struct model_run_side){
            .position = position,
            .cpu = runner->plan->cpus[two_cpus ? position : 0].cpus[0],
            .pid = process->pid,
            .exit_status = record->exit_status,
            .peak_memory_bytes = process->peak_memory_bytes,
            .iterations = 1,
            .fillers = process->fillers,
            .tasks = process->tasks,
            .others_ns = waiting->reports[position].others_ns / (double)task->batch,
            .window_ns = waiting->reports[position].window_ns / (double)task->batch,
        };
        memcpy(run.sides[side].counters, process->counters, sizeof process->counters);
        run.started_ns =
            record->start_ns < run.started_ns ? record->start_ns : run.started_ns;
        run.ended_ns = record->end_ns > run.ended_ns ? record->end_ns : run.ended_ns;
    }
    run.started_utc_ms = now_ms - (int64_t)((now_ns - run.started_ns) / 1000000U);
    return run;
}

static void slice_note(struct model_run *run, const struct model_iteration *old_record,
                       const struct model_iteration *new_record)
{
    uint64_t switches =
        (uint64_t)old_record->voluntary_switches + old_record->involuntary_switches +
        new_record->voluntary_switches + new_record->involuntary_switches;
    if (run->schedule == MODEL_SCHEDULE_TIMESLICE && switches > 0) {
        run->slice_ns =
            (double)(old_record->cpu_ns + new_record->cpu_ns) / (double)switches;
    }
}

static enum duet_code save_run(const struct runner_wait *waiting, uint64_t n,
                               struct duet_error *reterr)
{
    struct runner *runner = waiting->runner;
    const struct model_sink *sink = &runner->hooks->sink;
    struct model_run run = run_of(waiting, n);
    struct model_iteration records[MODEL_SIDES] = {{0}};
    for (int side = 0; side < MODEL_SIDES; side++) {
        unsigned position = run.sides[side].position;
        records[side] = runner->board->slots[position].records[n];
        records[side].index = 0;
    }
    slice_note(&run, &records[MODEL_OLD], &records[MODEL_NEW]);
    runner->result->slice_ns = run.slice_ns;
    uint64_t old_ns = records[MODEL_OLD].end_ns - records[MODEL_OLD].start_ns;
    uint64_t new_ns = records[MODEL_NEW].end_ns - records[MODEL_NEW].start_ns;
    runner->result->longer_ns += old_ns > new_ns ? old_ns : new_ns;
    enum duet_code code = sink->run_begin(sink->context, &run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = sink->iterations(sink->context, (enum model_side)side, &records[side], 1,
                                reterr);
    }
    code = code == DUET_OK ? sink->run_end(sink->context, &run, reterr) : code;
    if (code != DUET_OK) {
        sink->run_abort(sink->context);
    }
    return code;
}

/* Saves every run that both sides have completed. */
static enum duet_code save_all(const struct runner_wait *waiting,
                               struct duet_error *reterr)
{
    struct runner *runner = waiting->runner;
    const struct board_slot *slots = runner->board->slots;
    uint64_t complete = slots[0].record_count < slots[1].record_count
                            ? slots[0].record_count
                            : slots[1].record_count;
    for (uint64_t n = 0; n < complete; n++) {
        enum duet_code code = save_run(waiting, n, reterr);
        if (code != DUET_OK) {
            return code;
        }
        runner->result->runs++;
    }
    return DUET_OK;
}

enum duet_code runner_batch(struct runner *runner, const struct runner_task *task,
                            struct duet_error *reterr)
{
    struct model_run unused = {0};
    struct runner_wait waiting = {.runner = runner, .task = task, .run = &unused};
    enum duet_code code = ring_page_fresh(runner, reterr);
    if (code != DUET_OK) {
        return code;
    }
    uint64_t began_ns = clock_mono_ns();
    board_reset(runner->board, runner->plan->schedule == MODEL_SCHEDULE_DUET);
    for (unsigned position = 0; position < BOARD_POSITIONS && code == DUET_OK;
         position++) {
        waiting.sides[position] = side_at(runner, task, 0, position);
        code = runner_order(runner, task, position, waiting.sides[position],
                            swaps_of(runner, task, position), 0, task->batch, reterr);
        waiting.ordered[position] = code == DUET_OK;
    }
    code = runner_wait_until_reported(&waiting, code, reterr);
    if (code == DUET_OK) {
        runner->iteration_ns = (clock_mono_ns() - began_ns) / task->batch;
    }
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        runner->result->leftovers += waiting.reports[position].leftovers;
    }
    bool attached = waiting.reports[0].attached || waiting.reports[1].attached;
    if (code == DUET_OK && attached) {
        code = error_set(
            reterr, DUET_E_PEER,
            "run %llu is in harness mode, the runs before it were in command mode: "
            "a program must call duet_open() in every run, or in none",
            (unsigned long long)task->run + 1);
    }
    struct duet_error error;
    enum duet_code saved = waiting.ordered[1] ? save_all(&waiting, &error) : DUET_OK;
    if (code == DUET_OK && saved != DUET_OK) {
        code = error_set(reterr, saved, "%s", error.message);
    }
    return code;
}
