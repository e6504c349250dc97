#include "measure/execution.h"

#include "machine/machine.h"
#include "machine/taken.h"
#include "measure/others.h"
#include "measure/reap.h"
#include "measure/schedule.h"
#include "measure/streams.h"
#include "sync/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* One child, from launch to reaped. */
struct attempt {
    pid_t pid;
    enum reap_event event;
    uint64_t end_ns;
    int status; /* as wait4() gives it */
    struct rusage usage;
    double counters[MODEL_COUNTERS]; /* NaN: not available */
    struct taken_tasks tasks; /* of its first thread, from its creation to its end */
    bool tasks_known;
    bool strayed; /* it could run on a CPU that is not its position's: */
    unsigned cpu; /* this one */
};

/* Steal is told in steps of 10 ms: shorter executions are not worth the looks. */
static const uint64_t long_enough_ns = 20000000;

enum duet_code execution_init(struct execution *execution,
                              const struct supervisor_setup *setup,
                              struct duet_error *reterr)
{
    *execution =
        (struct execution){.setup = setup,
                           .page_fd = -1,
                           .last_ns = {UINT64_MAX, UINT64_MAX},
                           .tasks_fd = setup->plan->usage ? taken_tasks_open() : -1};
    sigemptyset(&execution->program_mask);
    if (reap_block_signals() != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot block signals");
    }
    execution->stack = launch_stack_new();
    if (execution->stack == NULL) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "no memory for a child");
    }
    if (setup->plan->usage) {
        struct counters_target programs = {.inherit = true, .start_on_exec = true};
        enum duet_code code = counters_open(setup->counters_calls, &programs,
                                            &execution->counters, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    setup->board->slots[setup->position].supervisor = getpid();
    return DUET_OK;
}

void execution_release(struct execution *execution)
{
    counters_release(&execution->counters);
    if (execution->tasks_fd >= 0) {
        (void)close(execution->tasks_fd);
    }
    launch_stack_free(execution->stack);
    execution->stack = NULL;
}

static struct board_slot *own_slot(const struct execution *execution)
{
    return &execution->setup->board->slots[execution->setup->position];
}

static const struct board_slot *peer_slot(const struct execution *execution)
{
    return &execution->setup->board->slots[1U - execution->setup->position];
}

static void trouble_set(struct supervisor_report *report,
                        enum supervisor_trouble trouble, int status)
{
    report->trouble = trouble;
    report->status = status;
}

/* What the program that has just ended did. This process inherits its counters to what
 * it starts, where they count from execve on; it never executes anything itself. */
static void counters_note(struct execution *execution, struct attempt *attempt)
{
    for (int i = 0; i < MODEL_COUNTERS; i++) {
        attempt->counters[i] = (double)NAN;
    }
    struct counters_reading now[MODEL_COUNTERS];
    struct duet_error error;
    if (counters_available(&execution->counters) &&
        counters_read(&execution->counters, now, &error) == DUET_OK) {
        counters_between(execution->counted, now, attempt->counters);
        memcpy(execution->counted, now, sizeof now);
    }
}

/* The runner looks at it only to see whether it changes. */
static void step(struct execution *execution)
{
    (void)atomic_fetch_add_explicit(&own_slot(execution)->steps, 1,
                                    memory_order_relaxed);
}

/* Another user's program that may not be killed is left alone: it would be waited for
 * as long as it likes. */
static void attempt_collect(struct execution *execution, const struct launch_spec *spec,
                            struct attempt *attempt)
{
    if (attempt->event != REAP_EXITED && !reap_kill_group(attempt->pid)) {
        return;
    }
    if (spec->delay) {
        attempt->tasks_known = taken_by_tasks(attempt->pid, &attempt->tasks);
    }
    attempt->strayed =
        !machine_is_bound(attempt->pid, execution->setup->cpus, false, &attempt->cpu);
    attempt->status = reap_collect(attempt->pid, &attempt->usage);
    counters_note(execution, attempt);
}

/* Launches one program and waits for its end. `meets`: with the other side. `filler`:
 * may be ended by the other side's end. Returns false with the report's trouble set
 * when it did not come to an exit of its own. */
static bool attempt_run(struct execution *execution, const struct launch_spec *spec,
                        bool filler, struct attempt *attempt,
                        struct supervisor_report *report)
{
    struct board_launch *launch = &own_slot(execution)->launch;
    struct duet_error error;
    if (launch_child(spec, execution->stack, launch, &attempt->pid, &error) !=
        DUET_OK) {
        trouble_set(report, SUPERVISOR_NOT_STARTED, errno);
        return false;
    }
    report->pid = attempt->pid;
    atomic_store_explicit(&own_slot(execution)->program, attempt->pid,
                          memory_order_release);
    step(execution);
    uint64_t timeout_ns = execution->setup->plan->timeout_ns;
    uint64_t deadline_ns = timeout_ns == 0 ? UINT64_MAX : launch->start_ns + timeout_ns;
    do {
        attempt->event = reap_wait(attempt->pid, deadline_ns, filler,
                                   execution->tasks_fd, &attempt->end_ns);
    } while (attempt->event == REAP_PEER_ENDED &&
             execution->setup->plan->fill[0] != MODEL_FILL_KILL);
    attempt_collect(execution, spec, attempt);
    step(execution);
    if (launch->setup_errno != 0 || launch->exec_errno != 0) {
        trouble_set(report, SUPERVISOR_NOT_STARTED,
                    launch->exec_errno != 0 ? launch->exec_errno : launch->setup_errno);
        return false;
    }
    if (launch->outcome != SYNC_MET && launch->outcome != SYNC_MET_SLEPT) {
        trouble_set(report, SUPERVISOR_CANCELLED, 0);
        return false;
    }
    switch (attempt->event) {
    case REAP_EXITED:
    case REAP_PEER_ENDED:
        return true;
    case REAP_STOPPED:
        trouble_set(report, SUPERVISOR_STOPPED, 0);
        return false;
    case REAP_TIMED_OUT:
        trouble_set(report, SUPERVISOR_TIMED_OUT, 0);
        return false;
    case REAP_CANCELLED:
        trouble_set(report, SUPERVISOR_CANCELLED, SIGTERM);
        return false;
    }
    return false;
}

/* 0 to 255: exit status; 128 + n: died by signal n. */
static int32_t shell_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A hook takes no part in the measurement, a benchmark that it calls neither. `failed`:
 * what to report when it fails. */
static bool hook_run(struct execution *execution, const char *command,
                     struct launch_spec spec, enum supervisor_trouble failed,
                     struct supervisor_report *report)
{
    if (command == NULL) {
        return true;
    }
    const char *const argv[] = {"sh", "-c", command, NULL};
    spec.path = "/bin/sh";
    spec.argv = argv;
    spec.envp = environment_entries(execution->hook_environment);
    spec.meeting = NULL;
    spec.page_fd = -1;
    spec.bell_fd = -1;
    spec.delay = false;
    struct attempt attempt = {0};
    if (!attempt_run(execution, &spec, false, &attempt, report)) {
        if (report->trouble == SUPERVISOR_TIMED_OUT ||
            report->trouble == SUPERVISOR_STOPPED) {
            report->status = (int32_t)failed;
        }
        return false;
    }
    if (attempt.status != 0) {
        trouble_set(report, failed, shell_status(attempt.status));
        return false;
    }
    return true;
}

static uint64_t timeval_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_usec * 1000U;
}

static uint64_t minus_clamped(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0; /* the kernel's microseconds are rounded */
}

static struct model_iteration iteration_of(const struct execution *execution,
                                           const struct attempt *attempt,
                                           uint64_t index)
{
    const struct board_launch *launch = &own_slot(execution)->launch;
    const struct rusage *usage = &attempt->usage;
    uint64_t user_ns = timeval_ns(usage->ru_utime);
    uint64_t system_ns = timeval_ns(usage->ru_stime);
    uint64_t own_system_ns = minus_clamped(system_ns, launch->system_start_ns);
    uint64_t cpu_ns = minus_clamped(user_ns + system_ns, launch->cpu_start_ns);
    bool slept = launch->outcome == SYNC_MET_SLEPT;
    uint32_t flags = slept ? MODEL_ITERATION_SLEPT | MODEL_ITERATION_SECOND : 0;
    flags |= execution->setup->plan->usage ? 0U : MODEL_ITERATION_NO_USAGE;
    bool told = launch->delay_known && attempt->tasks_known;
    flags |= told ? MODEL_ITERATION_TAKEN_KNOWN : 0U;
    flags |= attempt->strayed ? MODEL_ITERATION_STRAYED : 0U;
    return (struct model_iteration){
        .index = index,
        .start_ns = launch->start_ns,
        .end_ns = attempt->end_ns,
        .cpu_ns = cpu_ns,
        .user_ns = minus_clamped(cpu_ns, own_system_ns),
        .system_ns = own_system_ns < cpu_ns ? own_system_ns : cpu_ns,
        .voluntary_switches = (uint32_t)usage->ru_nvcsw - launch->voluntary_start,
        .involuntary_switches = (uint32_t)usage->ru_nivcsw - launch->involuntary_start,
        .minor_faults = (uint32_t)usage->ru_minflt - launch->faults_start,
        .major_faults = (uint32_t)usage->ru_majflt,
        .cpu = attempt->strayed ? attempt->cpu : execution->setup->cpus->cpus[0],
        .flags = flags,
        .exit_status = shell_status(attempt->status),
        .taken_ns =
            told ? minus_clamped(attempt->tasks.delay_ns, launch->delay_start_ns) : 0,
    };
}

/* Keeps the CPU as busy as it was until the other side has ended too. */
static bool fill_up(struct execution *execution, struct launch_spec spec,
                    uint64_t ended, struct supervisor_report *report)
{
    spec.meeting = NULL;
    spec.delay = false;
    while (atomic_load_explicit(&peer_slot(execution)->ended, memory_order_acquire) <
           ended) {
        struct attempt attempt = {0};
        if (!attempt_run(execution, &spec, true, &attempt, report)) {
            return false;
        }
        report->fillers++;
    }
    return true;
}

static bool is_attached(const struct sync_slot *slot)
{
    /* Acquire pairs with the claim: what the program wrote to its page is there. */
    return slot != NULL &&
           atomic_load_explicit(&slot->claim, memory_order_acquire) != 0;
}

/* Tells the other side, and waits for it: neither's hooks may run inside the other's
 * timed execution. */
static bool end_together(struct execution *execution, const struct launch_spec *spec,
                         uint64_t ended, struct supervisor_report *report)
{
    struct board_slot *own = own_slot(execution);
    enum model_fill fill = execution->setup->plan->fill[0];
    /* Release pairs with the acquire in the peer's fill_up(). */
    atomic_store_explicit(&own->ended, ended, memory_order_release);
    /* A benchmark on the other side never ends alone. Either it is seen here, or, when
     * it attaches later, the runner sees our `ended` after its bell: of two that write
     * and then look, one must see the other. The fence pairs with the one in the
     * runner's check_attached(). */
    atomic_thread_fence(memory_order_seq_cst);
    if (is_attached(execution->peer_slot)) {
        trouble_set(report, SUPERVISOR_UNMATCHED, 0);
        return false;
    }
    /* Only one that fills is told: to wake up another one takes time of the program
     * that it still measures. By the same fence one of both is seen here, or itself
     * sees that there is nothing to fill. */
    if (fill == MODEL_FILL_KILL &&
        atomic_load_explicit(&peer_slot(execution)->ended, memory_order_acquire) >=
            ended) {
        (void)kill(peer_slot(execution)->supervisor, SIGUSR1);
    }
    if (fill != MODEL_FILL_OFF && !fill_up(execution, *spec, ended, report)) {
        return false;
    }
    enum sync_outcome outcome =
        sync_meet(&execution->setup->board->end, &own->end, execution->guard);
    if (outcome != SYNC_MET && outcome != SYNC_MET_SLEPT) {
        trouble_set(report, SUPERVISOR_CANCELLED, 0);
        return false;
    }
    return true;
}

static bool status_is_fine(const struct execution *execution,
                           const struct attempt *attempt,
                           struct supervisor_report *report)
{
    if (attempt->status == 0 || execution->setup->plan->ignore_failure) {
        return true;
    }
    if (WIFSIGNALED(attempt->status)) {
        trouble_set(report, SUPERVISOR_SIGNALLED, WTERMSIG(attempt->status));
    } else {
        trouble_set(report, SUPERVISOR_EXITED, WEXITSTATUS(attempt->status));
    }
    return false;
}

static enum model_side side_of(const struct supervisor_order *order, uint64_t nth)
{
    bool swapped = nth < SUPERVISOR_BATCH && (order->swaps >> nth & 1U) != 0;
    return swapped ? (enum model_side)(1 - (int)order->side) : order->side;
}

static bool looks_at_steal(const struct execution *execution)
{
    return execution->setup->cpus->count == 1 &&
           (execution->last_ns[0] >= long_enough_ns ||
            execution->last_ns[1] >= long_enough_ns);
}

static void add_stolen(struct model_iteration *iteration,
                       const struct taken_host *before, const struct taken_host *after)
{
    uint64_t idle_ns = minus_clamped(iteration->end_ns - iteration->start_ns,
                                     iteration->cpu_ns + iteration->taken_ns);
    iteration->taken_ns += taken_share(before, after, iteration->cpu_ns, idle_ns);
}

/* wait4() tells of all threads, and of the processes that the program has waited for;
 * schedstat of its first thread. Leftovers are seen later. */
static enum model_tasks tasks_of(const struct attempt *attempt)
{
    const double share = 0.01;
    const double least_ns = 200e3; /* beside rounding, a child that does nothing */
    const struct rusage *usage = &attempt->usage;
    double all_ns = (double)(timeval_ns(usage->ru_utime) + timeval_ns(usage->ru_stime));
    double first_ns = (double)attempt->tasks.executed_ns;
    if (!attempt->tasks_known) {
        return MODEL_TASKS_UNKNOWN;
    }
    return all_ns - first_ns > share * all_ns + least_ns ? MODEL_TASKS_SEVERAL
                                                         : MODEL_TASKS_ONE;
}

/* Processes that the last execution left behind, or that have ended without it, were
 * tasks beside it. */
static void note_leftovers(struct execution *execution,
                           struct supervisor_report *report)
{
    struct board_slot *own = own_slot(execution);
    bool any = false;
    report->leftovers += reap_leftovers(NULL, &any);
    if (any) {
        report->tasks = MODEL_TASKS_SEVERAL;
        if (!report->attached && own->record_count > 0) {
            own->processes[own->record_count - 1].tasks = MODEL_TASKS_SEVERAL;
        }
    }
    execution->looks =
        execution->looks || report->attached || report->tasks != MODEL_TASKS_ONE;
}

/* The cpuset may have shrunk, or a program may have bound this process elsewhere. */
static bool is_bound(const struct execution *execution,
                     struct supervisor_report *report)
{
    unsigned cpu = 0;
    bool bound = machine_is_bound(0, execution->setup->cpus, true, &cpu);
    if (!bound) {
        trouble_set(report, SUPERVISOR_MOVED, (int)cpu);
    }
    return bound;
}

/* One execution with all around it. */
static bool execute_once(struct execution *execution,
                         const struct supervisor_order *order,
                         const struct launch_spec *spec, uint64_t nth,
                         struct supervisor_report *report)
{
    const struct model_workload *side = &execution->setup->plan->sides[report->side];
    struct attempt attempt = {0};
    uint64_t fillers = report->fillers;
    report->execution = order->first + nth;
    if (!is_bound(execution, report) ||
        !hook_run(execution, side->prepare, *spec, SUPERVISOR_PREPARE, report)) {
        return false;
    }
    uint32_t cpu = execution->setup->cpus->cpus[0];
    struct taken_host before;
    struct taken_host after;
    bool told =
        spec->delay && looks_at_steal(execution) && taken_by_host("", cpu, &before);
    bool ended = attempt_run(execution, spec, false, &attempt, report);
    told = told && taken_by_host("", cpu, &after);
    report->attached = is_attached(execution->slot);
    if (!ended) {
        return false;
    }
    struct board_slot *own = own_slot(execution);
    report->last = iteration_of(execution, &attempt, report->execution);
    if (told && (report->last.flags & MODEL_ITERATION_TAKEN_KNOWN) != 0) {
        add_stolen(&report->last, &before, &after);
    }
    execution->last_ns[1] = execution->last_ns[0];
    execution->last_ns[0] = report->last.end_ns - report->last.start_ns;
    report->tasks = tasks_of(&attempt);
    memcpy(report->counters, attempt.counters, sizeof report->counters);
    uint64_t peak_bytes = (uint64_t)attempt.usage.ru_maxrss * 1024U;
    if (peak_bytes > report->peak_memory_bytes) {
        report->peak_memory_bytes = peak_bytes;
    }
    if (!status_is_fine(execution, &attempt, report)) {
        return false;
    }
    report->executions++;
    if (report->attached) {
        return hook_run(execution, side->conclude, *spec, SUPERVISOR_CONCLUDE, report);
    }
    int64_t pid = attempt.pid;
    if ((order->flags & SUPERVISOR_PAIRED) != 0 &&
        !end_together(execution, spec, nth + 1, report)) {
        return false;
    }
    if ((order->flags & SUPERVISOR_DISCARD) == 0) {
        struct board_process *process = &own->processes[own->record_count];
        *process = (struct board_process){
            .pid = pid,
            .peak_memory_bytes = peak_bytes,
            .fillers = report->fillers - fillers,
            .tasks = report->tasks,
        };
        memcpy(process->counters, attempt.counters, sizeof process->counters);
        own->records[own->record_count++] = report->last;
    }
    return hook_run(execution, side->conclude, *spec, SUPERVISOR_CONCLUDE, report);
}

/* Of a run: where stacks begin, and the seeds, which hooks have as well. */
static void environments_set(const struct execution *execution,
                             const struct model_workload *side, uint64_t run)
{
    const struct model_plan *plan = execution->setup->plan;
    unsigned position = execution->setup->position;
    uint32_t seed = schedule_hash_seed(plan, run, position);
    environment_set_offset(execution->environment,
                           schedule_environment_offset(plan, run, position));
    environment_set_hash_seed(execution->environment, seed);
    if (side->prepare != NULL || side->conclude != NULL) {
        environment_set_hash_seed(execution->hook_environment, seed);
    }
}

void execution_order(struct execution *execution, const struct supervisor_order *order,
                     struct supervisor_report *report)
{
    const struct supervisor_setup *setup = execution->setup;
    bool paired = (order->flags & SUPERVISOR_PAIRED) != 0;
    bool each_a_run = (order->flags & SUPERVISOR_RUNS) != 0;
    struct streams streams;
    struct launch_spec spec = {
        .envp = environment_entries(execution->environment),
        .page_fd = execution->page_fd,
        .bell_fd = execution->page_fd >= 0 ? LAUNCH_BELL_FD : -1,
        .mask = &execution->program_mask,
        .meeting = paired ? &setup->board->begin : NULL,
        .party = &own_slot(execution)->begin,
        .guard = execution->guard,
        .usage = setup->plan->usage,
    };
    struct others_look before = {0};
    if (execution->looks) {
        others_look(setup->cpus, &before);
    }
    for (uint64_t i = 0; i < order->executions && !report->attached; i++) {
        report->side = side_of(order, i);
        uint64_t run = order->run + (each_a_run ? i : 0);
        environments_set(execution, &setup->plan->sides[report->side], run);
        int errnum = streams_open(&streams, setup->plan, report->side, setup->stdout_fd,
                                  setup->stderr_fds[report->side]);
        if (errnum != 0) {
            trouble_set(report, SUPERVISOR_NOT_STARTED, errnum);
            break;
        }
        spec.path = setup->paths[report->side];
        spec.argv = setup->plan->sides[report->side].argv;
        spec.folder = setup->plan->sides[report->side].folder;
        spec.stdin_fd = streams.fds[0];
        spec.stdout_fd = streams.fds[1];
        spec.stderr_fd = streams.fds[2];
        spec.delay = setup->plan->usage;
        bool fine = execute_once(execution, order, &spec, i, report);
        streams_close(&streams);
        /* Now, so that they do not disturb the next execution. */
        note_leftovers(execution, report);
        if (!fine) {
            break;
        }
    }
    struct others_look after = {0};
    if (before.known) {
        others_look(setup->cpus, &after);
    }
    others_between(setup->cpus, &before, &after, &report->others_ns,
                   &report->window_ns);
    if (report->trouble == SUPERVISOR_FINE) {
        (void)is_bound(execution, report);
    }
    if (report->trouble != SUPERVISOR_FINE) {
        board_poison(setup->board); /* the other side need not wait for us */
    }
}
