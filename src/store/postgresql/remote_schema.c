/* The tables on the server: those of the file (store_schema.c) with the same names and
 * columns, in the schema `duet`. A test compares the two. */
#include "store/postgresql/remote_private.h"

#include "base/version.h"

#include <stdio.h>
#include <stdlib.h>

static const char doing[] = "bringing its tables up to date";

static const char shared[] =
    "CREATE TABLE instance(id BIGINT PRIMARY KEY, uuid TEXT COLLATE \"C\" UNIQUE); CREATE TABLE suite_run(id BIGINT"
    " PRIMARY KEY, uuid TEXT COLLATE \"C\" NOT NULL UNIQUE, name TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT "
    "NULL CHECK(state IN ('running', 'done', 'interrupted', 'failed')), started_utc_ms BIGINT NOT NULL, "
    "ended_utc_ms BIGINT, seed TEXT NOT NULL, benchmarks BIGINT NOT NULL, duet_version TEXT); CREATE TABLE "
    "family(id BIGINT PRIMARY KEY, multiplicity TEXT NOT NULL, confidence DOUBLE PRECISION NOT NULL); CREATE "
    "TABLE metric(id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, direction TEXT NOT NULL "
    "CHECK(direction IN ('lower', 'higher')));";

static const char experiments[] =
    "CREATE TABLE experiment(id BIGINT PRIMARY KEY, uuid TEXT COLLATE \"C\" NOT NULL UNIQUE, name TEXT NOT NULL, "
    "baseline_name TEXT UNIQUE, schedule TEXT NOT NULL, state TEXT NOT NULL CHECK(state IN ('running', 'done', "
    "'interrupted', 'failed')), message TEXT, started_utc_ms BIGINT NOT NULL, ended_utc_ms BIGINT, seed TEXT NOT "
    "NULL, warmup BIGINT NOT NULL, plan TEXT NOT NULL, duet_version TEXT, suite_run_id BIGINT REFERENCES "
    "suite_run(id) ON DELETE SET NULL, definition TEXT, analysis TEXT, family_id BIGINT REFERENCES family(id) ON "
    "DELETE SET NULL, benchmark TEXT, region_of BIGINT REFERENCES experiment(id) ON DELETE CASCADE, region TEXT, "
    "merged_utc_ms BIGINT); CREATE INDEX experiment_by_name ON experiment(name); CREATE INDEX "
    "experiment_by_suite_run ON experiment(suite_run_id); CREATE INDEX experiment_by_family ON "
    "experiment(family_id); CREATE INDEX experiment_by_region ON experiment(region_of); CREATE TABLE "
    "side(experiment_id BIGINT NOT NULL REFERENCES experiment(id) ON DELETE CASCADE, side BIGINT NOT NULL, name "
    "TEXT, command TEXT, argv TEXT, setup TEXT, prepare TEXT, conclude TEXT, cleanup TEXT, PRIMARY "
    "KEY(experiment_id, side)); CREATE TABLE environment(id BIGINT PRIMARY KEY, experiment_id BIGINT NOT NULL "
    "REFERENCES experiment(id) ON DELETE CASCADE, instance_id BIGINT NOT NULL REFERENCES instance(id), host_name "
    "TEXT, os TEXT, kernel TEXT, arch TEXT, cpu_model TEXT, hypervisor TEXT, clock_source TEXT, governor TEXT, "
    "num_cpus BIGINT, num_cores BIGINT, smt BIGINT, turbo BIGINT, cpu_quota DOUBLE PRECISION, memory_bytes DOUBLE"
    " PRECISION, UNIQUE(experiment_id, instance_id)); CREATE TABLE environment_load(environment_id BIGINT NOT "
    "NULL REFERENCES environment(id) ON DELETE CASCADE, moment TEXT NOT NULL CHECK(moment IN ('before', "
    "'after')), load_avg_1 DOUBLE PRECISION, load_avg_5 DOUBLE PRECISION, load_avg_15 DOUBLE PRECISION, steal_s "
    "DOUBLE PRECISION, total_s DOUBLE PRECISION, throttled_s DOUBLE PRECISION, throttled_count BIGINT, PRIMARY "
    "KEY(environment_id, moment));";

static const char runs[] =
    "CREATE TABLE run(id BIGINT PRIMARY KEY, uuid TEXT COLLATE \"C\" NOT NULL UNIQUE, experiment_id BIGINT NOT NULL"
    " REFERENCES experiment(id) ON DELETE CASCADE, environment_id BIGINT NOT NULL REFERENCES environment(id) ON "
    "DELETE CASCADE, idx BIGINT NOT NULL, block BIGINT NOT NULL, schedule TEXT NOT NULL, mode TEXT NOT NULL, "
    "started_utc_ms BIGINT NOT NULL, started_ns BIGINT NOT NULL, ended_ns BIGINT NOT NULL, runner_wakeups BIGINT "
    "NOT NULL, slice_ns DOUBLE PRECISION, UNIQUE(experiment_id, idx, environment_id)); CREATE INDEX "
    "run_by_environment ON run(environment_id); CREATE TABLE run_side(run_id BIGINT NOT NULL, side BIGINT NOT "
    "NULL, position BIGINT NOT NULL, cpu BIGINT NOT NULL, pid BIGINT NOT NULL, exit_status BIGINT NOT NULL, "
    "peak_memory_bytes BIGINT NOT NULL, iterations BIGINT NOT NULL, fillers BIGINT NOT NULL, cycles DOUBLE "
    "PRECISION, instructions DOUBLE PRECISION, cache_misses DOUBLE PRECISION, branch_misses DOUBLE PRECISION, "
    "tasks TEXT, others_ns DOUBLE PRECISION, window_ns DOUBLE PRECISION, PRIMARY KEY(run_id, side)); CREATE TABLE"
    " iteration(run_id BIGINT NOT NULL, side BIGINT NOT NULL, idx BIGINT NOT NULL, filler BIGINT NOT NULL, "
    "start_ns BIGINT NOT NULL, end_ns BIGINT NOT NULL, cpu_ns BIGINT, user_ns BIGINT, system_ns BIGINT, "
    "voluntary_switches BIGINT, involuntary_switches BIGINT, minor_faults BIGINT, major_faults BIGINT, cpu BIGINT"
    " NOT NULL, flags BIGINT NOT NULL, exit_status BIGINT NOT NULL, taken_ns BIGINT, operations BIGINT NOT NULL "
    "DEFAULT 1, PRIMARY KEY(run_id, side, idx, filler)); CREATE TABLE observation(run_id BIGINT NOT NULL, side "
    "BIGINT NOT NULL, metric_id BIGINT NOT NULL, idx BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL, PRIMARY "
    "KEY(run_id, side, metric_id, idx));";

static const char answers[] =
    "CREATE TABLE comparison(id BIGINT PRIMARY KEY, experiment_id BIGINT NOT NULL REFERENCES experiment(id) ON "
    "DELETE CASCADE, baseline_id BIGINT REFERENCES experiment(id) ON DELETE CASCADE, created_utc_ms BIGINT NOT "
    "NULL, name TEXT, metric TEXT NOT NULL, schedule TEXT NOT NULL, mode TEXT NOT NULL, ratio DOUBLE PRECISION, "
    "low DOUBLE PRECISION, high DOUBLE PRECISION, confidence DOUBLE PRECISION, interval_method TEXT NOT NULL, "
    "verdict TEXT NOT NULL, same_within DOUBLE PRECISION, could_have_seen DOUBLE PRECISION, runs BIGINT NOT NULL,"
    " iterations BIGINT NOT NULL, winsorized BIGINT NOT NULL, estimator TEXT NOT NULL, paired_width DOUBLE "
    "PRECISION, shuffled_width DOUBLE PRECISION, stratified_width DOUBLE PRECISION, measured_coverage DOUBLE "
    "PRECISION, tail_ratio DOUBLE PRECISION, duet_version TEXT); CREATE INDEX comparison_by_experiment ON "
    "comparison(experiment_id); CREATE INDEX comparison_by_baseline ON comparison(baseline_id); CREATE TABLE "
    "comparison_side(comparison_id BIGINT NOT NULL REFERENCES comparison(id) ON DELETE CASCADE, side BIGINT NOT "
    "NULL, count BIGINT NOT NULL, mean_ns DOUBLE PRECISION, sd_ns DOUBLE PRECISION, median_ns DOUBLE PRECISION, "
    "min_ns DOUBLE PRECISION, max_ns DOUBLE PRECISION, user_ns DOUBLE PRECISION, system_ns DOUBLE PRECISION, "
    "PRIMARY KEY(comparison_id, side)); CREATE TABLE comparison_warning(comparison_id BIGINT NOT NULL REFERENCES "
    "comparison(id) ON DELETE CASCADE, idx BIGINT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, PRIMARY "
    "KEY(comparison_id, idx)); CREATE TABLE dataset(experiment_id BIGINT PRIMARY KEY REFERENCES experiment(id) ON"
    " DELETE CASCADE, paired BIGINT NOT NULL, benchmarks BIGINT NOT NULL, environments BIGINT NOT NULL, trials "
    "BIGINT NOT NULL, iterations BIGINT NOT NULL, rows_read BIGINT NOT NULL, rows_filtered BIGINT NOT NULL, "
    "values_missing BIGINT NOT NULL); CREATE TABLE trial(id BIGINT PRIMARY KEY, experiment_id BIGINT NOT NULL "
    "REFERENCES experiment(id) ON DELETE CASCADE, benchmark TEXT NOT NULL, environment TEXT NOT NULL, instance "
    "TEXT NOT NULL, trial TEXT NOT NULL, iterations BIGINT NOT NULL, new_values BYTEA NOT NULL, old_values "
    "BYTEA); CREATE INDEX trial_by_experiment ON trial(experiment_id);";

static const char rest[] =
    "CREATE TABLE watch(id BIGINT PRIMARY KEY, experiment_id BIGINT NOT NULL UNIQUE REFERENCES experiment(id) ON "
    "DELETE CASCADE, name TEXT NOT NULL, folder TEXT NOT NULL, cpus TEXT, provision TEXT, release TEXT, attempts "
    "BIGINT NOT NULL, retry_ns BIGINT NOT NULL, start_utc_ns BIGINT NOT NULL, every_ns BIGINT NOT NULL, per_hour "
    "DOUBLE PRECISION NOT NULL, batch_size BIGINT NOT NULL, rule TEXT NOT NULL, statistic TEXT NOT NULL, error "
    "DOUBLE PRECISION NOT NULL, confidence DOUBLE PRECISION NOT NULL, replicates BIGINT NOT NULL, metric_id "
    "BIGINT NOT NULL REFERENCES metric(id), pattern TEXT, intervals_max BIGINT, next_batch BIGINT NOT NULL, "
    "open_batch BIGINT, stopped BIGINT NOT NULL, result DOUBLE PRECISION, result_points BIGINT, stop_points "
    "BIGINT, stop_low DOUBLE PRECISION, stop_high DOUBLE PRECISION); CREATE INDEX watch_by_name ON watch(name); "
    "CREATE TABLE resumption(experiment_id BIGINT NOT NULL REFERENCES experiment(id) ON DELETE CASCADE, idx "
    "BIGINT NOT NULL, resumed_utc_ms BIGINT NOT NULL, PRIMARY KEY(experiment_id, idx)); CREATE TABLE "
    "revision(experiment_id BIGINT NOT NULL REFERENCES experiment(id) ON DELETE CASCADE, side BIGINT NOT NULL, "
    "repository TEXT, commit_hash TEXT NOT NULL, tree_hash TEXT NOT NULL, committed_utc_ms BIGINT, subject TEXT, "
    "changed BIGINT NOT NULL, PRIMARY KEY(experiment_id, side)); CREATE INDEX revision_by_commit ON "
    "revision(commit_hash); CREATE TABLE baseline(name TEXT NOT NULL, experiment_id BIGINT NOT NULL REFERENCES "
    "experiment(id) ON DELETE CASCADE, saved_utc_ms BIGINT NOT NULL, PRIMARY KEY(name, experiment_id)); CREATE "
    "INDEX baseline_by_experiment ON baseline(experiment_id); CREATE TABLE companion(experiment_id BIGINT PRIMARY"
    " KEY REFERENCES experiment(id) ON DELETE CASCADE, of_experiment_id BIGINT NOT NULL REFERENCES experiment(id)"
    " ON DELETE CASCADE, role TEXT NOT NULL CHECK(role IN ('control', 'confirmation'))); CREATE INDEX "
    "companion_by_experiment ON companion(of_experiment_id); CREATE TABLE acceptance(experiment_id BIGINT PRIMARY"
    " KEY REFERENCES experiment(id) ON DELETE CASCADE, slowdown DOUBLE PRECISION NOT NULL, until TEXT NOT NULL, "
    "reason TEXT NOT NULL);";

/* What is large refers to its run without a foreign key, which would be looked up for
 * each row: rows are written in one transaction with their run, and go with it here. */
static const char removal[] =
    "CREATE FUNCTION run_goes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM duet.run_side WHERE "
    "run_id = OLD.id; DELETE FROM duet.iteration WHERE run_id = OLD.id; DELETE FROM duet.observation WHERE "
    "run_id = OLD.id; RETURN OLD; END $$; CREATE TRIGGER run_goes BEFORE DELETE ON run FOR EACH ROW EXECUTE "
    "FUNCTION run_goes();";

/* Ids: blocks of numbers, which no two clients get, and which are not used again. */
static const char counters[] =
    "CREATE TABLE counter(name TEXT PRIMARY KEY, next BIGINT NOT NULL); INSERT INTO counter(name, next) "
    "VALUES('instance', 1), ('suite_run', 1), ('family', 1), ('experiment', 1), ('environment', 1), ('run', 1), "
    "('comparison', 1), ('trial', 1), ('watch', 1), ('metric', 3); INSERT INTO metric(id, name, unit, direction) "
    "VALUES(1, 'time', 'ns', 'lower'), (2, 'cpu_time', 'ns', 'lower');";

static const char plain_views[] =
    "CREATE VIEW experiments AS SELECT e.id AS experiment_id, e.uuid, e.name, coalesce(e.benchmark, e.name) "
    "AS benchmark, u.name AS suite, e.state, e.schedule, to_char(to_timestamp(e.started_utc_ms / 1000.0) AT "
    "TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS started_utc, to_char(to_timestamp(e.ended_utc_ms / 1000.0) "
    "AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS ended_utc, (SELECT count(*) FROM run AS r WHERE "
    "r.experiment_id = e.id AND r.schedule = e.schedule) AS runs, e.warmup, e.seed, o.command AS old_command,"
    " n.command AS new_command, p.commit_hash AS old_commit, q.commit_hash AS new_commit, i.uuid AS machine, "
    "v.host_name, v.cpu_model, v.num_cpus, v.kernel, e.duet_version, e.region_of, (e.merged_utc_ms IS NOT "
    "NULL)::int AS merged FROM experiment AS e LEFT JOIN suite_run AS u ON u.id = e.suite_run_id LEFT JOIN "
    "side AS o ON o.experiment_id = e.id AND o.side = 0 LEFT JOIN side AS n ON n.experiment_id = e.id AND "
    "n.side = 1 LEFT JOIN revision AS p ON p.experiment_id = e.id AND p.side = 0 LEFT JOIN revision AS q ON "
    "q.experiment_id = e.id AND q.side = 1 LEFT JOIN environment AS v ON v.id = (SELECT max(id) FROM "
    "environment WHERE experiment_id = e.id) LEFT JOIN instance AS i ON i.id = v.instance_id; CREATE VIEW "
    "comparisons AS SELECT e.experiment_id, e.name, e.benchmark, e.suite, c.metric, c.schedule, c.verdict, "
    "100 * (c.ratio - 1) AS change_pct, 100 * (c.low - 1) AS low_pct, 100 * (c.high - 1) AS high_pct, "
    "c.ratio, c.low, c.high, c.confidence, c.interval_method, c.estimator, c.runs, c.iterations, o.mean_ns AS"
    " old_mean_ns, o.sd_ns AS old_sd_ns, o.median_ns AS old_median_ns, n.mean_ns AS new_mean_ns, n.sd_ns AS "
    "new_sd_ns, n.median_ns AS new_median_ns, e.started_utc, e.old_command, e.new_command, e.old_commit, "
    "e.new_commit, e.machine, e.host_name, e.cpu_model FROM comparison AS c JOIN experiments AS e ON "
    "e.experiment_id = c.experiment_id LEFT JOIN comparison_side AS o ON o.comparison_id = c.id AND o.side = "
    "0 LEFT JOIN comparison_side AS n ON n.comparison_id = c.id AND n.side = 1 WHERE c.baseline_id IS NULL; "
    "CREATE VIEW benchmarks AS SELECT b.benchmark, b.experiments, b.first_utc, b.last_utc, "
    "b.last_experiment_id, c.verdict AS last_verdict, 100 * (c.ratio - 1) AS last_change_pct FROM (SELECT "
    "benchmark, count(*) AS experiments, min(started_utc) AS first_utc, max(started_utc) AS last_utc, "
    "max(experiment_id) AS last_experiment_id FROM experiments GROUP BY benchmark) AS b LEFT JOIN comparison "
    "AS c ON c.id = (SELECT max(id) FROM comparison WHERE experiment_id = b.last_experiment_id AND "
    "baseline_id IS NULL);";

static const char plain_views_of_runs[] =
    "CREATE VIEW runs AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, CASE s.side WHEN 0 "
    "THEN 'old' ELSE 'new' END AS side, s.position, s.cpu, r.schedule, r.mode, "
    "to_char(to_timestamp(r.started_utc_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS "
    "started_utc, (r.ended_ns - r.started_ns)::double precision / 1e9 AS took_s, s.iterations, s.exit_status,"
    " s.peak_memory_bytes, s.cycles, s.instructions, s.cache_misses, s.branch_misses, i.uuid AS machine, "
    "v.host_name, v.cpu_model FROM run AS r JOIN run_side AS s ON s.run_id = r.id LEFT JOIN environment AS v "
    "ON v.id = r.environment_id LEFT JOIN instance AS i ON i.id = v.instance_id; CREATE VIEW iterations AS "
    "SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, CASE t.side WHEN 0 THEN 'old' ELSE 'new' "
    "END AS side, t.idx AS iteration, (t.idx < e.warmup)::int AS warmup, (t.end_ns - t.start_ns)::double "
    "precision / t.operations AS time_ns, t.operations, t.start_ns, t.cpu_ns, t.user_ns, t.system_ns, "
    "t.taken_ns, t.voluntary_switches, t.involuntary_switches, t.minor_faults, t.major_faults, t.cpu, "
    "t.exit_status FROM iteration AS t JOIN run AS r ON r.id = t.run_id JOIN experiment AS e ON e.id = "
    "r.experiment_id WHERE t.filler = 0 UNION ALL SELECT r.experiment_id, r.id, r.idx, r.block, CASE b.side "
    "WHEN 0 THEN 'old' ELSE 'new' END, b.idx, 0, b.value, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL, NULL, NULL FROM observation AS b JOIN run AS r ON r.id = b.run_id WHERE b.metric_id = 1; CREATE "
    "VIEW pairs AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, o.idx AS iteration, (o.idx "
    "< e.warmup)::int AS warmup, (o.end_ns - o.start_ns)::double precision / o.operations AS old_ns, "
    "(n.end_ns - n.start_ns)::double precision / n.operations AS new_ns, ((n.end_ns - n.start_ns)::double "
    "precision / n.operations) / nullif((o.end_ns - o.start_ns)::double precision / o.operations, 0) AS ratio"
    " FROM run AS r JOIN experiment AS e ON e.id = r.experiment_id JOIN iteration AS o ON o.run_id = r.id AND"
    " o.side = 0 AND o.filler = 0 JOIN iteration AS n ON n.run_id = r.id AND n.side = 1 AND n.filler = 0 AND "
    "n.idx = o.idx WHERE r.schedule IN ('duet', 'timeslice'); CREATE VIEW observations AS SELECT "
    "r.experiment_id, r.environment_id, r.id AS run_id, r.idx AS run, r.block, CASE i.side WHEN 0 THEN 'old' "
    "ELSE 'new' END AS side, i.idx AS iteration, 'time' AS metric, 'ns' AS unit, (i.end_ns - "
    "i.start_ns)::double precision / i.operations AS value FROM iteration AS i JOIN run AS r ON r.id = "
    "i.run_id WHERE i.filler = 0 UNION ALL SELECT r.experiment_id, r.environment_id, r.id, r.idx, r.block, "
    "CASE i.side WHEN 0 THEN 'old' ELSE 'new' END, i.idx, 'cpu_time', 'ns', i.cpu_ns::double precision / "
    "i.operations FROM iteration AS i JOIN run AS r ON r.id = i.run_id WHERE i.filler = 0 AND i.cpu_ns IS NOT"
    " NULL UNION ALL SELECT r.experiment_id, r.environment_id, r.id, r.idx, r.block, CASE o.side WHEN 0 THEN "
    "'old' ELSE 'new' END, o.idx, m.name, m.unit, o.value FROM observation AS o JOIN run AS r ON r.id = "
    "o.run_id JOIN metric AS m ON m.id = o.metric_id;";

/* Replaced, not dropped: grants and others' views rest on them. */
static const char views_of_warmup[] =
    "CREATE OR REPLACE VIEW iterations AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, CASE t.side WHEN 0 "
    "THEN 'old' ELSE 'new' END AS side, t.idx AS iteration, (t.idx < e.warmup AND r.mode = 'harness')::int AS "
    "warmup, (t.end_ns - t.start_ns)::double precision / t.operations AS time_ns, t.operations, t.start_ns, "
    "t.cpu_ns, t.user_ns, t.system_ns, t.taken_ns, t.voluntary_switches, t.involuntary_switches, t.minor_faults, "
    "t.major_faults, t.cpu, t.exit_status FROM iteration AS t JOIN run AS r ON r.id = t.run_id JOIN experiment "
    "AS e ON e.id = r.experiment_id WHERE t.filler = 0 UNION ALL SELECT r.experiment_id, r.id, r.idx, r.block, "
    "CASE b.side WHEN 0 THEN 'old' ELSE 'new' END, b.idx, 0, b.value, 1, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL, NULL, NULL, NULL, NULL FROM observation AS b JOIN run AS r ON r.id = b.run_id WHERE b.metric_id = 1; "
    "CREATE OR REPLACE VIEW pairs AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, o.idx AS iteration, "
    "(o.idx < e.warmup AND r.mode = 'harness')::int AS warmup, (o.end_ns - o.start_ns)::double precision / "
    "o.operations AS old_ns, (n.end_ns - n.start_ns)::double precision / n.operations AS new_ns, ((n.end_ns - "
    "n.start_ns)::double precision / n.operations) / nullif((o.end_ns - o.start_ns)::double precision / "
    "o.operations, 0) AS ratio FROM run AS r JOIN experiment AS e ON e.id = r.experiment_id JOIN iteration AS o "
    "ON o.run_id = r.id AND o.side = 0 AND o.filler = 0 JOIN iteration AS n ON n.run_id = r.id AND n.side = 1 "
    "AND n.filler = 0 AND n.idx = o.idx WHERE r.schedule IN ('duet', 'timeslice');";

/* One step from a version to the next one that the file's schema has, too. Never change
 * one that was released: append. */
struct step {
    size_t version;
    const char *const *statements;
};
static const char *const version_13[] = {
    shared,      experiments,         runs,     answers, rest, removal,
    plain_views, plain_views_of_runs, counters, NULL};
static const char *const version_14[] = {views_of_warmup, NULL};
static const struct step steps[] = {{13, version_13}, {14, version_14}};

/* ---- Carrying them out ---- */

static enum duet_code apply(struct remote *remote, const struct step *step,
                            struct duet_error *reterr)
{
    char version[32];
    const char *const parameters[] = {version, BASE_VERSION};
    (void)snprintf(version, sizeof version, "%zu", step->version);
    enum duet_code code = DUET_OK;
    for (const char *const *sql = step->statements; *sql != NULL && code == DUET_OK;
         sql++) {
        code = remote_execute(remote, doing, *sql, reterr);
    }
    return code == DUET_OK
               ? remote_ask(
                     remote, doing,
                     "INSERT INTO schema_version(version, applied_utc_ms, duet_version) VALUES($1::bigint, "
                     "(extract(epoch FROM now()) * 1000)::bigint, $2)",
                     parameters, 2, NULL, reterr)
               : code;
}

static enum duet_code read_version(struct remote *remote, int64_t *ret_version,
                                   struct duet_error *reterr)
{
    int64_t there = 0;
    enum duet_code code = remote_ask_int(
        remote, doing, "SELECT (to_regclass('duet.schema_version') IS NOT NULL)::int",
        NULL, 0, &there, reterr);
    *ret_version = 0;
    return code == DUET_OK && there != 0
               ? remote_ask_int(remote, doing,
                                "SELECT max(version) FROM duet.schema_version", NULL, 0,
                                ret_version, reterr)
               : code;
}

/* In one transaction, and one process at a time. */
static enum duet_code bring_up(struct remote *remote, struct duet_error *reterr)
{
    static const char begin[] =
        "BEGIN; SELECT pg_advisory_xact_lock(1685415284); DO $$ BEGIN IF to_regnamespace('duet') IS NULL THEN CREATE SCHEMA duet; END IF; END $$; CREATE TABLE IF NOT "
        "EXISTS duet.schema_version(version BIGINT PRIMARY KEY, applied_utc_ms BIGINT NOT NULL, duet_version TEXT)";
    int64_t version = 0;
    enum duet_code code = remote_execute(remote, doing, begin, reterr);
    if (code == DUET_OK) {
        code = read_version(remote, &version, reterr);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && code == DUET_OK; i++) {
        if ((int64_t)steps[i].version > version) {
            code = apply(remote, &steps[i], reterr);
        }
    }
    if (code == DUET_OK) {
        code = remote_execute(remote, doing, "COMMIT", reterr);
    }
    if (code != DUET_OK) {
        remote_abandon(remote);
    }
    return code;
}

enum duet_code remote_migrate(struct remote *remote, bool create,
                              struct duet_error *reterr)
{
    const char *url = remote->store->path;
    int64_t newest = (int64_t)steps[sizeof steps / sizeof steps[0] - 1].version;
    int64_t version = 0;
    enum duet_code code = read_version(remote, &version, reterr);
    if (code == DUET_OK && version == 0 && !create) {
        return error_set(
            reterr, DUET_E_NOT_FOUND,
            "no store at '%s': the database has no tables of duet: measure something into it first, or name another "
            "one with --store",
            url);
    }
    if (code == DUET_OK && version > newest) {
        return error_set(
            reterr, DUET_E_VERSION,
            "store '%s' has tables of version %lld, written by a newer duet; this one knows versions up to %lld: "
            "use the newer duet, or name another store with --store",
            url, (long long)version, (long long)newest);
    }
    return code == DUET_OK && version < newest ? bring_up(remote, reterr) : code;
}
