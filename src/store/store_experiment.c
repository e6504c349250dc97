/* The beginning and the end of an experiment. */
#include "store/store_private.h"
#include "store/store_resume.h"

#include "base/text.h"
#include "model/analysis.h"
#include "store/postgresql/remote.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "saving an experiment";
static const char *const state_names[] = {"running", "done", "interrupted", "failed"};

const char *store_state_name(unsigned state)
{
    return state < STORE_STATES ? state_names[state] : "unknown";
}

static enum duet_code insert_experiment(struct store *store,
                                        const struct model_plan *plan,
                                        const char *plan_json, const char *analysis,
                                        const char *version, struct duet_error *reterr)
{
    char uuid[37];
    char seed[32];
    enum duet_code code = store_uuid_make(uuid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)plan->seed);
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO experiment(id, uuid, name, schedule, state, started_utc_ms, seed, warmup, plan, analysis, "
        "duet_version) VALUES(duet_new_id('experiment'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_string(&query, uuid);
    store_bind_string(&query, plan->name);
    store_bind_string(&query, model_schedule_name(plan->schedule));
    store_bind_string(&query, store_state_name(STORE_RUNNING));
    store_bind_int(&query, store_utc_ms());
    store_bind_string(&query, seed);
    store_bind_count(&query, plan->warmup);
    store_bind_string(&query, plan_json);
    store_bind_string(&query, analysis);
    store_bind_known_text(&query, version);
    return store_run_once(&query, reterr);
}

static enum duet_code insert_side(struct store *store, int64_t experiment, int side,
                                  const struct model_workload *workload,
                                  struct duet_error *reterr)
{
    char *argv = NULL;
    enum duet_code code = store_argv_json(store, workload->argv, &argv, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO side(experiment_id, side, name, command, argv, setup, prepare, conclude, "
        "cleanup) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_int(&query, experiment);
    store_bind_int(&query, side);
    store_bind_workload(&query, workload, argv);
    code = store_run_once(&query, reterr);
    free(argv);
    return code;
}

/* The instance's row; machines without a known uuid are all different. */
static enum duet_code find_instance(struct store *store, const struct model_host *host,
                                    int64_t *ret_instance, struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code =
        remote_need_instance(store, host == NULL ? NULL : host->uuid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO instance(id, uuid) VALUES(duet_new_id('instance'), ?) ON CONFLICT(uuid) DO UPDATE SET uuid = excluded.uuid RETURNING "
        "id");
    store_bind_known_text(&query, host == NULL ? NULL : host->uuid);
    return store_fetch_int(&query, &row, ret_instance, reterr);
}

static void bind_host(struct store_query *query, const struct model_host *host)
{
    const char *const texts[] = {host->host_name,    host->os,        host->kernel,
                                 host->arch,         host->cpu_model, host->hypervisor,
                                 host->clock_source, host->governor};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        store_bind_known_text(query, texts[i]);
    }
    store_bind_known(query, host->num_cpus);
    store_bind_known(query, host->num_cores);
    store_bind_known(query, host->smt);
    store_bind_known(query, host->turbo);
    store_bind_real(query, host->cpu_quota);
    store_bind_real(query, host->memory_bytes);
}

static enum duet_code insert_environment(struct store *store, int64_t experiment,
                                         const struct model_host *host,
                                         struct duet_error *reterr)
{
    int64_t instance = 0;
    enum duet_code code = find_instance(store, host, &instance, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO environment(id, experiment_id, instance_id, host_name, os, kernel, arch, cpu_model, "
        "hypervisor, clock_source, governor, num_cpus, num_cores, smt, turbo, cpu_quota, "
        "memory_bytes) VALUES(duet_new_id('environment'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_int(&query, experiment);
    store_bind_int(&query, instance);
    if (host != NULL) {
        bind_host(&query, host); /* what is not bound is NULL */
    }
    return store_run_once(&query, reterr);
}

static enum duet_code save_load(struct store *store, int64_t experiment,
                                const char *moment, const struct model_host_load *load,
                                struct duet_error *reterr)
{
    if (load == NULL) {
        return DUET_OK;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT OR REPLACE INTO environment_load(environment_id, moment, load_avg_1, load_avg_5, "
        "load_avg_15, steal_s, total_s, throttled_s, throttled_count) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
        "?9 FROM environment WHERE experiment_id = ?1 ORDER BY id DESC LIMIT 1");
    store_bind_int(&query, experiment);
    store_bind_string(&query, moment);
    for (int i = 0; i < 3; i++) {
        store_bind_real(&query, load->load_avg[i]);
    }
    store_bind_real(&query, load->steal_ticks);
    store_bind_real(&query, load->total_ticks);
    store_bind_real(&query, load->throttled_s);
    store_bind_count(&query, load->throttled_count);
    return store_run_once(&query, reterr);
}

enum duet_code store_experiment_begin(struct store *store,
                                      const struct model_plan *plan,
                                      const struct model_host *host,
                                      const struct model_host_load *load,
                                      const char *version, int64_t *ret_experiment,
                                      struct duet_error *reterr)
{
    char *plan_json = NULL;
    struct text analysis = {0};
    enum duet_code code = store_plan_json(store, plan, &plan_json, reterr);
    if (plan->analysis != NULL) {
        model_analysis_write(plan->analysis, &analysis);
    }
    if (code == DUET_OK && text_failed(&analysis)) {
        code = store_out_of_memory(store, doing, reterr);
    }
    if (code == DUET_OK) {
        code = store_begin(store, doing, reterr);
    }
    if (code == DUET_OK) {
        code = insert_experiment(store, plan, plan_json,
                                 plan->analysis != NULL ? text_string(&analysis) : NULL,
                                 version, reterr);
    }
    int64_t experiment = sqlite3_last_insert_rowid(store->db);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_side(store, experiment, side, &plan->sides[side], reterr);
    }
    if (code == DUET_OK) {
        code = insert_environment(store, experiment, host, reterr);
    }
    if (code == DUET_OK) {
        code = save_load(store, experiment, "before", load, reterr);
    }
    /* Before another process can see it, and find that nobody measures it. */
    bool locked = code == DUET_OK && store_experiment_lock(store, experiment);
    code = store_end(store, code, doing, reterr);
    free(plan_json);
    text_release(&analysis);
    if (code == DUET_OK) {
        *ret_experiment = experiment;
    } else if (locked) {
        store_experiment_unlock(store, experiment);
    }
    return code;
}

static enum duet_code update_state(struct store *store, int64_t experiment,
                                   enum store_state state, const char *message,
                                   struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "UPDATE experiment SET state = ?, message = ?, ended_utc_ms = ? WHERE id = ?");
    store_bind_string(&query, store_state_name(state));
    store_bind_string(&query, message);
    store_bind_int(&query, store_utc_ms());
    store_bind_int(&query, experiment);
    return store_run_found(&query, "experiment", experiment, reterr);
}

enum duet_code store_experiment_end(struct store *store, int64_t experiment,
                                    enum store_state state,
                                    const struct model_host_load *load,
                                    const char *message, struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = update_state(store, experiment, state, message, reterr);
    }
    if (code == DUET_OK) {
        code = save_load(store, experiment, "after", load, reterr);
    }
    if (code == DUET_OK) {
        code = store_regions_follow(store, experiment, reterr);
    }
    code = store_end(store, code, doing, reterr);
    store_experiment_unlock(store, experiment);
    return code;
}

/* Notes which run is the first one behind the pause. */
static enum duet_code insert_resumption(struct store *store, int64_t experiment,
                                        struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "INSERT OR REPLACE INTO resumption(experiment_id, idx, resumed_utc_ms) "
        "VALUES(?1, (SELECT ifnull(max(idx) + 1, 0) FROM run WHERE experiment_id = ?1), ?2)");
    store_bind_int(&query, experiment);
    store_bind_int(&query, store_utc_ms());
    enum duet_code code = store_run_once(&query, reterr);
    return code;
}

enum duet_code store_experiment_resume(struct store *store, int64_t experiment,
                                       const struct model_host_load *load,
                                       struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = update_state(store, experiment, STORE_RUNNING, NULL, reterr);
    }
    if (code == DUET_OK) {
        code = insert_resumption(store, experiment, reterr);
    }
    if (code == DUET_OK) {
        code = save_load(store, experiment, "before", load, reterr);
    }
    if (code == DUET_OK) {
        code = store_regions_follow(store, experiment, reterr);
    }
    return store_end(store, code, doing, reterr);
}

enum duet_code store_analysis_save(struct store *store, int64_t experiment,
                                   const struct model_analysis *analysis,
                                   struct duet_error *reterr)
{
    struct text text = {0};
    model_analysis_write(analysis, &text);
    if (text_failed(&text)) {
        text_release(&text);
        return store_out_of_memory(store, doing, reterr);
    }
    struct store_query query =
        store_ask(store, doing, "UPDATE experiment SET analysis = ? WHERE id = ?");
    store_bind_string(&query, text_string(&text));
    store_bind_int(&query, experiment);
    enum duet_code code = store_run_found(&query, "experiment", experiment, reterr);
    text_release(&text);
    return code;
}

enum duet_code store_experiment_schedule(struct store *store, int64_t experiment,
                                         enum model_schedule schedule,
                                         struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "UPDATE experiment SET schedule = ? WHERE id = ?");
    store_bind_string(&query, model_schedule_name(schedule));
    store_bind_int(&query, experiment);
    return store_run_once(&query, reterr);
}
