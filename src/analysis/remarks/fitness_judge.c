/* What the numbers mean, and what to change. */
#include "analysis/remarks/fitness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void find(struct model_findings *findings, enum model_finding_level level,
                 const char *item, const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* `advice` is left out when all is well. */
static void find(struct model_findings *findings, enum model_finding_level level,
                 const char *item, const char *advice, const char *format, ...)
{
    if (findings->count == MODEL_FINDINGS_MAX) {
        return;
    }
    struct model_finding *finding = &findings->list[findings->count++];
    finding->level = level;
    (void)snprintf(finding->item, sizeof finding->item, "%s", item);
    (void)snprintf(finding->advice, sizeof finding->advice, "%s",
                   level == MODEL_FINDING_GOOD ? "" : advice);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

static enum model_finding_level care_if(bool condition)
{
    return condition ? MODEL_FINDING_CARE : MODEL_FINDING_GOOD;
}

static void judge_cpus(struct model_findings *findings,
                       const struct fitness_circumstances *around)
{
    if (around->refusal != NULL) {
        find(findings, MODEL_FINDING_UNFIT, "CPUs", "", "%s", around->refusal);
        return;
    }
    find(findings, care_if(around->shares_core), "CPUs",
         "The sides slow each other down, which hides differences: "
         "a machine with two cores is better, or --schedule timeslice.",
         "%u and %u of %d: %s", around->positions[0].cpus[0],
         around->positions[1].cpus[0], around->host->num_cpus, around->relation);
    double quota = around->host->cpu_quota;
    if (isfinite(quota)) {
        find(
            findings, care_if(quota < 2.5), "CPU quota",
            "Raise it (cpu.max, docker --cpus): it leaves hardly any time for anything but "
            "the two sides.",
            "the cgroup allows %.2f CPUs", quota);
    }
}

static void judge_frequency(struct model_findings *findings,
                            const struct model_host *host)
{
    const char *governor = host->governor;
    if (governor[0] == '\0') {
        find(findings, MODEL_FINDING_GOOD, "governor", "",
             "not visible here, as in most virtual machines");
    } else {
        find(findings, care_if(strcmp(governor, "performance") != 0), "governor",
             "cpupower frequency-set -g performance, outside of a container, keeps the "
             "frequency up.",
             "%s", governor);
    }
    if (host->turbo >= 0) {
        find(findings, MODEL_FINDING_GOOD, "turbo", "",
             host->turbo == 1
                 ? "on: the speed depends on the load of other cores, for both "
                   "sides alike"
                 : "off");
    }
}

static void judge_clock(struct model_findings *findings,
                        const struct fitness_circumstances *around,
                        const struct model_fitness *fitness)
{
    /* No system call is so short: where /sys does not name the source, as in some
     * containers, the time tells. */
    const double call_ns = 60.0;
    const char *source = around->host->clock_source;
    bool fast = around->clock_is_fast ||
                (source[0] == '\0' && fitness->clock_read_ns < call_ns);
    find(
        findings, care_if(!fast), "clock",
        "Every reading is a system call; the parameter clocksource=tsc of the host's kernel "
        "may help.",
        "%s, read in %.0f ns", source[0] != '\0' ? source : "unknown source",
        fitness->clock_read_ns);
}

/* Counters are a supplement: without them a machine compares as well. */
static void judge_rest(struct model_findings *findings,
                       const struct fitness_circumstances *around)
{
    find(findings, MODEL_FINDING_GOOD, "counters", "",
         around->no_counters == NULL ? "%scycles, instructions, cache and branch misses"
                                     : "%s; times are compared without them",
         around->no_counters == NULL ? "" : around->no_counters);
    find(findings, care_if(around->no_store != NULL), "store",
         "Name another file with --store, or measure with --store none.",
         around->no_store == NULL ? "%sresults can be kept here"
                                  : "'%s' cannot be written",
         around->no_store == NULL ? "" : around->no_store);
}

static void judge_load(struct model_findings *findings,
                       const struct fitness_circumstances *around)
{
    double load = around->load->load_avg[0];
    int cpus = around->host->num_cpus;
    if (!isnan(load) && cpus > 0) {
        find(findings, care_if(fitness_is_busy(around->load, cpus)), "load",
             "Stop other programs, or expect wider intervals.",
             "%.1f on %d CPUs before the probe", load, cpus);
    }
}

static void judge_neighbours(struct model_findings *findings,
                             const struct model_fitness *fitness)
{
    if (!isnan(fitness->steal_ratio)) {
        find(findings, care_if(fitness_steal_matters(fitness->steal_ratio)), "steal",
             "The host is crowded: expect wider intervals, or measure at another time.",
             "the hypervisor gave %.1f %% of the CPU time to others",
             100 * fitness->steal_ratio);
    }
    double taken = fitness->taken_ratio;
    char share[48] = "";
    if (!isnan(taken)) {
        (void)snprintf(share, sizeof share, ", and %.1f %% of its time", 100 * taken);
    }
    find(findings,
         care_if(fitness->switches_per_s > 20 || fitness_is_much_taken(taken)),
         "preemption",
         "Other programs use the same CPUs: stop them, or choose CPUs with --cpus.",
         "the probe lost a CPU %.1f times a second%s", fitness->switches_per_s, share);
}

bool fitness_is_much_taken(double taken_ratio)
{
    return taken_ratio > 0.05;
}

bool fitness_is_busy(const struct model_host_load *load, int num_cpus)
{
    return num_cpus > 0 && load->load_avg[0] > 0.7 * num_cpus;
}

bool fitness_steal_matters(double steal_ratio)
{
    return steal_ratio > 0.02;
}

int fitness_pairing_helps(const struct model_fitness *fitness)
{
    const double quantile = 2.33; /* of the normal distribution, for 99 % */
    const double least = 1.1;
    double rounds = fitness->unpaired_spread_ratio / fitness->paired_spread_ratio;
    double batches = fitness->unpaired_batch_sd / fitness->paired_batch_sd;
    if (fitness->batches < 2 || !isfinite(batches)) {
        return 0;
    }
    double factor = exp(quantile / sqrt((double)(fitness->batches - 1)));
    if (batches > factor && rounds > least) {
        return 1;
    }
    return batches < 1.0 / factor ? -1 : 0;
}

static void judge_pairing(struct model_findings *findings,
                          const struct model_fitness *fitness, bool noisy)
{
    double paired = 100 * fitness->paired_batch_sd;
    double unpaired = 100 * fitness->unpaired_batch_sd;
    int helps = fitness_pairing_helps(fitness);
    if (!isfinite(paired) || !isfinite(unpaired)) {
        find(findings, MODEL_FINDING_CARE, "pairing",
             "Probe for longer: --duration 10s.",
             "the probe was too short to tell whether executing side by side helps");
        return;
    }
    if (helps > 0) {
        find(
            findings, MODEL_FINDING_GOOD, "pairing", "",
            "executing side by side makes the spread %.1f times smaller (%.2f %% instead of %.2f %%, "
            "pieces of 20 ms)",
            unpaired / paired, paired, unpaired);
        return;
    }
    find(
        findings, care_if(helps < 0 || noisy), "pairing",
        "Interference hits the two CPUs independently. With --schedule timeslice "
        "both sides run on one CPU, where it hits both.",
        "executing side by side %s now (spread %.2f %%, apart %.2f %%, pieces of 20 ms)",
        helps < 0 ? "makes the spread larger" : "has no certain gain", paired,
        unpaired);
}

static void judge_noise(struct model_findings *findings,
                        const struct model_fitness *fitness)
{
    double worst = fmax(fitness->spread_ratio[0], fitness->spread_ratio[1]);
    bool noisy = worst > 0.05 || fitness->disturbed_ratio > 0.05;
    find(
        findings, care_if(noisy), "noise",
        "Single times mean little here; compare pairs, with enough runs.",
        "the same millisecond of work varies by %.2f %%; %.1f %% of the pieces took a fifth longer or more",
        100 * worst, 100 * fitness->disturbed_ratio);
    judge_pairing(findings, fitness, noisy);
    find(findings, care_if(fabs(fitness->bias_ratio) > 0.02), "CPU bias",
         "The sides swap CPUs between runs, so comparisons are not biased. For this "
         "reason intervals are computed from blocks.",
         "the second CPU takes %+.2f %% longer", /* no -0.00 */
         fabs(fitness->bias_ratio) < 5e-5 ? 0.0 : 100 * fitness->bias_ratio);
}

static void judge_skew(struct model_findings *findings,
                       const struct model_fitness *fitness)
{
    find(findings,
         care_if(fitness->skew_median_ns > 1000 || fitness->skew_p99_ns > 10000),
         "start skew",
         "The two sides start apart; make iterations longer than a millisecond.",
         "median %.0f ns, 99 %% below %.0f ns (a cache line takes %.0f ns)",
         fitness->skew_median_ns, fitness->skew_p99_ns, fitness->transfer_ns);
}

struct model_findings fitness_judge(const struct fitness_circumstances *circumstances,
                                    const struct model_fitness *fitness)
{
    struct model_findings findings = {.count = 0};
    judge_cpus(&findings, circumstances);
    judge_frequency(&findings, circumstances->host);
    judge_load(&findings, circumstances);
    if (fitness != NULL) {
        judge_clock(&findings, circumstances, fitness);
        judge_skew(&findings, fitness);
        judge_neighbours(&findings, fitness);
        judge_noise(&findings, fitness);
    }
    judge_rest(&findings, circumstances);
    return findings;
}

enum model_finding_level fitness_level(const struct model_findings *findings)
{
    enum model_finding_level worst = MODEL_FINDING_GOOD;
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->list[i].level > worst) {
            worst = findings->list[i].level;
        }
    }
    return worst;
}
