/* The competing load's plan: names, checks, the wave. */
#include "workloads/stress_plan.h"

#include "workloads/workload_clock.h"

#include <math.h>
#include <string.h>

#define NS_PER_MS UINT64_C(1000000)
#define PERIOD_DEFAULT_NS (UINT64_C(150) * 60 * WORKLOAD_NS_PER_S)

static const char *const load_names[] = {
    [STRESS_LOAD_CPU] = "cpu",
    [STRESS_LOAD_CACHE] = "cache",
    [STRESS_LOAD_MEMORY] = "memory",
    [STRESS_LOAD_MIX] = "mix",
};

static const char *const wave_names[] = {
    [STRESS_WAVE_TRIANGLE] = "triangle",
    [STRESS_WAVE_SINE] = "sine",
    [STRESS_WAVE_CONSTANT] = "constant",
};

enum {
    LOAD_COUNT = sizeof load_names / sizeof load_names[0],
    WAVE_COUNT = sizeof wave_names / sizeof wave_names[0],
};

struct stress_plan stress_plan_default(void)
{
    return (struct stress_plan){
        .load = STRESS_LOAD_MIX,
        .wave = STRESS_WAVE_TRIANGLE,
        .peak_ratio = 1.0,
        .period_ns = PERIOD_DEFAULT_NS,
        .slice_ns = 10 * NS_PER_MS,
    };
}

enum duet_code stress_load_parse(const char *text, enum stress_load *ret_load,
                                 struct duet_error *reterr)
{
    for (unsigned i = 0; i < LOAD_COUNT; i++) {
        if (strcmp(text, load_names[i]) == 0) {
            *ret_load = (enum stress_load)i;
            return DUET_OK;
        }
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "no competing load is called \"%s\"; there are: cpu, cache, memory, mix", text);
}

enum duet_code stress_wave_parse(const char *text, enum stress_wave *ret_wave,
                                 struct duet_error *reterr)
{
    for (unsigned i = 0; i < WAVE_COUNT; i++) {
        if (strcmp(text, wave_names[i]) == 0) {
            *ret_wave = (enum stress_wave)i;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "no wave is called \"%s\"; there are: triangle, sine, constant",
                     text);
}

static double periods_after(const struct stress_plan *plan, uint64_t elapsed_ns)
{
    return (double)elapsed_ns / (double)plan->period_ns;
}

double stress_level_ratio(const struct stress_plan *plan, uint64_t elapsed_ns)
{
    double phase = 0.0;
    switch (plan->wave) {
    case STRESS_WAVE_TRIANGLE:
        phase = periods_after(plan, elapsed_ns % plan->period_ns);
        return plan->peak_ratio * (1.0 - fabs(2.0 * phase - 1.0));
    case STRESS_WAVE_SINE:
        phase = periods_after(plan, elapsed_ns % plan->period_ns);
        return plan->peak_ratio * (0.5 - 0.5 * cos(2.0 * M_PI * phase));
    case STRESS_WAVE_CONSTANT:
        break;
    }
    return plan->peak_ratio;
}

/* Integral of the wave with peak 1 over one period's part [0, phase], in periods. */
static double wave_integral(enum stress_wave wave, double phase)
{
    switch (wave) {
    case STRESS_WAVE_TRIANGLE:
        return phase < 0.5 ? phase * phase : 0.5 - (1.0 - phase) * (1.0 - phase);
    case STRESS_WAVE_SINE:
        return 0.5 * phase - sin(2.0 * M_PI * phase) / (4.0 * M_PI);
    case STRESS_WAVE_CONSTANT:
        break;
    }
    return phase;
}

double stress_asked_ratio(const struct stress_plan *plan, uint64_t elapsed_ns)
{
    if (elapsed_ns == 0 || plan->wave == STRESS_WAVE_CONSTANT) {
        return stress_level_ratio(plan, elapsed_ns);
    }
    uint64_t whole_periods = elapsed_ns / plan->period_ns;
    double whole = (double)whole_periods;
    double phase = periods_after(plan, elapsed_ns % plan->period_ns);
    double integral =
        whole * wave_integral(plan->wave, 1.0) + wave_integral(plan->wave, phase);
    return plan->peak_ratio * integral / (whole + phase);
}

enum duet_code stress_plan_check(const struct stress_plan *plan,
                                 struct duet_error *reterr)
{
    if (!(plan->peak_ratio >= 0.0 && plan->peak_ratio <= 1.0)) { /* NaN too */
        return error_set(reterr, DUET_E_USAGE,
                         "the peak of the load must be from 0 to 100%%, not %g%%",
                         100.0 * plan->peak_ratio);
    }
    if (plan->wave != STRESS_WAVE_CONSTANT && plan->period_ns < WORKLOAD_NS_PER_S) {
        return error_set(reterr, DUET_E_USAGE,
                         "the period of the load must be at least 1s, not %gs",
                         (double)plan->period_ns * 1e-9);
    }
    if (plan->slice_ns < NS_PER_MS || plan->slice_ns > WORKLOAD_NS_PER_S) {
        return error_set(reterr, DUET_E_USAGE,
                         "a slice of the load must be from 1ms to 1s, not %gms",
                         (double)plan->slice_ns * 1e-6);
    }
    return DUET_OK;
}
