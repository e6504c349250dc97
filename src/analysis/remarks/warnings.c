#include "analysis/remarks/warnings.h"

#include "analysis/remarks/fitness.h"

#include <inttypes.h>
#include <math.h>

/* /proc/stat counts in steps of 10 ms, a few of which anything makes. */
static const double least_stolen_s = 0.05;
/* Clock reads and rounding of the kernel's figures. */
static const double nothing_ns = 50e3;
/* A program that is on the CPU for less waits for something else. */
static const double computing = 0.6;

void analysis_usage_add(struct analysis_side_usage *usage,
                        const struct model_iteration *iteration)
{
    double wall_ns = (double)(iteration->end_ns - iteration->start_ns);
    double cpu_ns = (double)iteration->cpu_ns;
    usage->iterations++;
    usage->operations += model_iteration_operations(iteration);
    usage->strayed += (iteration->flags & MODEL_ITERATION_STRAYED) != 0;
    if ((iteration->flags & MODEL_ITERATION_NO_USAGE) != 0) {
        return;
    }
    usage->wall_ns += wall_ns;
    usage->cpu_ns += cpu_ns;
    usage->involuntary_switches += iteration->involuntary_switches;
    if (iteration->voluntary_switches == 0) {
        /* It waited for nothing: what it did not execute was taken. */
        usage->known_ns += wall_ns;
        usage->taken_ns += wall_ns - cpu_ns > nothing_ns ? wall_ns - cpu_ns : 0.0;
    } else if ((iteration->flags & MODEL_ITERATION_TAKEN_KNOWN) != 0) {
        usage->known_ns += wall_ns;
        usage->taken_ns += fmin((double)iteration->taken_ns, wall_ns);
    }
}

bool analysis_usage_crowded(const struct analysis_side_usage *usage,
                            const struct model_run_side *side)
{
    /* The scheduler changes between tasks that are ready some hundred times a second;
     * one process after the other, as in a script, does not make it do so. */
    const double often_per_s = 50.0;
    const double others_most = 0.05;
    double per_s = (double)usage->involuntary_switches / (usage->wall_ns / 1e9);
    return side->tasks == MODEL_TASKS_SEVERAL && per_s > often_per_s &&
           side->others_ns < others_most * side->window_ns;
}

static double wall_of(const struct analysis_facts *facts)
{
    return facts->sides[MODEL_OLD].wall_ns + facts->sides[MODEL_NEW].wall_ns;
}

/* NaN unless most of the time is known of. */
static double taken_ratio(const struct analysis_facts *facts)
{
    double known_ns = 0.0;
    double taken_ns = 0.0;
    for (int side = 0; side < MODEL_SIDES; side++) {
        known_ns += facts->sides[side].known_ns;
        taken_ns += facts->sides[side].taken_ns;
    }
    return known_ns > 0.5 * wall_of(facts) ? taken_ns / known_ns : (double)NAN;
}

/* The share of its own time that a side is on the CPU. */
static double busy_of(const struct analysis_side_usage *usage)
{
    double own_ns = usage->wall_ns - usage->taken_ns;
    return own_ns > 0 ? fmin(1.0, usage->cpu_ns / own_ns) : (double)NAN;
}

/* Of the side for which it is smaller; NaN: not known of both. */
static double least_busy(const struct analysis_facts *facts)
{
    double busy_old = busy_of(&facts->sides[MODEL_OLD]);
    double busy_new = busy_of(&facts->sides[MODEL_NEW]);
    return isnan(busy_old) || isnan(busy_new) ? (double)NAN : fmin(busy_old, busy_new);
}

bool analysis_a_side_waits(const struct analysis_facts *facts)
{
    return least_busy(facts) < computing;
}

bool analysis_sides_compute(const struct analysis_facts *facts)
{
    return least_busy(facts) >= computing && !facts->sides[MODEL_OLD].crowded &&
           !facts->sides[MODEL_NEW].crowded;
}

/* What a side loses to the other one while they take turns is not lost. */
static void warn_taken(const struct analysis_facts *facts,
                       struct model_comparison *comparison)
{
    double taken = comparison->conditions.taken_ratio;
    if (comparison->schedule == MODEL_SCHEDULE_TIMESLICE) {
        return;
    }
    if (fitness_is_much_taken(taken)) {
        model_comparison_warn(comparison, MODEL_WARNING_MACHINE,
                              "other programs took the CPU for %.0f %% of the time; "
                              "stop them%s",
                              100 * taken,
                              facts->num_cpus > MODEL_SIDES
                                  ? ", or choose other CPUs (--cpus)"
                              : analysis_sides_compute(facts)
                                  ? ", or compare CPU time (--schedule timeslice)"
                                  : "");
    } else if (isnan(taken) && fitness_is_busy(&facts->before, facts->num_cpus)) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the machine was busy before the measurement (load %.1f on %d CPUs); "
            "how much CPU time the two programs lost is unknown; stop other programs",
            facts->before.load_avg[0], facts->num_cpus);
    }
}

static void warn_host(const struct analysis_facts *facts,
                      struct model_comparison *comparison)
{
    const struct model_host_load *before = &facts->before;
    const struct model_host_load *after = &facts->after;
    double stolen = model_host_stolen(before, after);
    if (after->steal_ticks - before->steal_ticks >= least_stolen_s &&
        fitness_steal_matters(stolen)) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the hypervisor took %.1f %% of the CPU time for others (steal); "
            "expect wider intervals, or measure at another time",
            100 * stolen);
    }
    if (after->throttled_count > before->throttled_count) {
        uint64_t times = after->throttled_count - before->throttled_count;
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the cgroup's CPU quota throttled the measurement %" PRIu64 " time%s; %s",
            times, times == 1 ? "" : "s",
            comparison->schedule == MODEL_SCHEDULE_TIMESLICE
                ? "raise the quota (cpu.max) to finish sooner; the CPU time compared here "
                  "does not include waiting"
                : "raise the quota (cpu.max) or use --schedule timeslice");
    }
}

/* Sides that need different resources do not suffer alike (Bulej 2020 s.4.5). */
static void warn_resources(const struct analysis_facts *facts,
                           struct model_comparison *comparison)
{
    double busy_old = busy_of(&facts->sides[MODEL_OLD]);
    double busy_new = busy_of(&facts->sides[MODEL_NEW]);
    if (model_schedule_is_paired(comparison->schedule) &&
        fabs(busy_old - busy_new) > 0.25) {
        model_comparison_warn(
            comparison, MODEL_WARNING_WORKLOAD,
            "the sides use different resources (old computes for %.0f %% of its "
            "time, new for %.0f %%); interference hits them differently, so pairing "
            "helps less; measure longer if the verdict is unsure",
            100 * busy_old, 100 * busy_new);
    }
}

static void warn_crowded(const struct analysis_facts *facts,
                         struct model_comparison *comparison)
{
    bool old_crowded = facts->sides[MODEL_OLD].crowded;
    bool new_crowded = facts->sides[MODEL_NEW].crowded;
    if (old_crowded || new_crowded) {
        model_comparison_warn(
            comparison, MODEL_WARNING_WORKLOAD,
            "%s several threads or processes on one CPU: they run one after the other here; "
            "--cpus-per-side N gives each side more CPUs",
            !new_crowded   ? "old uses"
            : !old_crowded ? "new uses"
                           : "both sides use");
    }
}

/* A program that chooses its CPUs itself may meet the other side on one. */
static void warn_strayed(const struct analysis_facts *facts,
                         struct model_comparison *comparison)
{
    uint64_t iterations = 0;
    uint64_t strayed = 0;
    for (int side = 0; side < MODEL_SIDES; side++) {
        iterations += facts->sides[side].iterations;
        strayed += facts->sides[side].strayed;
    }
    if (strayed > 0) {
        model_comparison_warn(
            comparison, MODEL_WARNING_WORKLOAD,
            "%" PRIu64 " of %" PRIu64 " iterations were not on the CPUs that duet "
            "chose, so the sides may have shared one: the program chooses its CPUs "
            "itself (taskset, numactl, a library); remove that, and use --cpus",
            strayed, iterations);
    }
}

void analysis_warnings_add(const struct analysis_facts *facts,
                           struct model_comparison *comparison)
{
    double wall_s = wall_of(facts) / 1e9;
    uint64_t switches = facts->sides[MODEL_OLD].involuntary_switches +
                        facts->sides[MODEL_NEW].involuntary_switches;
    comparison->conditions.involuntary_per_s =
        wall_s > 0 ? (double)switches / wall_s : (double)NAN;
    comparison->conditions.taken_ratio = taken_ratio(facts);
    warn_taken(facts, comparison);
    warn_host(facts, comparison);
    warn_resources(facts, comparison);
    warn_crowded(facts, comparison);
    warn_strayed(facts, comparison);
}
