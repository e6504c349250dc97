#include "analysis/warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* How often other tasks took the CPU. */
static void add_switches(const struct analysis_facts *facts,
                         struct model_comparison *comparison)
{
    const double often = 20.0;
    const struct analysis_side_usage *sides = facts->sides;
    double wall_s = (sides[MODEL_OLD].wall_ns + sides[MODEL_NEW].wall_ns) / 1e9;
    uint64_t switches =
        sides[MODEL_OLD].involuntary_switches + sides[MODEL_NEW].involuntary_switches;
    double per_s = wall_s > 0 ? (double)switches / wall_s : (double)NAN;
    comparison->conditions.involuntary_per_s = per_s;
    if (per_s > often && comparison->schedule != MODEL_SCHEDULE_TIMESLICE) {
        model_comparison_warn(comparison, MODEL_WARNING_MACHINE,
                              "other tasks took the CPU %.0f times a second of "
                              "execution; stop what else runs, or choose other CPUs "
                              "(--cpus)",
                              per_s);
    }
}

/* Sides that need different resources do not suffer alike (Bulej 2020 s.4.5). */
static void warn_resources(const struct analysis_facts *facts,
                           struct model_comparison *comparison)
{
    const struct analysis_side_usage *sides = facts->sides;
    bool paired = model_schedule_is_paired(comparison->schedule);
    if (!paired || sides[MODEL_OLD].wall_ns <= 0 || sides[MODEL_NEW].wall_ns <= 0) {
        return;
    }
    double busy_old = sides[MODEL_OLD].cpu_ns / sides[MODEL_OLD].wall_ns;
    double busy_new = sides[MODEL_NEW].cpu_ns / sides[MODEL_NEW].wall_ns;
    if (fabs(busy_old - busy_new) > 0.25) {
        model_comparison_warn(comparison, MODEL_WARNING_WORKLOAD,
                              "the sides use different resources (old is on the CPU "
                              "for %.0f %% of its time, "
                              "new for %.0f %%); disturbances do not hit them alike, "
                              "so pairing helps less",
                              100 * busy_old, 100 * busy_new);
    }
}

/* Where two CPUs differ by more than the programs do, one may tell. */
static void advise_timeslice(const struct analysis_facts *facts,
                             struct model_comparison *comparison)
{
    const double most_of_it = 0.6; /* the rest may be what others took */
    const double small = 0.01;
    bool on_cpu = true;
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct analysis_side_usage *of = &facts->sides[side];
        on_cpu = on_cpu && of->cpu_ns > most_of_it * of->wall_ns;
    }
    if (comparison->schedule == MODEL_SCHEDULE_DUET && on_cpu &&
        comparison->verdict == MODEL_VERDICT_UNSURE &&
        comparison->could_have_seen > small) {
        model_comparison_warn(comparison, MODEL_WARNING_MACHINE,
                              "the sides compute and hardly wait: --schedule timeslice "
                              "compares their CPU time, both on one CPU, and may tell "
                              "where two CPUs are not equally fast");
    }
}

static void warn_machine(const struct analysis_facts *facts,
                         struct model_comparison *comparison)
{
    const struct model_host_load *before = &facts->before;
    const struct model_host_load *after = &facts->after;
    double total = after->total_ticks - before->total_ticks;
    double steal = after->steal_ticks - before->steal_ticks;
    if (total > 0 && steal / total > 0.02) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the hypervisor took %.1f %% of the CPU time for others "
            "(steal); expect wider intervals, or measure at another time",
            100 * steal / total);
    }
    if (after->throttled_count > before->throttled_count) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the cgroup's CPU quota throttled the measurement %" PRIu64
            " times; raise the quota or use --schedule timeslice",
            after->throttled_count - before->throttled_count);
    }
    double load = before->load_avg[0];
    if (facts->num_cpus > 0 && load > 0.7 * facts->num_cpus) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE,
            "the machine was busy before the measurement (load %.1f on "
            "%d CPUs); stop what else runs for narrower intervals",
            load, facts->num_cpus);
    }
}

void analysis_warnings_add(const struct analysis_facts *facts,
                           struct model_comparison *comparison)
{
    add_switches(facts, comparison);
    warn_resources(facts, comparison);
    warn_machine(facts, comparison);
    advise_timeslice(facts, comparison);
}
