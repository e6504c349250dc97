#include "study/lab/study_lab.h"

#include "analysis/remarks/fitness.h"
#include "base/alloc.h"
#include "base/text.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/comparison/recorded.h"
#include "session/self.h"
#include "session/storage.h"
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Workloads ---- */

static enum duet_code add_workload(struct study_lab *lab, bool artificial,
                                   char *take_name, char *take_command,
                                   struct duet_error *reterr)
{
    struct study_workload *grown =
        alloc_resize(lab->workloads, lab->workload_count + 1, sizeof *grown);
    if (grown != NULL) {
        lab->workloads = grown;
    }
    if (grown == NULL || take_name == NULL || take_command == NULL) {
        free(take_name);
        free(take_command);
        return error_no_memory(reterr);
    }
    lab->workloads[lab->workload_count++] = (struct study_workload){
        .name = take_name, .command = take_command, .artificial = artificial};
    return DUET_OK;
}

static enum duet_code add_artificial(struct study_lab *lab, const char *name,
                                     struct duet_error *reterr)
{
    const struct workload_kind *kind = NULL;
    enum duet_code code = workload_kind_find(name, &kind, reterr);
    if (code != DUET_OK) {
        return code;
    }
    char *path = self_path();
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    struct text command = {0};
    text_append_quoted(&command, path);
    text_append_format(&command, " workload %s --duration %" PRIu64 "ns", kind->name,
                       lab->options->duration_ns);
    free(path);
    return add_workload(lab, true, alloc_string(kind->name), text_take(&command),
                        reterr);
}

static enum duet_code add_set(struct study_lab *lab, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (strcmp(lab->options->set, "all") == 0) {
        for (size_t i = 0; workload_kind_at(i) != NULL && code == DUET_OK; i++) {
            code = add_artificial(lab, workload_kind_at(i)->name, reterr);
        }
        return code;
    }
    const char *at = lab->options->set;
    while (code == DUET_OK) {
        size_t length = strcspn(at, ",");
        char *name = alloc_string_n(at, length);
        code =
            name == NULL ? error_no_memory(reterr) : add_artificial(lab, name, reterr);
        free(name);
        if (at[length] == '\0') {
            return code;
        }
        at += length + 1;
    }
    return code;
}

static enum duet_code add_suite(struct study_lab *lab, struct duet_error *reterr)
{
    /* The request borrows the patterns as they are. */
    enum duet_code code = study_suite_open(
        lab->options->suite_file, lab->only, lab->options->only_count,
        lab->options->analysis.seed, lab->session->listener, &lab->suite, reterr);
    for (size_t i = 0; code == DUET_OK && i < study_suite_count(lab->suite); i++) {
        code = add_workload(lab, false,
                            alloc_string(study_suite_entry_name(lab->suite, i)),
                            alloc_string(""), reterr);
        if (code == DUET_OK) {
            struct study_workload *workload = &lab->workloads[lab->workload_count - 1];
            workload->of_suite = true;
            workload->entry = i;
            workload->cleaning = *study_suite_cleaning(lab->suite, i);
        }
    }
    return code;
}

static const char *name_of_suite(const struct study_lab *lab)
{
    const struct study_lab_options *options = lab->options;
    if (options->suite_name != NULL) {
        return options->suite_name;
    }
    if (lab->suite != NULL) {
        return study_suite_name(lab->suite);
    }
    return options->set != NULL && options->command_count == 0 ? "artificial"
                                                               : "commands";
}

const struct model_cleaning *study_lab_cleaning(const struct study_lab *lab,
                                                const struct study_workload *workload)
{
    const struct model_cleaning *asked = &lab->options->analysis.cleaning;
    return asked->warmup_asked ? asked : &workload->cleaning;
}

static void name_platform(struct study_lab *lab)
{
    struct model_host host = {0};
    if (lab->options->platform == NULL) {
        machine_describe(lab->machine, NULL, &host);
    }
    const char *name =
        lab->options->platform != NULL ? lab->options->platform : host.host_name;
    (void)snprintf(lab->platform, sizeof lab->platform, "%.*s",
                   (int)sizeof lab->platform - 1,
                   *name != '\0' ? name : "this machine");
}

static void note_load(struct study_lab *lab)
{
    struct model_host host;
    struct model_host_load load;
    machine_describe(lab->machine, NULL, &host);
    machine_read_load(lab->machine, &load);
    lab->num_cpus = host.num_cpus;
    bool measures = lab->workload_count > 0;
    lab->busy_load =
        measures && fitness_is_busy(&load, host.num_cpus) ? load.load_avg[0] : 0.0;
}

/* `quiet` is what a study calls its measurements without a load of its own. */
static void tell_load(const struct study_lab *lab)
{
    if (lab->busy_load > 0.0) {
        text_append_format(
            &lab->session->table,
            "\n"
            "This machine was busy when the study began (load %.1f on %d CPUs): \"quiet\" means\n"
            "without a load of the study's own. Repeat it when nothing else runs.\n",
            lab->busy_load, lab->num_cpus);
    }
}

void study_lab_release(struct study_lab *lab)
{
    tell_load(lab);
    for (size_t i = 0; i < lab->workload_count; i++) {
        free(lab->workloads[i].name);
        free(lab->workloads[i].command);
    }
    free(lab->workloads);
    study_suite_free(lab->suite);
    store_close(lab->store);
    machine_free(lab->machine);
    text_release(&lab->failures);
    *lab = (struct study_lab){0};
}

/* ---- Measuring ---- */

/* A command, as `duet run` would measure it when all of this was asked for. */
static enum duet_code ask(const struct study_lab *lab,
                          const struct study_measurement *measurement, uint64_t runs,
                          uint64_t iterations, struct run_request *ret_request,
                          struct duet_error *reterr)
{
    const struct study_workload *workload = measurement->workload;
    struct run_request *request = ret_request;
    struct model_plan *plan = &request->plan;
    run_request_init(request);
    plan->choose_schedule = false;
    plan->schedule = measurement->schedule;
    plan->runs = runs;
    plan->iterations = iterations;
    plan->seed = lab->seed;
    if (measurement->fill_given) {
        plan->fill[0] = plan->fill[1] = measurement->fill;
    }
    request->cpus = lab->options->cpus;
    request->commands[MODEL_OLD] = request->commands[MODEL_NEW] = workload->command;
    if (measurement->new_command != NULL) {
        request->commands[MODEL_NEW] = measurement->new_command;
    }
    return run_request_settle(request, reterr);
}

/* A benchmark of the suite, measured as the study wants it. */
static void adapt(const struct study_lab *lab,
                  const struct study_measurement *measurement, uint64_t runs,
                  uint64_t iterations, struct benchmark *benchmark,
                  struct run_request *request)
{
    struct model_plan *plan = &benchmark->plan;
    plan->schedule = measurement->schedule;
    plan->runs = runs;
    plan->iterations = iterations;
    plan->seed = lab->seed;
    request->cpus = lab->options->cpus != NULL ? lab->options->cpus : request->cpus;
}

/* The request of a suite's benchmark stays the suite's. */
static enum duet_code
prepare(struct study_lab *lab, bool stored, const struct study_measurement *measurement,
        uint64_t runs, uint64_t iterations, struct run_request *ret_request,
        struct benchmark *ret_benchmark, struct duet_error *reterr)
{
    const struct study_workload *workload = measurement->workload;
    char *name = alloc_format("%s%s", workload->name, measurement->condition);
    enum duet_code code = name == NULL ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK && workload->of_suite) {
        code = study_suite_make(lab->suite, workload->entry, stored, ret_benchmark,
                                ret_request, reterr);
    } else if (code == DUET_OK) {
        code = ask(lab, measurement, runs, iterations, ret_request, reterr);
        if (code == DUET_OK) {
            code = benchmark_make(ret_request, 0, ret_benchmark, reterr);
        }
    }
    if (code != DUET_OK) {
        free(name);
        return code;
    }
    if (workload->of_suite) {
        adapt(lab, measurement, runs, iterations, ret_benchmark, ret_request);
    }
    free(ret_benchmark->name);
    ret_benchmark->name = name;
    ret_benchmark->plan.name = name;
    return DUET_OK;
}

/* Finds what keeps a command from being measured at all, before there is a store. */
static enum duet_code check_commands(struct study_lab *lab, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < lab->workload_count && code == DUET_OK; i++) {
        const struct study_measurement measurement = {.workload = &lab->workloads[i],
                                                      .schedule = MODEL_SCHEDULE_DUET,
                                                      .condition = ""};
        struct run_request request;
        struct benchmark benchmark = {.name = NULL};
        if (lab->workloads[i].of_suite) {
            continue;
        }
        code = prepare(lab, false, &measurement, 1, 1, &request, &benchmark, reterr);
        if (code == DUET_OK) {
            code = benchmark_pick_cpus(&request, lab->machine, &benchmark.plan, reterr);
        }
        if (code == DUET_OK) {
            code = measure_check(&benchmark.plan, reterr);
        }
        benchmark_release(&benchmark);
    }
    return code;
}

enum duet_code study_lab_open(const struct study_lab_options *options,
                              struct study_session *session, struct study_lab *ret_lab,
                              struct duet_error *reterr)
{
    struct study_lab *lab = ret_lab;
    *lab = (struct study_lab){
        .options = options, .session = session, .seed = options->analysis.seed};
    memcpy(lab->only, options->only, sizeof lab->only);
    enum duet_code code = options->set != NULL ? add_set(lab, reterr) : DUET_OK;
    if (code == DUET_OK && options->suite_file != NULL) {
        code = add_suite(lab, reterr);
    }
    for (size_t i = 0; i < options->command_count && code == DUET_OK; i++) {
        code = add_workload(lab, false, alloc_string(options->commands[i]),
                            alloc_string(options->commands[i]), reterr);
    }
    study_session_tell_begun(session);
    if (code == DUET_OK) {
        code = machine_open(NULL, &lab->machine, reterr);
    }
    if (code == DUET_OK) {
        name_platform(lab);
        note_load(lab);
        lab->suite_name = name_of_suite(lab);
        code = check_commands(lab, reterr);
    }
    if (code == DUET_OK) {
        code =
            storage_open(options->store, lab->workload_count > 0, &lab->store, reterr);
    }
    if (code == DUET_OK && lab->suite != NULL) {
        code = study_suite_begin(lab->suite, lab->store, session->cancel_fd, reterr);
    }
    return code;
}

/* Once, as most experiments of such a workload have some. */
static void warn_of_leftovers(struct study_lab *lab, const char *name,
                              const struct measure_result *result)
{
    if (!lab->leaves) {
        leftovers_warn(lab->session->listener, name, result);
        lab->leaves = result->leftovers > 0 || result->spared > 0 || result->stuck > 0;
    }
}

enum duet_code study_lab_try(struct study_lab *lab, struct store *store,
                             const struct study_measurement *measurement, uint64_t runs,
                             uint64_t iterations, int64_t *ret_experiment,
                             struct duet_error *reterr)
{
    struct run_request request;
    struct benchmark benchmark = {.name = NULL};
    struct experiments made = {0};
    const struct session session = {.machine = lab->machine,
                                    .store = store,
                                    .cancel_fd = lab->session->cancel_fd,
                                    .listener = lab->session->listener};
    enum duet_code code = prepare(lab, store == lab->store, measurement, runs,
                                  iterations, &request, &benchmark, reterr);
    if (code == DUET_OK) {
        benchmark.analysis.cleaning =
            store == lab->store ? *study_lab_cleaning(lab, measurement->workload)
                                : (struct model_cleaning){.warmup = MODEL_WARMUP_NONE};
        benchmark.analysis.family = 0;
        code = benchmark_pick_cpus(&request, lab->machine, &benchmark.plan, reterr);
    }
    if (code == DUET_OK) {
        code = controlled_carry_out(&benchmark, &session, false, &made, reterr);
        *ret_experiment = made.experiment;
        warn_of_leftovers(lab, benchmark.name, &made.result);
    }
    benchmark_release(&benchmark);
    lab->seed++;
    return code;
}

enum duet_code study_lab_forgive(struct study_lab *lab, const char *name,
                                 enum duet_code code, const struct duet_error *error,
                                 struct duet_error *reterr)
{
    switch (code) {
    case DUET_E_WORKLOAD:
    case DUET_E_TIMEOUT:
    case DUET_E_PEER:
    case DUET_E_PROTOCOL:
    case DUET_E_TOO_FEW:
    case DUET_E_DOMAIN:
        text_append_format(&lab->failures, "%s: %s\n", name, error->message);
        return DUET_OK;
    case DUET_OK:
        return DUET_OK;
    case DUET_E_USAGE:
    case DUET_E_NOMEM:
    case DUET_E_IO:
    case DUET_E_FORMAT:
    case DUET_E_VERSION:
    case DUET_E_NOT_FOUND:
    case DUET_E_UNSUITABLE:
    case DUET_E_SYSTEM:
    case DUET_E_INTERRUPTED:
    case DUET_E_INTERNAL:
        break;
    }
    return error_set(reterr, code, "%s", error->message);
}

enum duet_code study_lab_measure(struct study_lab *lab,
                                 const struct study_measurement *measurement,
                                 int64_t *ret_experiment, struct duet_error *reterr)
{
    struct duet_error error = {0};
    int64_t experiment = 0;
    *ret_experiment = 0;
    if (!study_session_go_on(lab->session, lab->done, lab->planned)) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    lab->done++;
    if (measurement->workload->iterations == 0) {
        return DUET_OK; /* it has failed before */
    }
    enum duet_code code =
        study_lab_try(lab, lab->store, measurement, lab->options->runs,
                      measurement->workload->iterations, &experiment, &error);
    if (code == DUET_OK) {
        *ret_experiment = experiment;
        return DUET_OK;
    }
    /* Once is enough: it is not tried again in other ways. */
    lab->workloads[measurement->workload - lab->workloads].iterations = 0;
    return study_lab_forgive(lab, measurement->workload->name, code, &error, reterr);
}

static void take_date(struct study_lab *lab, int64_t started_utc_ms)
{
    if (lab->first_utc_ms == 0 || started_utc_ms < lab->first_utc_ms) {
        lab->first_utc_ms = started_utc_ms;
    }
    if (started_utc_ms > lab->last_utc_ms) {
        lab->last_utc_ms = started_utc_ms;
    }
}

enum duet_code study_lab_values(struct study_lab *lab, int64_t experiment,
                                struct model_values *ret_values,
                                struct study_accuracy_plan *ret_plan,
                                struct duet_error *reterr)
{
    char id[32];
    char *which = id;
    struct recorded stored = {0};
    (void)snprintf(id, sizeof id, "%" PRId64, experiment);
    enum duet_code code =
        recorded_from_store(lab->store, &which, 1, MODEL_OLD, &stored, reterr);
    if (code == DUET_OK) {
        *ret_values = stored.values;
        *ret_plan = lab->options->analysis;
        if (!ret_plan->cleaning.warmup_asked) {
            ret_plan->cleaning = stored.cleaning;
        }
        stored.values = (struct model_values){0};
        take_date(lab, stored.origins[MODEL_OLD].started_utc_ms);
        recorded_release(&stored);
    }
    return code;
}

enum duet_code study_lab_conclude(struct study_lab *lab, struct duet_error *reterr)
{
    struct text *table = &lab->session->table;
    if (lab->failures.length == 0) {
        return DUET_OK;
    }
    text_append_format(table, "\nFailed:\n%s", text_string(&lab->failures));
    return error_set(reterr, DUET_E_WORKLOAD, "not all workloads could be measured");
}
