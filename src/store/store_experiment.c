/* The beginning and the end of an experiment. */
#include "store/store_private.h"
#include "store/store_resume.h"

#include "base/text.h"
#include "model/analysis.h"

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
    enum duet_code code = store_uuid_make(uuid, reterr);
    sqlite3_stmt *statement = NULL;
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT INTO experiment(uuid, name, schedule, state, started_utc_ms, seed, warmup, plan, analysis, "
            "duet_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        char seed[32];
        (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)plan->seed);
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, uuid);
        store_bind_string(&binder, plan->name);
        store_bind_string(&binder, model_schedule_name(plan->schedule));
        store_bind_string(&binder, store_state_name(STORE_RUNNING));
        store_bind_int(&binder, store_utc_ms());
        store_bind_string(&binder, seed);
        store_bind_count(&binder, plan->warmup);
        store_bind_string(&binder, plan_json);
        store_bind_string(&binder, analysis);
        store_bind_known_text(&binder, version);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code insert_side(struct store *store, int64_t experiment, int side,
                                  const struct model_workload *workload,
                                  struct duet_error *reterr)
{
    char *argv = NULL;
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_argv_json(store, workload->argv, &argv, reterr);
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT INTO side(experiment_id, side, name, command, argv, setup, prepare, conclude, "
            "cleanup) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_int(&binder, side);
        store_bind_string(&binder, workload->name);
        store_bind_string(&binder, workload->command);
        store_bind_string(&binder, argv);
        store_bind_string(&binder, workload->setup);
        store_bind_string(&binder, workload->prepare);
        store_bind_string(&binder, workload->conclude);
        store_bind_string(&binder, workload->cleanup);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    free(argv);
    return code;
}

/* The instance's row; machines without a known uuid are all different. */
static enum duet_code find_instance(struct store *store, const struct model_host *host,
                                    int64_t *ret_instance, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO instance(uuid) VALUES(?) ON CONFLICT(uuid) DO UPDATE SET uuid = excluded.uuid RETURNING "
        "id",
        doing, &statement, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_binder binder = store_bind(statement);
    store_bind_known_text(&binder, host == NULL ? NULL : host->uuid);
    bool row = false;
    int64_t instance = 0;
    code = store_step(store, &binder, doing, &row, reterr);
    if (code == DUET_OK) {
        instance = sqlite3_column_int64(statement, 0);
        code = store_run(store, &binder, doing, reterr); /* to its end */
    }
    if (code == DUET_OK) {
        *ret_instance = instance;
    }
    sqlite3_finalize(statement);
    return code;
}

static void bind_host(struct store_binder *binder, const struct model_host *host)
{
    const char *const texts[] = {host->host_name,    host->os,        host->kernel,
                                 host->arch,         host->cpu_model, host->hypervisor,
                                 host->clock_source, host->governor};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        store_bind_known_text(binder, texts[i]);
    }
    store_bind_known(binder, host->num_cpus);
    store_bind_known(binder, host->num_cores);
    store_bind_known(binder, host->smt);
    store_bind_known(binder, host->turbo);
    store_bind_real(binder, host->cpu_quota);
    store_bind_real(binder, host->memory_bytes);
}

static enum duet_code insert_environment(struct store *store, int64_t experiment,
                                         const struct model_host *host,
                                         struct duet_error *reterr)
{
    int64_t instance = 0;
    sqlite3_stmt *statement = NULL;
    enum duet_code code = find_instance(store, host, &instance, reterr);
    if (code == DUET_OK) {
        code = store_prepare(
            store,
            "INSERT INTO environment(experiment_id, instance_id, host_name, os, kernel, arch, cpu_model, "
            "hypervisor, clock_source, governor, num_cpus, num_cores, smt, turbo, cpu_quota, "
            "memory_bytes) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            doing, &statement, reterr);
    }
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_int(&binder, instance);
        if (host != NULL) {
            bind_host(&binder, host); /* what is not bound is NULL */
        }
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code save_load(struct store *store, int64_t experiment,
                                const char *moment, const struct model_host_load *load,
                                struct duet_error *reterr)
{
    if (load == NULL) {
        return DUET_OK;
    }
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT OR REPLACE INTO environment_load(environment_id, moment, load_avg_1, load_avg_5, "
        "load_avg_15, steal_s, total_s, throttled_s, throttled_count) SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
        "?9 FROM environment WHERE experiment_id = ?1 ORDER BY id DESC LIMIT 1",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_string(&binder, moment);
        for (int i = 0; i < 3; i++) {
            store_bind_real(&binder, load->load_avg[i]);
        }
        store_bind_real(&binder, load->steal_ticks);
        store_bind_real(&binder, load->total_ticks);
        store_bind_real(&binder, load->throttled_s);
        store_bind_count(&binder, load->throttled_count);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    return code;
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
        code = error_set(reterr, DUET_E_NOMEM, "store '%s': no memory left while %s",
                         store->path, doing);
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
    if (code == DUET_OK) {
        code = store_commit(store, doing, reterr);
    }
    store_rollback(store);
    free(plan_json);
    text_release(&analysis);
    if (code == DUET_OK) {
        (void)store_experiment_lock(store, experiment);
        *ret_experiment = experiment;
    }
    return code;
}

static enum duet_code update_state(struct store *store, int64_t experiment,
                                   enum store_state state, const char *message,
                                   struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "UPDATE experiment SET state = ?, message = ?, ended_utc_ms = ? WHERE id = ?",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, store_state_name(state));
        store_bind_string(&binder, message);
        store_bind_int(&binder, store_utc_ms());
        store_bind_int(&binder, experiment);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        return error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)experiment);
    }
    return code;
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
        code = store_commit(store, doing, reterr);
    }
    store_rollback(store);
    store_experiment_unlock(store, experiment);
    return code;
}

/* Notes which run is the first one behind the pause. */
static enum duet_code insert_resumption(struct store *store, int64_t experiment,
                                        struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT OR REPLACE INTO resumption(experiment_id, idx, resumed_utc_ms) "
        "VALUES(?1, (SELECT ifnull(max(idx) + 1, 0) FROM run WHERE experiment_id = ?1), ?2)",
        doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_int(&binder, store_utc_ms());
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
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
        code = store_commit(store, doing, reterr);
    }
    store_rollback(store);
    return code;
}

enum duet_code store_analysis_save(struct store *store, int64_t experiment,
                                   const struct model_analysis *analysis,
                                   struct duet_error *reterr)
{
    struct text text = {0};
    sqlite3_stmt *statement = NULL;
    model_analysis_write(analysis, &text);
    enum duet_code code =
        text_failed(&text)
            ? error_set(reterr, DUET_E_NOMEM, "store '%s': no memory left while %s",
                        store->path, doing)
            : store_prepare(store, "UPDATE experiment SET analysis = ? WHERE id = ?",
                            doing, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, text_string(&text));
        store_bind_int(&binder, experiment);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    text_release(&text);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        return error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)experiment);
    }
    return code;
}

enum duet_code store_experiment_schedule(struct store *store, int64_t experiment,
                                         enum model_schedule schedule,
                                         struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code =
        store_prepare(store, "UPDATE experiment SET schedule = ? WHERE id = ?", doing,
                      &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_string(&binder, model_schedule_name(schedule));
        store_bind_int(&binder, experiment);
        code = store_run(store, &binder, doing, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}
