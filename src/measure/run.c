/* One run: orders to the supervisors, waiting for their reports, observations to the
 * sink. */
#include "measure/ring.h"
#include "measure/runner.h"
#include "measure/runner_wait.h"
#include "measure/schedule.h"
#include "measure/trouble.h"
#include "sync/clock.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* A run under way. */
struct run_state {
    struct runner *runner;
    const struct runner_task *task;
    struct model_run run;
    struct supervisor_report reports[BOARD_POSITIONS]; /* of the last order */
};

static int64_t utc_now_ms(void)
{
    return (int64_t)(clock_read_ns(CLOCK_REALTIME) / 1000000U);
}

static void run_describe(struct run_state *state)
{
    const struct model_plan *plan = state->runner->plan;
    const struct runner_task *task = state->task;
    state->run = (struct model_run){.index = task->run,
                                    .block = task->block,
                                    .schedule = plan->schedule,
                                    .mode = state->runner->result->mode,
                                    .started_utc_ms = utc_now_ms(),
                                    .started_ns = clock_mono_ns(),
                                    .slice_ns = (double)NAN};
    for (int side = 0; side < MODEL_SIDES; side++) {
        unsigned position = task->position[side];
        bool two_cpus = plan->schedule == MODEL_SCHEDULE_DUET;
        state->run.sides[side].position = position;
        state->run.sides[side].cpu = plan->cpus[two_cpus ? position : 0].cpus[0];
        for (int i = 0; i < MODEL_COUNTERS; i++) {
            state->run.sides[side].counters[i] = (double)NAN;
        }
        state->run.sides[side].others_ns = (double)NAN;
        state->run.sides[side].window_ns = (double)NAN;
    }
}

enum duet_code runner_order(struct runner *runner, const struct runner_task *task,
                            unsigned position, enum model_side side, uint64_t swaps,
                            uint64_t first, uint64_t executions,
                            struct duet_error *reterr)
{
    bool new_page = !runner->page_sent[position];
    struct supervisor_order order = {
        .side = side,
        .flags = (task->solo ? 0 : (uint32_t)SUPERVISOR_PAIRED) |
                 (task->warmup ? (uint32_t)SUPERVISOR_DISCARD : 0) |
                 (new_page ? (uint32_t)SUPERVISOR_NEW_PAGE : 0) |
                 (task->batch > 0 ? (uint32_t)SUPERVISOR_RUNS : 0),
        .swaps = swaps,
        .run = task->run,
        .executions = executions,
        .first = first,
        .page_nonce = runner->map.page->header.nonce,
    };
    runner->page_sent[position] = true;
    for (int of = 0; of < MODEL_SIDES; of++) {
        runner->positions[position].tails[of].length = 0;
    }
    return supervisor_order(&runner->positions[position].supervisor, &order,
                            new_page ? runner->page_fd : -1, reterr);
}

/* The mode is what the first program that ended did; a later one must do the same. */
static enum duet_code learn_mode(struct run_state *state, bool attached,
                                 struct duet_error *reterr)
{
    struct runner *runner = state->runner;
    enum model_mode mode = attached ? MODEL_MODE_HARNESS : MODEL_MODE_COMMAND;
    if (runner->mode_known && runner->result->mode != mode) {
        return error_set(
            reterr, DUET_E_PEER,
            "run %llu is in %s mode, the runs before it were in %s mode: a program "
            "must call duet_open() in every run, or in none",
            (unsigned long long)state->task->run + 1, model_mode_name(mode),
            model_mode_name(runner->result->mode));
    }
    runner->mode_known = true;
    runner->result->mode = mode;
    state->run.mode = mode;
    return DUET_OK;
}

/* One execution of several tasks makes the side one of several. */
static void tasks_add(struct model_run_side *side, enum model_tasks tasks)
{
    side->tasks = tasks > side->tasks ? tasks : side->tasks;
}

static double sum_known(double sum, double more)
{
    return isnan(sum) ? more : isnan(more) ? sum : sum + more;
}

static void side_note(struct run_state *state, enum model_side side,
                      const struct supervisor_report *report)
{
    struct model_run_side *noted = &state->run.sides[side];
    noted->pid = report->pid;
    noted->exit_status = report->last.exit_status;
    noted->fillers += report->fillers;
    tasks_add(noted, report->tasks);
    noted->others_ns = sum_known(noted->others_ns, report->others_ns);
    noted->window_ns = sum_known(noted->window_ns, report->window_ns);
    if (report->peak_memory_bytes > noted->peak_memory_bytes) {
        noted->peak_memory_bytes = report->peak_memory_bytes;
    }
    state->runner->result->leftovers += report->leftovers;
}

/* A run's counts are those of its executions together. */
static void counters_add(struct run_state *state, enum model_side side,
                         const double counters[MODEL_COUNTERS])
{
    double *sum = state->run.sides[side].counters;
    for (int i = 0; i < MODEL_COUNTERS; i++) {
        sum[i] = sum_known(sum[i], counters[i]);
    }
}

/* Command mode: the records that a supervisor left on the board. */
static enum duet_code collect_board(struct run_state *state, unsigned position,
                                    enum model_side side, struct duet_error *reterr)
{
    struct runner *runner = state->runner;
    const struct board_slot *slot = &runner->board->slots[position];
    state->run.sides[side].iterations += slot->record_count;
    if (slot->record_count == 0) {
        return DUET_OK;
    }
    for (uint64_t i = 0; i < slot->record_count; i++) {
        const struct model_iteration *record = &slot->records[i];
        runner->slice_cpu_ns += record->cpu_ns;
        runner->slice_switches +=
            (uint64_t)record->voluntary_switches + record->involuntary_switches;
        counters_add(state, side, slot->processes[i].counters);
        tasks_add(&state->run.sides[side], slot->processes[i].tasks);
    }
    const struct model_sink *sink = &runner->hooks->sink;
    return sink->iterations(sink->context, side, slot->records, slot->record_count,
                            reterr);
}

static void board_add_longer(struct runner *runner)
{
    const struct board_slot *a = &runner->board->slots[0];
    const struct board_slot *b = &runner->board->slots[1];
    for (uint64_t i = 0; i < a->record_count && i < b->record_count; i++) {
        uint64_t a_ns = a->records[i].end_ns - a->records[i].start_ns;
        uint64_t b_ns = b->records[i].end_ns - b->records[i].start_ns;
        runner->result->longer_ns += a_ns > b_ns ? a_ns : b_ns;
    }
}

static enum duet_code collect(struct run_state *state,
                              const struct runner_wait *waiting,
                              struct duet_error *reterr)
{
    struct runner *runner = state->runner;
    bool attached = false;
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        if (waiting->ordered[position]) {
            attached = waiting->reports[position].attached != 0;
            side_note(state, waiting->sides[position], &waiting->reports[position]);
        }
    }
    enum duet_code code = learn_mode(state, attached, reterr);
    if (code != DUET_OK || state->task->warmup) {
        return code;
    }
    unsigned count = state->task->solo ? 1 : BOARD_POSITIONS;
    if (attached) {
        code = ring_drain(runner, count, waiting->sides, state->run.started_ns, reterr);
        for (unsigned position = 0; position < count; position++) {
            struct model_run_side *side = &state->run.sides[waiting->sides[position]];
            side->iterations = runner->read[position];
            counters_add(state, waiting->sides[position],
                         waiting->reports[position].counters);
            struct sync_slot *slot = &runner->map.page->slots[position];
            side->fillers = atomic_load_explicit(&slot->fillers, memory_order_acquire);
            runner->expected_ns[waiting->sides[position]] =
                atomic_load_explicit(&slot->expected_ns, memory_order_relaxed);
        }
        return code;
    }
    if (count == 2) {
        board_add_longer(runner);
    }
    for (unsigned position = 0; position < count && code == DUET_OK; position++) {
        code = collect_board(state, position, waiting->sides[position], reterr);
    }
    return code;
}

/* Tells the positions how long their sides' iterations took the last time. */
static void expect(struct runner *runner, const enum model_side *sides)
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        atomic_store_explicit(&runner->map.page->slots[position].expected_ns,
                              runner->expected_ns[sides[position]],
                              memory_order_relaxed);
    }
}

/* The sides of so many positions at once, in as many orders as the board has room for.
 */
static enum duet_code run_sides(struct run_state *state, const enum model_side *sides,
                                unsigned count, struct duet_error *reterr)
{
    struct runner *runner = state->runner;
    const struct runner_task *task = state->task;
    bool together = runner->plan->schedule == MODEL_SCHEDULE_DUET;
    enum duet_code code = ring_page_fresh(runner, reterr);
    uint64_t done = 0;
    while (code == DUET_OK && done < task->executions) {
        uint64_t left = task->executions - done;
        uint64_t executions = left < BOARD_RECORDS ? left : BOARD_RECORDS;
        struct runner_wait waiting = {
            .runner = runner, .task = task, .run = &state->run};
        memcpy(waiting.sides, sides, count * sizeof *sides);
        board_reset(runner->board, count == 1 || together);
        if (count == BOARD_POSITIONS) {
            expect(runner, sides);
        }
        /* The launch order belongs to the position, too. */
        for (unsigned position = 0; position < count && code == DUET_OK; position++) {
            code = runner_order(runner, task, position, sides[position], 0, done,
                                executions, reterr);
            waiting.ordered[position] = code == DUET_OK;
        }
        code = runner_wait_until_reported(&waiting, code, reterr);
        if (code == DUET_OK) {
            code = collect(state, &waiting, reterr);
        }
        done += executions;
        if (state->run.mode == MODEL_MODE_HARNESS) {
            break;
        }
    }
    return code;
}

static enum duet_code run_paired(struct run_state *state, struct duet_error *reterr)
{
    enum model_side sides[BOARD_POSITIONS] = {MODEL_OLD};
    for (int side = 0; side < MODEL_SIDES; side++) {
        sides[state->task->position[side]] = (enum model_side)side;
    }
    return run_sides(state, sides, BOARD_POSITIONS, reterr);
}

/* Each side by itself, on position 0. */
static enum duet_code run_solo(struct run_state *state, struct duet_error *reterr)
{
    for (unsigned position = 0; position < BOARD_POSITIONS; position++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            const enum model_side one = (enum model_side)side;
            bool now =
                state->task->wants[side] && state->task->position[side] == position;
            enum duet_code code = now ? run_sides(state, &one, 1, reterr) : DUET_OK;
            if (code != DUET_OK) {
                return code;
            }
        }
    }
    return DUET_OK;
}

/* How long iterations take, for what comes next: whether a run shows progress, how many
 * short ones make a batch, how many iterations a benchmark has time for. */
static void learn_pace(struct run_state *state)
{
    uint64_t iterations = state->run.sides[MODEL_OLD].iterations;
    if (iterations < state->run.sides[MODEL_NEW].iterations) {
        iterations = state->run.sides[MODEL_NEW].iterations;
    }
    if (iterations > 0) {
        state->runner->iteration_ns =
            (state->run.ended_ns - state->run.started_ns) / iterations;
    }
}

/* Timeslice: how long a side had the CPU at a stretch, on average. */
static double slice_of(const struct runner *runner)
{
    bool alternates = runner->plan->schedule == MODEL_SCHEDULE_TIMESLICE;
    return alternates && runner->slice_switches > 0
               ? (double)runner->slice_cpu_ns / (double)runner->slice_switches
               : (double)NAN;
}

enum duet_code runner_run(struct runner *runner, const struct runner_task *task,
                          struct duet_error *reterr)
{
    struct run_state state = {.runner = runner, .task = task};
    const struct model_sink *sink = &runner->hooks->sink;
    run_describe(&state);
    runner->slice_cpu_ns = runner->slice_switches = 0;
    enum duet_code code =
        task->warmup ? DUET_OK : sink->run_begin(sink->context, &state.run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = task->solo ? run_solo(&state, reterr) : run_paired(&state, reterr);
    state.run.ended_ns = clock_mono_ns();
    learn_pace(&state);
    if (task->warmup) {
        return code;
    }
    if (code == DUET_OK) {
        state.run.slice_ns = slice_of(runner);
        runner->result->slice_ns = state.run.slice_ns;
        state.run.regions = (const char(*)[MODEL_REGION_BYTES])runner->regions;
        state.run.region_count = runner->region_count;
        code = sink->run_end(sink->context, &state.run, reterr);
        runner->result->runs += code == DUET_OK;
    }
    if (code != DUET_OK) {
        sink->run_abort(sink->context);
    }
    return code;
}
