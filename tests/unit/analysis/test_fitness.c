/* From what two CPUs did to what it means. */
#include "analysis/remarks/fitness.h"

#include "base/random.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 4000, MEETINGS = 1000 };

struct probed {
    struct model_probe probe;
    double skew_ns[MEETINGS];
    double times_ns[2][ROUNDS];
};

/* Uniform, of standard deviation 1. */
static double unit_noise(struct random_stream *random)
{
    return (random_uniform(random) - 0.5) * sqrt(12.0);
}

/* Times of 1 ms: `common` disturbs both CPUs alike, `own` each by itself (standard
 * deviations of logarithms); the second CPU takes `bias` longer. */
static void probe_make(struct probed *probed, double common, double own, double bias)
{
    struct random_stream random = random_stream_at(7, 1);
    probed->probe = (struct model_probe){
        .clock_read_ns = 20,
        .transfer_ns = 140,
        .meetings = MEETINGS,
        .skew_ns = probed->skew_ns,
        .preempted = MEETINGS / 4,
        .rounds = ROUNDS,
        .times_ns = {probed->times_ns[0], probed->times_ns[1]},
        .involuntary = {30, 10},
        .taken_s = {2, 1},
        .elapsed_s = 4,
    };
    for (size_t i = 0; i < MEETINGS; i++) {
        probed->skew_ns[i] = (double)(i + 1);
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        double shared = common * unit_noise(&random);
        probed->times_ns[0][i] = 1e6 * exp(shared + own * unit_noise(&random));
        probed->times_ns[1][i] =
            1e6 * (1 + bias) * exp(shared + own * unit_noise(&random));
    }
}

static void assert_about(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%g is not within %g of %g", value, tolerance, expected);
    }
}

/* The quartiles' distance of a uniform variable of standard deviation 1, scaled. */
static const double uniform_spread = 1.7320508 / 1.349;

static void numbers_of_a_probe(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0.1, 0.001, 0.03);
    struct model_fitness fitness;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_about(fitness.skew_median_ns, 500.5, 1e-9);
    assert_about(fitness.skew_p99_ns, 990.01, 1e-6);
    assert_about(fitness.preempted_ratio, 0.2, 1e-12);
    assert_about(fitness.spread_ratio[0], 0.1 * uniform_spread, 0.005);
    assert_about(fitness.spread_ratio[1], 0.1 * uniform_spread, 0.005);
    assert_in_range((int)(fitness.unpaired_spread_ratio / fitness.paired_spread_ratio),
                    60, 140);
    assert_about(fitness.bias_ratio, 0.03, 0.01);
    assert_about(fitness.switches_per_s, 10, 1e-12);
    assert_about(fitness.taken_ratio, 3.0 / 8, 1e-12);
    assert_about(fitness.autocorrelation_times, 0, 0.05);
    assert_true(isnan(fitness.steal_ratio));
}

static void independent_noise_gains_nothing(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0, 0.1, 0);
    struct model_fitness fitness;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_about(fitness.unpaired_spread_ratio / fitness.paired_spread_ratio, 1, 0.05);
}

/* Good is what surely gains, at the length of a short program, with outliers in it. */
static void pairing_is_good_where_it_surely_helps(void **state)
{
    struct probed *probed = *state;
    struct model_fitness fitness;
    probe_make(probed, 0.02, 0.005, 0);
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_int_equal(fitness_pairing_helps(&fitness), 1);
    assert_int_equal(fitness.batches, ROUNDS / 20);

    probe_make(probed, 0, 0.02, 0);
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_int_equal(fitness_pairing_helps(&fitness), 0);

    /* Rounds suffer together a little, and long outliers hit one CPU at a time: what a
     * measurement is made of gains nothing. */
    probe_make(probed, 0.004, 0.002, 0);
    for (size_t i = 0; i < ROUNDS; i += 10) {
        probed->times_ns[(i / 20) % 2][i] *= 3.0;
    }
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_true(fitness.unpaired_spread_ratio > 1.5 * fitness.paired_spread_ratio);
    assert_int_equal(fitness_pairing_helps(&fitness), 0);

    /* One CPU's slow stretches are the other one's fast ones. */
    probe_make(probed, 0, 0.001, 0);
    for (size_t i = 0; i < ROUNDS; i++) {
        double wave = 0.1 * sin((double)i / 200);
        probed->times_ns[0][i] *= exp(wave);
        probed->times_ns[1][i] *= exp(-wave);
    }
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_int_equal(fitness_pairing_helps(&fitness), -1);

    /* Too short to say. */
    probed->probe.rounds = 150;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_int_equal(fitness_pairing_helps(&fitness), 0);
}

static void load_means_company(void **state)
{
    (void)state;
    struct model_host_load load = {.load_avg = {3.1, 0, 0}};
    assert_true(fitness_is_busy(&load, 2));
    assert_false(fitness_is_busy(&load, 8));
    assert_false(fitness_is_busy(&load, -1));
    load.load_avg[0] = (double)NAN;
    assert_false(fitness_is_busy(&load, 2));
}

static void drift_is_in_the_times_but_not_in_the_ratios(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0, 0.001, 0);
    for (size_t i = 0; i < ROUNDS; i++) {
        double drift = exp(0.2 * sin((double)i / 300));
        probed->times_ns[0][i] *= drift;
        probed->times_ns[1][i] *= drift;
    }
    struct model_fitness fitness;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    assert_true(fitness.autocorrelation_times > 0.95);
    assert_about(fitness.autocorrelation_ratios, 0, 0.06);
}

static void too_little_and_impossible(void **state)
{
    struct probed *probed = *state;
    struct model_fitness fitness;
    probe_make(probed, 0, 0.1, 0);
    probed->probe.rounds = 7;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_E_TOO_FEW);
    probe_make(probed, 0, 0.1, 0);
    probed->probe.meetings = 0;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_E_TOO_FEW);
    probe_make(probed, 0, 0.1, 0);
    probed->times_ns[1][5] = 0;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_E_DOMAIN);
}

static void memory_may_be_short(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0, 0.1, 0);
    unsigned long failed = 0;
    enum duet_code code = DUET_E_NOMEM;
    while (code == DUET_E_NOMEM) {
        struct model_fitness fitness;
        alloc_fail_at(++failed);
        code = fitness_of(&probed->probe, &fitness, NULL);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    assert_in_range(failed, 5, 20);
}

static const struct model_finding *finding(const struct model_findings *findings,
                                           const char *item)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->list[i].item, item) == 0) {
            return &findings->list[i];
        }
    }
    static const struct model_finding missing = {.item = "missing"};
    fail_msg("nothing about %s", item);
    return &missing;
}

static void a_short_probe_says_nothing_of_pairing(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0, 0.001, 0);
    probed->probe.rounds = 30; /* one batch, which has no spread */
    struct model_fitness fitness;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    struct model_host host = {.num_cpus = 2, .cpu_quota = (double)NAN};
    struct model_host_load load = {.load_avg = {0.1, 0.1, 0.1}};
    static struct model_cpu_set positions[2] = {{{0}, 1}, {{1}, 1}};
    struct fitness_circumstances around = {
        .host = &host, .load = &load, .positions = positions, .relation = "cores"};
    struct model_findings findings = fitness_judge(&around, &fitness);
    const struct model_finding *found = finding(&findings, "pairing");
    assert_int_equal(found->level, MODEL_FINDING_CARE);
    assert_null(strstr(found->text, "nan"));
    assert_non_null(strstr(found->text, "too short"));
    assert_non_null(strstr(found->advice, "--duration"));
}

static void a_quiet_machine_is_good(void **state)
{
    struct probed *probed = *state;
    probe_make(probed, 0.001, 0.0005, 0.001);
    struct model_fitness fitness;
    assert_int_equal(fitness_of(&probed->probe, &fitness, NULL), DUET_OK);
    fitness.steal_ratio = 0;
    fitness.taken_ratio = 0.001;
    static struct model_cpu_set positions[2] = {{{2}, 1}, {{3}, 1}};
    struct model_host host = {.num_cpus = 8,
                              .governor = "performance",
                              .clock_source = "tsc",
                              .turbo = 1,
                              .cpu_quota = (double)NAN};
    struct model_host_load load = {.load_avg = {0.1, 0.1, 0.1}};
    struct fitness_circumstances around = {.host = &host,
                                           .load = &load,
                                           .positions = positions,
                                           .relation = "separate cores",
                                           .clock_is_fast = true};
    struct model_findings findings = fitness_judge(&around, &fitness);
    assert_int_equal(fitness_level(&findings), MODEL_FINDING_GOOD);
    for (size_t i = 0; i < findings.count; i++) {
        assert_string_equal(findings.list[i].advice, "");
    }
    assert_non_null(strstr(finding(&findings, "CPUs")->text, "2 and 3 of 8"));
    assert_non_null(strstr(finding(&findings, "turbo")->text, "on"));
}

static void each_trouble_has_its_advice(void **state)
{
    (void)state;
    struct model_fitness fitness = {.clock_read_ns = 900,
                                    .skew_median_ns = 5000,
                                    .skew_p99_ns = 30000,
                                    .spread_ratio = {0.2, 0.1},
                                    .paired_spread_ratio = 0.2,
                                    .unpaired_spread_ratio = 0.2,
                                    .paired_batch_sd = (double)NAN,
                                    .unpaired_batch_sd = (double)NAN,
                                    .disturbed_ratio = 0.1,
                                    .bias_ratio = -0.1,
                                    .switches_per_s = 100,
                                    .steal_ratio = 0.3};
    static struct model_cpu_set positions[2] = {{{0}, 1}, {{1}, 1}};
    struct model_host host = {.num_cpus = 2,
                              .governor = "powersave",
                              .clock_source = "hpet",
                              .turbo = -1,
                              .cpu_quota = 2};
    struct model_host_load load = {.load_avg = {5, 5, 5}};
    struct fitness_circumstances around = {.host = &host,
                                           .load = &load,
                                           .positions = positions,
                                           .relation = "threads of one core",
                                           .shares_core = true,
                                           .no_counters = "cycles not available: no",
                                           .no_store = "/x/.duet/results.db"};
    struct model_findings findings = fitness_judge(&around, &fitness);
    assert_int_equal(fitness_level(&findings), MODEL_FINDING_CARE);
    static const struct {
        const char *item;
        const char *advice;
    } expected[] = {
        {"CPUs", "--schedule timeslice"},
        {"CPU quota", "cpu.max"},
        {"governor", "cpupower frequency-set -g performance, outside of a container"},
        {"clock", "host's kernel"},
        {"load", "Stop other programs"},
        {"start skew", "longer than a millisecond"},
        {"steal", "another time"},
        {"preemption", "--cpus"},
        {"noise", "enough runs"},
        {"pairing", "--duration 10s"},
        {"CPU bias", "swap CPUs"},
        {"store", "--store none"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct model_finding *found = finding(&findings, expected[i].item);
        assert_int_equal(found->level, MODEL_FINDING_CARE);
        assert_non_null(strstr(found->advice, expected[i].advice));
    }
    const struct model_finding *counters = finding(&findings, "counters");
    assert_int_equal(counters->level, MODEL_FINDING_GOOD);
    assert_string_equal(counters->text,
                        "cycles not available: no; times are compared without them");
    /* Batches in which one CPU's slow stretches are the other one's fast ones. */
    fitness.batches = 100;
    fitness.paired_batch_sd = 0.2;
    fitness.unpaired_batch_sd = 0.1;
    findings = fitness_judge(&around, &fitness);
    assert_non_null(
        strstr(finding(&findings, "pairing")->advice, "--schedule timeslice"));
}

/* Of a machine with two CPUs and nothing else to do. */
static struct model_findings judge_two_cpus(const char *clock_source,
                                            const struct model_fitness *fitness)
{
    struct model_host host = {.num_cpus = 2, .cpu_quota = (double)NAN};
    struct model_host_load load = {.load_avg = {0.1, 0.1, 0.1}};
    static struct model_cpu_set positions[2] = {{{0}, 1}, {{1}, 1}};
    struct fitness_circumstances around = {
        .host = &host, .load = &load, .positions = positions, .relation = "cores"};
    (void)snprintf(host.clock_source, sizeof host.clock_source, "%s", clock_source);
    return fitness_judge(&around, fitness);
}

/* Few and long losses are losses, and many short ones are. */
static void what_others_take_is_judged_by_number_and_share(void **state)
{
    (void)state;
    static const struct {
        double switches_per_s;
        double taken_ratio;
        enum model_finding_level level;
        const char *text;
    } cases[] = {{5.3, 0.4, MODEL_FINDING_CARE,
                  "the probe lost a CPU 5.3 times a second, and 40.0 % of its time"},
                 {5.3, 0.01, MODEL_FINDING_GOOD,
                  "the probe lost a CPU 5.3 times a second, and 1.0 % of its time"},
                 {100, 0.01, MODEL_FINDING_CARE,
                  "the probe lost a CPU 100.0 times a second, and 1.0 % of its time"},
                 {5.3, (double)NAN, MODEL_FINDING_GOOD, /* the kernel does not tell */
                  "the probe lost a CPU 5.3 times a second"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_fitness fitness = {.switches_per_s = cases[i].switches_per_s,
                                        .taken_ratio = cases[i].taken_ratio};
        struct model_findings findings = judge_two_cpus("", &fitness);
        const struct model_finding *found = finding(&findings, "preemption");
        assert_int_equal(found->level, cases[i].level);
        assert_string_equal(found->text, cases[i].text);
    }
}

/* As in a container without /sys. */
static void an_unknown_clock_is_judged_by_its_time(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        double read_ns;
        enum model_finding_level level;
    } cases[] = {{"", 23, MODEL_FINDING_GOOD},
                 {"", 230, MODEL_FINDING_CARE},
                 {"hpet", 23, MODEL_FINDING_CARE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_fitness fitness = {.clock_read_ns = cases[i].read_ns};
        struct model_findings findings = judge_two_cpus(cases[i].source, &fitness);
        assert_int_equal(finding(&findings, "clock")->level, cases[i].level);
    }
}

static void one_cpu_is_unfit(void **state)
{
    (void)state;
    struct model_host host = {.num_cpus = 1, .turbo = -1, .cpu_quota = (double)NAN};
    struct model_host_load load = {.load_avg = {(double)NAN}};
    struct fitness_circumstances around = {
        .host = &host, .load = &load, .refusal = "one CPU only"};
    struct model_findings findings = fitness_judge(&around, NULL);
    assert_int_equal(fitness_level(&findings), MODEL_FINDING_UNFIT);
    assert_string_equal(finding(&findings, "CPUs")->text, "one CPU only");
}

static int group_setup(void **state)
{
    *state = calloc(1, sizeof(struct probed));
    return *state == NULL ? -1 : 0;
}

static int group_teardown(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_probe),
        cmocka_unit_test(independent_noise_gains_nothing),
        cmocka_unit_test(pairing_is_good_where_it_surely_helps),
        cmocka_unit_test(a_short_probe_says_nothing_of_pairing),
        cmocka_unit_test(load_means_company),
        cmocka_unit_test(drift_is_in_the_times_but_not_in_the_ratios),
        cmocka_unit_test(too_little_and_impossible),
        cmocka_unit_test(memory_may_be_short),
        cmocka_unit_test(a_quiet_machine_is_good),
        cmocka_unit_test(each_trouble_has_its_advice),
        cmocka_unit_test(what_others_take_is_judged_by_number_and_share),
        cmocka_unit_test(an_unknown_clock_is_judged_by_its_time),
        cmocka_unit_test(one_cpu_is_unfit),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
