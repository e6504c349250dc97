#include "workloads/workload.h"

#include "workloads/workload_clock.h"

enum {
    /* Short beside a scheduler's slice, so that some trials fall between all
     * interruptions even when others want the CPU; long beside reading the clock. */
    TRIAL_US = 1000,
    TRIALS = 100,
    SEARCH_TRIALS = 3, /* at each length, on the way to TRIAL_US */
    SEED = 1,          /* any: data differ with it, their cost does not */
};

#define TRIAL_NS ((uint64_t)TRIAL_US * 1000)
#define FIRST_OPERATIONS UINT64_C(1024)

static uint64_t fastest_ns(struct workload *workload, uint64_t operations, int trials)
{
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < trials; i++) {
        uint64_t start_ns = workload_mono_ns();
        (void)workload_execute(workload, operations);
        uint64_t elapsed_ns = workload_mono_ns() - start_ns;
        if (elapsed_ns < best_ns) {
            best_ns = elapsed_ns;
        }
    }
    return best_ns > 0 ? best_ns : 1;
}

/* Operations that take TRIAL_NS to twice that. The growing executions also warm the
 * caches and bring the CPU to its speed. */
static uint64_t trial_operations(struct workload *workload)
{
    uint64_t operations = FIRST_OPERATIONS;
    while (fastest_ns(workload, operations, SEARCH_TRIALS) < TRIAL_NS) {
        operations *= 2;
    }
    return operations;
}

enum duet_code workload_rate_measure(const struct workload_kind *kind, void *context,
                                     uint64_t *ret_rate_operations_per_s,
                                     struct duet_error *reterr)
{
    (void)context;
    struct workload *workload = NULL;
    enum duet_code code = workload_new(kind, SEED, &workload, reterr);
    if (code != DUET_OK) {
        return code;
    }
    uint64_t operations = trial_operations(workload);
    uint64_t best_ns = fastest_ns(workload, operations, TRIALS);
    workload_free(workload);
    double rate = (double)operations * (double)WORKLOAD_NS_PER_S / (double)best_ns;
    *ret_rate_operations_per_s = rate < 1.0 ? 1 : (uint64_t)rate;
    return DUET_OK;
}
