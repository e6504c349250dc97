/* Answers, kept with their experiments. */
#include "store/store_private.h"

static const char saving[] = "saving a comparison";

static const char *const warning_kinds[] = {"machine", "data", "workload"};
enum { WARNING_KINDS = MODEL_WARNING_WORKLOAD + 1 };

static const char *warning_kind_name(unsigned kind)
{
    return kind < WARNING_KINDS ? warning_kinds[kind] : "unknown";
}

static enum duet_code delete_older(struct store *store, int64_t experiment,
                                   const char *metric, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "DELETE FROM comparison WHERE experiment_id = ? AND baseline_id IS NULL AND metric = ?",
        saving, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_string(&binder, metric);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static void bind_comparison(struct store_binder *binder, int64_t experiment,
                            const struct model_comparison *comparison,
                            const char *version)
{
    store_bind_int(binder, experiment);
    store_bind_int(binder, store_utc_ms());
    store_bind_string(binder, comparison->name);
    store_bind_string(binder, comparison->metric);
    store_bind_string(binder, model_schedule_name(comparison->schedule));
    store_bind_string(binder, model_mode_name(comparison->mode));
    store_bind_real(binder, comparison->ratio);
    store_bind_real(binder, comparison->interval.low);
    store_bind_real(binder, comparison->interval.high);
    store_bind_real(binder, comparison->interval.confidence);
    store_bind_string(binder, model_interval_method_name(comparison->interval.method));
    store_bind_string(binder, model_verdict_name(comparison->verdict));
    store_bind_real(binder, comparison->same_within);
    store_bind_real(binder, comparison->could_have_seen);
    store_bind_count(binder, comparison->runs);
    store_bind_count(binder, comparison->iterations);
    store_bind_count(binder, comparison->winsorized);
    store_bind_string(binder, model_estimator_name(comparison->estimator));
    store_bind_real(binder, comparison->paired_width);
    store_bind_real(binder, comparison->shuffled_width);
    store_bind_real(binder, comparison->stratified_width);
    store_bind_real(binder, comparison->measured_coverage);
    store_bind_real(binder, comparison->tails[MODEL_TAIL_P90].ratio);
    store_bind_known_text(binder, version);
}

static enum duet_code insert_comparison(struct store *store, int64_t experiment,
                                        const struct model_comparison *comparison,
                                        const char *version, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO comparison(experiment_id, created_utc_ms, name, metric, schedule, mode, ratio, low, "
        "high, confidence, interval_method, verdict, same_within, could_have_seen, runs, iterations, "
        "winsorized, estimator, paired_width, shuffled_width, stratified_width, measured_coverage, "
        "tail_ratio, duet_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?)",
        saving, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        bind_comparison(&binder, experiment, comparison, version);
        code = store_run(store, &binder, saving, reterr);
    }
    if (code != DUET_OK &&
        sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_FOREIGNKEY) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiment %lld to keep a comparison with",
                         store->path, (long long)experiment);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code insert_summaries(struct store *store, int64_t comparison_id,
                                       const struct model_summary sides[MODEL_SIDES],
                                       struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO comparison_side(comparison_id, side, count, mean_ns, sd_ns, median_ns, min_ns, max_ns, "
        "user_ns, system_ns) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        saving, &statement, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, comparison_id);
        store_bind_int(&binder, side);
        store_bind_count(&binder, sides[side].count);
        store_bind_real(&binder, sides[side].mean_ns);
        store_bind_real(&binder, sides[side].sd_ns);
        store_bind_real(&binder, sides[side].median_ns);
        store_bind_real(&binder, sides[side].min_ns);
        store_bind_real(&binder, sides[side].max_ns);
        store_bind_real(&binder, sides[side].user_ns);
        store_bind_real(&binder, sides[side].system_ns);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code insert_warnings(struct store *store, int64_t comparison_id,
                                      const struct model_comparison *comparison,
                                      struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO comparison_warning(comparison_id, idx, kind, text) VALUES(?, ?, ?, ?)",
        saving, &statement, reterr);
    for (size_t i = 0; i < comparison->warning_count && code == DUET_OK; i++) {
        const struct model_warning *warning = &comparison->warnings[i];
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, comparison_id);
        store_bind_count(&binder, i);
        store_bind_string(&binder, warning_kind_name((unsigned)warning->kind));
        store_bind_string(&binder, warning->text);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_comparison_save(struct store *store, int64_t experiment,
                                     const struct model_comparison *comparison,
                                     const char *version, struct duet_error *reterr)
{
    /* On for the deletion's cascade and to refuse an experiment that is not there; the
     * setting cannot change inside a transaction. */
    enum duet_code code =
        store_execute(store, "PRAGMA foreign_keys = ON", saving, reterr);
    if (code == DUET_OK) {
        code = store_begin(store, saving, reterr);
    }
    if (code == DUET_OK) {
        code = delete_older(store, experiment, comparison->metric, reterr);
    }
    if (code == DUET_OK) {
        code = insert_comparison(store, experiment, comparison, version, reterr);
    }
    int64_t comparison_id = sqlite3_last_insert_rowid(store->db);
    if (code == DUET_OK) {
        code = insert_summaries(store, comparison_id, comparison->sides, reterr);
    }
    if (code == DUET_OK) {
        code = insert_warnings(store, comparison_id, comparison, reterr);
    }
    if (code == DUET_OK) {
        code = store_commit(store, saving, reterr);
    }
    store_rollback(store);
    (void)sqlite3_exec(store->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
    return code;
}
