/* Answers, kept with their experiments. */
#include "store/postgresql/remote.h"
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
    struct store_query query = store_ask(
        store, saving,
        "DELETE FROM comparison WHERE experiment_id = ? AND baseline_id IS NULL AND metric = ?");
    store_bind_int(&query, experiment);
    store_bind_string(&query, metric);
    return store_run_once(&query, reterr);
}

static void bind_comparison(struct store_query *query, int64_t experiment,
                            const struct model_comparison *comparison,
                            const char *version)
{
    store_bind_int(query, experiment);
    store_bind_int(query, store_utc_ms());
    store_bind_string(query, comparison->name);
    store_bind_string(query, comparison->metric);
    store_bind_string(query, model_schedule_name(comparison->schedule));
    store_bind_string(query, model_mode_name(comparison->mode));
    store_bind_real(query, comparison->ratio);
    store_bind_real(query, comparison->interval.low);
    store_bind_real(query, comparison->interval.high);
    store_bind_real(query, comparison->interval.confidence);
    store_bind_string(query, model_interval_method_name(comparison->interval.method));
    store_bind_string(query, model_verdict_name(comparison->verdict));
    store_bind_real(query, comparison->same_within);
    store_bind_real(query, comparison->could_have_seen);
    store_bind_count(query, comparison->runs);
    store_bind_count(query, comparison->iterations);
    store_bind_count(query, comparison->winsorized);
    store_bind_string(query, model_estimator_name(comparison->estimator));
    store_bind_real(query, comparison->paired_width);
    store_bind_real(query, comparison->shuffled_width);
    store_bind_real(query, comparison->stratified_width);
    store_bind_real(query, comparison->measured_coverage);
    store_bind_real(query, comparison->tails[MODEL_TAIL_P90].ratio);
    store_bind_known_text(query, version);
}

static enum duet_code insert_comparison(struct store *store, int64_t experiment,
                                        const struct model_comparison *comparison,
                                        const char *version, struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, saving,
        "INSERT INTO comparison(id, experiment_id, created_utc_ms, name, metric, schedule, mode, ratio, low, "
        "high, confidence, interval_method, verdict, same_within, could_have_seen, runs, iterations, "
        "winsorized, estimator, paired_width, shuffled_width, stratified_width, measured_coverage, "
        "tail_ratio, duet_version) VALUES(duet_new_id('comparison'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?)");
    bind_comparison(&query, experiment, comparison, version);
    enum duet_code code = store_run_once(&query, reterr);
    if (code != DUET_OK &&
        sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_FOREIGNKEY) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiment %lld to keep a comparison with",
                         store->path, (long long)experiment);
    }
    return code;
}

static enum duet_code insert_summary(struct store *store, int64_t comparison_id,
                                     int side, const struct model_summary *summary,
                                     struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, saving,
        "INSERT INTO comparison_side(comparison_id, side, count, mean_ns, sd_ns, median_ns, min_ns, max_ns, "
        "user_ns, system_ns) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_int(&query, comparison_id);
    store_bind_int(&query, side);
    store_bind_count(&query, summary->count);
    store_bind_real(&query, summary->mean_ns);
    store_bind_real(&query, summary->sd_ns);
    store_bind_real(&query, summary->median_ns);
    store_bind_real(&query, summary->min_ns);
    store_bind_real(&query, summary->max_ns);
    store_bind_real(&query, summary->user_ns);
    store_bind_real(&query, summary->system_ns);
    return store_run_once(&query, reterr);
}

static enum duet_code insert_warning(struct store *store, int64_t comparison_id,
                                     size_t at, const struct model_warning *warning,
                                     struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, saving,
        "INSERT INTO comparison_warning(comparison_id, idx, kind, text) VALUES(?, ?, ?, ?)");
    store_bind_int(&query, comparison_id);
    store_bind_count(&query, at);
    store_bind_string(&query, warning_kind_name((unsigned)warning->kind));
    store_bind_string(&query, warning->text);
    return store_run_once(&query, reterr);
}

enum duet_code store_comparison_save(struct store *store, int64_t experiment,
                                     const struct model_comparison *comparison,
                                     const char *version, struct duet_error *reterr)
{
    /* On for the deletion's cascade and to refuse an experiment that is not there; the
     * setting cannot change inside a transaction. */
    enum duet_code code = remote_need_one(store, experiment, reterr);
    if (code == DUET_OK) {
        code = store_execute(store, "PRAGMA foreign_keys = ON", saving, reterr);
    }
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
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_summary(store, comparison_id, side, &comparison->sides[side],
                              reterr);
    }
    for (size_t i = 0; i < comparison->warning_count && code == DUET_OK; i++) {
        code =
            insert_warning(store, comparison_id, i, &comparison->warnings[i], reterr);
    }
    code = store_end(store, code, saving, reterr);
    (void)sqlite3_exec(store->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
    return code;
}
