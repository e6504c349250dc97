#include "session/examination.h"

#include "analysis/remarks/fitness.h"
#include "machine/counters.h"
#include "measure/probe.h"
#include "session/cpu_choice.h"
#include "store/store.h"

#include <stdlib.h>

static enum duet_code probe(const struct machine *machine, uint64_t duration_ns,
                            struct examination *examination, struct duet_error *reterr)
{
    struct model_probe probe = {0};
    enum duet_code code =
        probe_cpus(examination->positions, duration_ns, &probe, reterr);
    machine_read_load(machine, &examination->after);
    if (code == DUET_OK) {
        code = fitness_of(&probe, &examination->fitness, reterr);
        model_probe_release(&probe);
    }
    examination->fitness.steal_ratio =
        model_host_stolen(&examination->before, &examination->after);
    examination->measured = code == DUET_OK;
    return code;
}

/* refusal: why there are no two CPUs; NULL: there are. */
static void judge(const struct machine *machine, const char *refusal,
                  struct examination *examination)
{
    const struct model_cpu_set *positions = examination->positions;
    const struct counters_target this_thread = {.pid = 0};
    struct counters counters = {0};
    struct duet_error error;
    bool counted = counters_open(NULL, &this_thread, &counters, &error) == DUET_OK;
    char *store = store_default_path(".");
    enum machine_relation relation =
        refusal == NULL
            ? machine_relate(machine, positions[0].cpus[0], positions[1].cpus[0])
            : MACHINE_UNKNOWN;
    const struct fitness_circumstances around = {
        .host = &examination->host,
        .load = &examination->before,
        .positions = positions,
        .relation = machine_relation_name(relation),
        .shares_core = relation == MACHINE_SMT_SIBLINGS,
        .clock_is_fast = machine_clock_is_fast(&examination->host),
        .refusal = refusal,
        .no_counters = !counted                     ? error.message
                       : counters.reason[0] != '\0' ? counters.reason
                                                    : NULL,
        .no_store = store == NULL || store_may_write(store) ? NULL : store,
    };
    examination->findings =
        fitness_judge(&around, examination->measured ? &examination->fitness : NULL);
    free(store);
    counters_release(&counters);
}

enum duet_code examination_make(const struct machine *machine, const char *cpus,
                                uint64_t duration_ns, const struct listener *listener,
                                struct examination *ret_examination,
                                struct duet_error *reterr)
{
    const struct cpu_choice wish = {.cpus = cpus, .per_position = 1};
    struct examination examination = {.measured = false};
    struct duet_error refusal = {0};
    enum duet_code code =
        cpu_choice_find(machine, &wish, examination.positions, &refusal);
    bool has_cpus = code == DUET_OK;
    if (!has_cpus && code != DUET_E_UNSUITABLE) {
        return error_set(reterr, code, "%s", refusal.message);
    }
    machine_describe(machine, has_cpus ? examination.positions : NULL,
                     &examination.host);
    machine_read_load(machine, &examination.before);
    examination.after = examination.before;
    code = DUET_OK;
    if (has_cpus) {
        listener_tell(listener, "executing on CPUs %u and %u for %.3g s",
                      examination.positions[0].cpus[0],
                      examination.positions[1].cpus[0], (double)duration_ns / 1e9);
        code = probe(machine, duration_ns, &examination, reterr);
    }
    if (code == DUET_OK) {
        judge(machine, has_cpus ? NULL : refusal.message, &examination);
        *ret_examination = examination;
    }
    return code;
}
