/* The tables of a new store, as the last of the steps of store_schema.c leaves them. A
 * test compares the two. docs/store.md explains every column. */
#include "store/store_private.h"

static const char *const tables[] = {
    "CREATE TABLE instance( id INTEGER PRIMARY KEY, uuid TEXT UNIQUE) STRICT",
    "CREATE TABLE environment( id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL REFERENCES "
    "experiment(id) ON DELETE CASCADE, instance_id INTEGER NOT NULL REFERENCES instance(id), "
    "host_name TEXT, os TEXT, kernel TEXT, arch TEXT, cpu_model TEXT, hypervisor TEXT, clock_source "
    "TEXT, governor TEXT, num_cpus INTEGER, num_cores INTEGER, smt INTEGER, turbo INTEGER, cpu_quota "
    "REAL, memory_bytes REAL, UNIQUE(experiment_id, instance_id)) STRICT",
    "CREATE TABLE environment_load( environment_id INTEGER NOT NULL REFERENCES environment(id) ON "
    "DELETE CASCADE, moment TEXT NOT NULL CHECK(moment IN ('before', 'after')), load_avg_1 REAL, "
    "load_avg_5 REAL, load_avg_15 REAL, steal_s REAL, total_s REAL, throttled_s REAL, throttled_count"
    " INTEGER, PRIMARY KEY(environment_id, moment)) STRICT, WITHOUT ROWID",
    "CREATE TABLE experiment( id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, name "
    "TEXT NOT NULL, baseline_name TEXT UNIQUE, schedule TEXT NOT NULL, state TEXT NOT NULL  "
    "CHECK(state IN ('running', 'done', 'interrupted', 'failed')), message TEXT, started_utc_ms "
    "INTEGER NOT NULL, ended_utc_ms INTEGER, seed TEXT NOT NULL, warmup INTEGER NOT NULL, plan TEXT "
    "NOT NULL, duet_version TEXT, suite_run_id INTEGER REFERENCES suite_run(id) ON DELETE SET NULL, "
    "definition TEXT, analysis TEXT, family_id INTEGER REFERENCES family(id) ON DELETE SET NULL, "
    "benchmark TEXT, region_of INTEGER REFERENCES experiment(id) ON DELETE CASCADE, region TEXT, "
    "merged_utc_ms INTEGER) STRICT",
    "CREATE INDEX experiment_by_name ON experiment(name)",
    "CREATE TABLE side( experiment_id INTEGER NOT NULL REFERENCES experiment(id) ON DELETE CASCADE, "
    "side INTEGER NOT NULL, name TEXT, command TEXT, argv TEXT, setup TEXT, prepare TEXT, conclude "
    "TEXT, cleanup TEXT, PRIMARY KEY(experiment_id, side)) STRICT, WITHOUT ROWID",
    "CREATE TABLE run( id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, experiment_id INTEGER NOT "
    "NULL REFERENCES experiment(id) ON DELETE CASCADE, environment_id INTEGER NOT NULL REFERENCES "
    "environment(id) ON DELETE CASCADE, idx INTEGER NOT NULL, block INTEGER NOT NULL, schedule TEXT "
    "NOT NULL, mode TEXT NOT NULL, started_utc_ms INTEGER NOT NULL, started_ns INTEGER NOT NULL, "
    "ended_ns INTEGER NOT NULL, runner_wakeups INTEGER NOT NULL, slice_ns REAL, UNIQUE(experiment_id,"
    " idx, environment_id)) STRICT",
    "CREATE INDEX run_by_environment ON run(environment_id)",
    "CREATE TABLE run_side( run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, side "
    "INTEGER NOT NULL, position INTEGER NOT NULL, cpu INTEGER NOT NULL, pid INTEGER NOT NULL, "
    "exit_status INTEGER NOT NULL, peak_memory_bytes INTEGER NOT NULL, iterations INTEGER NOT NULL, "
    "fillers INTEGER NOT NULL, cycles REAL, instructions REAL, cache_misses REAL, branch_misses REAL,"
    " tasks TEXT, others_ns REAL, window_ns REAL, PRIMARY KEY(run_id, side)) STRICT, WITHOUT ROWID",
    "CREATE TABLE iteration( run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, side "
    "INTEGER NOT NULL, idx INTEGER NOT NULL, filler INTEGER NOT NULL, start_ns INTEGER NOT NULL, "
    "end_ns INTEGER NOT NULL, cpu_ns INTEGER, user_ns INTEGER, system_ns INTEGER, voluntary_switches "
    "INTEGER, involuntary_switches INTEGER, minor_faults INTEGER, major_faults INTEGER, cpu INTEGER "
    "NOT NULL, flags INTEGER NOT NULL, exit_status INTEGER NOT NULL, taken_ns INTEGER, operations "
    "INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(run_id, side, idx, filler)) STRICT, WITHOUT ROWID",
    "CREATE TABLE metric( id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, "
    "direction TEXT NOT NULL CHECK(direction IN ('lower', 'higher'))) STRICT",
    "CREATE TABLE observation( run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, side "
    "INTEGER NOT NULL, metric_id INTEGER NOT NULL REFERENCES metric(id), idx INTEGER NOT NULL, value "
    "REAL NOT NULL, PRIMARY KEY(run_id, side, metric_id, idx)) STRICT, WITHOUT ROWID",
    "CREATE TABLE comparison( id INTEGER PRIMARY KEY AUTOINCREMENT, experiment_id INTEGER NOT NULL "
    "REFERENCES experiment(id) ON DELETE CASCADE, baseline_id INTEGER REFERENCES experiment(id) ON "
    "DELETE CASCADE, created_utc_ms INTEGER NOT NULL, name TEXT, metric TEXT NOT NULL, schedule TEXT "
    "NOT NULL, mode TEXT NOT NULL, ratio REAL, low REAL, high REAL, confidence REAL, interval_method "
    "TEXT NOT NULL, verdict TEXT NOT NULL, same_within REAL, could_have_seen REAL, runs INTEGER NOT "
    "NULL, iterations INTEGER NOT NULL, winsorized INTEGER NOT NULL, estimator TEXT NOT NULL, "
    "paired_width REAL, shuffled_width REAL, stratified_width REAL, measured_coverage REAL, "
    "tail_ratio REAL, duet_version TEXT) STRICT",
    "CREATE INDEX comparison_by_experiment ON comparison(experiment_id)",
    "CREATE INDEX comparison_by_baseline ON comparison(baseline_id)",
    "CREATE TABLE comparison_side( comparison_id INTEGER NOT NULL REFERENCES comparison(id) ON DELETE"
    " CASCADE, side INTEGER NOT NULL, count INTEGER NOT NULL, mean_ns REAL, sd_ns REAL, median_ns "
    "REAL, min_ns REAL, max_ns REAL, user_ns REAL, system_ns REAL, PRIMARY KEY(comparison_id, side)) "
    "STRICT, WITHOUT ROWID",
    "CREATE TABLE comparison_warning( comparison_id INTEGER NOT NULL REFERENCES comparison(id) ON "
    "DELETE CASCADE, idx INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, PRIMARY "
    "KEY(comparison_id, idx)) STRICT, WITHOUT ROWID",
    "CREATE TABLE suite_run( id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, name "
    "TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL  CHECK(state IN ('running', 'done', "
    "'interrupted', 'failed')), started_utc_ms INTEGER NOT NULL, ended_utc_ms INTEGER, seed TEXT NOT "
    "NULL, benchmarks INTEGER NOT NULL, duet_version TEXT) STRICT",
    "CREATE INDEX experiment_by_suite_run ON experiment(suite_run_id)",
    "CREATE TABLE watch( id INTEGER PRIMARY KEY AUTOINCREMENT, experiment_id INTEGER NOT NULL UNIQUE"
    "  REFERENCES experiment(id) ON DELETE CASCADE, name TEXT NOT NULL, folder TEXT NOT NULL, cpus "
    "TEXT, provision TEXT, release TEXT, attempts INTEGER NOT NULL, retry_ns INTEGER NOT NULL, "
    "start_utc_ns INTEGER NOT NULL, every_ns INTEGER NOT NULL, per_hour REAL NOT NULL, batch_size "
    "INTEGER NOT NULL, rule TEXT NOT NULL, statistic TEXT NOT NULL, error REAL NOT NULL, confidence "
    "REAL NOT NULL, replicates INTEGER NOT NULL, metric_id INTEGER NOT NULL REFERENCES metric(id), "
    "pattern TEXT, intervals_max INTEGER, next_batch INTEGER NOT NULL, open_batch INTEGER, stopped "
    "INTEGER NOT NULL, result REAL, result_points INTEGER, stop_points INTEGER, stop_low REAL, "
    "stop_high REAL) STRICT",
    "CREATE INDEX watch_by_name ON watch(name)",
    "CREATE TABLE dataset( experiment_id INTEGER PRIMARY KEY REFERENCES experiment(id) ON DELETE "
    "CASCADE, paired INTEGER NOT NULL, benchmarks INTEGER NOT NULL, environments INTEGER NOT NULL, "
    "trials INTEGER NOT NULL, iterations INTEGER NOT NULL, rows_read INTEGER NOT NULL, rows_filtered "
    "INTEGER NOT NULL, values_missing INTEGER NOT NULL) STRICT",
    "CREATE TABLE trial( id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL REFERENCES "
    "experiment(id) ON DELETE CASCADE, benchmark TEXT NOT NULL, environment TEXT NOT NULL, instance "
    "TEXT NOT NULL, trial TEXT NOT NULL, iterations INTEGER NOT NULL, new_values BLOB NOT NULL, "
    "old_values BLOB) STRICT",
    "CREATE INDEX trial_by_experiment ON trial(experiment_id)",
    "CREATE TABLE family( id INTEGER PRIMARY KEY AUTOINCREMENT, multiplicity TEXT NOT NULL, "
    "confidence REAL NOT NULL) STRICT",
    "CREATE INDEX experiment_by_family ON experiment(family_id)",
    "CREATE TABLE resumption( experiment_id INTEGER NOT NULL REFERENCES experiment(id) ON DELETE "
    "CASCADE, idx INTEGER NOT NULL, resumed_utc_ms INTEGER NOT NULL, PRIMARY KEY(experiment_id, idx))"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE revision( experiment_id INTEGER NOT NULL REFERENCES experiment(id) ON DELETE "
    "CASCADE, side INTEGER NOT NULL, repository TEXT, commit_hash TEXT NOT NULL, tree_hash TEXT NOT "
    "NULL, committed_utc_ms INTEGER, subject TEXT, changed INTEGER NOT NULL, PRIMARY "
    "KEY(experiment_id, side)) STRICT, WITHOUT ROWID",
    "CREATE INDEX revision_by_commit ON revision(commit_hash)",
    "CREATE TABLE baseline( name TEXT NOT NULL, experiment_id INTEGER NOT NULL REFERENCES "
    "experiment(id) ON DELETE CASCADE, saved_utc_ms INTEGER NOT NULL, PRIMARY KEY(name, "
    "experiment_id)) STRICT, WITHOUT ROWID",
    "CREATE INDEX baseline_by_experiment ON baseline(experiment_id)",
    "CREATE TABLE companion( experiment_id INTEGER PRIMARY KEY REFERENCES experiment(id) ON DELETE "
    "CASCADE, of_experiment_id INTEGER NOT NULL REFERENCES experiment(id) ON DELETE CASCADE, role "
    "TEXT NOT NULL CHECK(role IN ('control', 'confirmation'))) STRICT",
    "CREATE INDEX companion_by_experiment ON companion(of_experiment_id)",
    "CREATE TABLE acceptance( experiment_id INTEGER PRIMARY KEY REFERENCES experiment(id) ON DELETE "
    "CASCADE, slowdown REAL NOT NULL, until TEXT NOT NULL, reason TEXT NOT NULL) STRICT",
    "CREATE INDEX experiment_by_region ON experiment(region_of)",
    "INSERT INTO metric(id, name, unit, direction) VALUES (1, 'time', 'ns', 'lower'), (2, 'cpu_time', "
    "'ns', 'lower')",
    "CREATE VIEW observations AS SELECT r.experiment_id, r.environment_id, r.id AS run_id, r.idx AS "
    "run, r.block, CASE i.side WHEN 0 THEN 'old' ELSE 'new' END AS side, i.idx AS iteration, 'time' "
    "AS metric, 'ns' AS unit, CAST(i.end_ns - i.start_ns AS REAL) / i.operations AS value FROM "
    "iteration AS i JOIN run AS r ON r.id = i.run_id WHERE i.filler = 0 UNION ALL SELECT "
    "r.experiment_id, r.environment_id, r.id, r.idx, r.block, CASE i.side WHEN 0 THEN 'old' ELSE "
    "'new' END, i.idx, 'cpu_time', 'ns', CAST(i.cpu_ns AS REAL) / i.operations FROM iteration AS i "
    "JOIN run AS r ON r.id = i.run_id WHERE i.filler = 0 AND i.cpu_ns IS NOT NULL UNION ALL SELECT "
    "r.experiment_id, r.environment_id, r.id, r.idx, r.block, CASE o.side WHEN 0 THEN 'old' ELSE "
    "'new' END, o.idx, m.name, m.unit, o.value FROM observation AS o JOIN run AS r ON r.id = o.run_id"
    " JOIN metric AS m ON m.id = o.metric_id",
    "CREATE VIEW experiments AS SELECT e.id AS experiment_id, e.uuid, e.name, ifnull(e.benchmark, "
    "e.name) AS benchmark, u.name AS suite, e.state, e.schedule, datetime(e.started_utc_ms / 1000.0, "
    "'unixepoch') AS started_utc, datetime(e.ended_utc_ms / 1000.0, 'unixepoch') AS ended_utc, "
    "(SELECT count(*) FROM run AS r WHERE r.experiment_id = e.id AND r.schedule = e.schedule) AS "
    "runs, e.warmup, e.seed, o.command AS old_command, n.command AS new_command, p.commit_hash AS "
    "old_commit, q.commit_hash AS new_commit, i.uuid AS machine, v.host_name, v.cpu_model, "
    "v.num_cpus, v.kernel, e.duet_version, e.region_of, e.merged_utc_ms IS NOT NULL AS merged FROM "
    "experiment AS e LEFT JOIN suite_run AS u ON u.id = e.suite_run_id LEFT JOIN side AS o ON "
    "o.experiment_id = e.id AND o.side = 0 LEFT JOIN side AS n ON n.experiment_id = e.id AND n.side ="
    " 1 LEFT JOIN revision AS p ON p.experiment_id = e.id AND p.side = 0 LEFT JOIN revision AS q ON "
    "q.experiment_id = e.id AND q.side = 1 LEFT JOIN environment AS v ON v.id = (SELECT max(id) FROM "
    "environment WHERE experiment_id = e.id) LEFT JOIN instance AS i ON i.id = v.instance_id",
    "CREATE VIEW comparisons AS SELECT e.experiment_id, e.name, e.benchmark, e.suite, c.metric, "
    "c.schedule, c.verdict, 100 * (c.ratio - 1) AS change_pct, 100 * (c.low - 1) AS low_pct, 100 * "
    "(c.high - 1) AS high_pct, c.ratio, c.low, c.high, c.confidence, c.interval_method, c.estimator, "
    "c.runs, c.iterations, o.mean_ns AS old_mean_ns, o.sd_ns AS old_sd_ns, o.median_ns AS "
    "old_median_ns, n.mean_ns AS new_mean_ns, n.sd_ns AS new_sd_ns, n.median_ns AS new_median_ns, "
    "e.started_utc, e.old_command, e.new_command, e.old_commit, e.new_commit, e.machine, e.host_name,"
    " e.cpu_model FROM comparison AS c JOIN experiments AS e ON e.experiment_id = c.experiment_id "
    "LEFT JOIN comparison_side AS o ON o.comparison_id = c.id AND o.side = 0 LEFT JOIN "
    "comparison_side AS n ON n.comparison_id = c.id AND n.side = 1 WHERE c.baseline_id IS NULL",
    "CREATE VIEW benchmarks AS SELECT b.benchmark, b.experiments, b.first_utc, b.last_utc, "
    "b.last_experiment_id, c.verdict AS last_verdict, 100 * (c.ratio - 1) AS last_change_pct FROM "
    "(SELECT benchmark, count(*) AS experiments, min(started_utc) AS first_utc, max(started_utc) AS "
    "last_utc, max(experiment_id) AS last_experiment_id FROM experiments GROUP BY benchmark) AS b "
    "LEFT JOIN comparison AS c ON c.id = (SELECT max(id) FROM comparison WHERE experiment_id = "
    "b.last_experiment_id AND baseline_id IS NULL)",
    "CREATE VIEW runs AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, CASE s.side "
    "WHEN 0 THEN 'old' ELSE 'new' END AS side, s.position, s.cpu, r.schedule, r.mode, "
    "datetime(r.started_utc_ms / 1000.0, 'unixepoch') AS started_utc, (r.ended_ns - r.started_ns) / "
    "1e9 AS took_s, s.iterations, s.exit_status, s.peak_memory_bytes, s.cycles, s.instructions, "
    "s.cache_misses, s.branch_misses, i.uuid AS machine, v.host_name, v.cpu_model FROM run AS r JOIN "
    "run_side AS s ON s.run_id = r.id LEFT JOIN environment AS v ON v.id = r.environment_id LEFT JOIN"
    " instance AS i ON i.id = v.instance_id",
    "CREATE VIEW iterations AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, CASE "
    "t.side WHEN 0 THEN 'old' ELSE 'new' END AS side, t.idx AS iteration, t.idx < e.warmup AND r.mode"
    " = 'harness' AS warmup, (t.end_ns - t.start_ns) * 1.0 / t.operations AS time_ns, t.operations, "
    "t.start_ns, t.cpu_ns, t.user_ns, t.system_ns, t.taken_ns, t.voluntary_switches, "
    "t.involuntary_switches, t.minor_faults, t.major_faults, t.cpu, t.exit_status FROM iteration AS t"
    " JOIN run AS r ON r.id = t.run_id JOIN experiment AS e ON e.id = r.experiment_id WHERE t.filler "
    "= 0 UNION ALL SELECT r.experiment_id, r.id, r.idx, r.block, CASE b.side WHEN 0 THEN 'old' ELSE "
    "'new' END, b.idx, 0, b.value, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL FROM observation AS b JOIN run AS r ON r.id = b.run_id WHERE b.metric_id = 1",
    "CREATE VIEW pairs AS SELECT r.experiment_id, r.id AS run_id, r.idx AS run, r.block, o.idx AS "
    "iteration, o.idx < e.warmup AND r.mode = 'harness' AS warmup, (o.end_ns - o.start_ns) * 1.0 / "
    "o.operations AS old_ns, (n.end_ns - n.start_ns) * 1.0 / n.operations AS new_ns, ((n.end_ns - "
    "n.start_ns) * 1.0 / n.operations) / ((o.end_ns - o.start_ns) * 1.0 / o.operations) AS ratio FROM"
    " run AS r JOIN experiment AS e ON e.id = r.experiment_id JOIN iteration AS o ON o.run_id = r.id "
    "AND o.side = 0 AND o.filler = 0 JOIN iteration AS n ON n.run_id = r.id AND n.side = 1 AND "
    "n.filler = 0 AND n.idx = o.idx WHERE r.schedule IN ('duet', 'timeslice')",
    NULL};

const struct store_migration *store_schema_whole(void)
{
    static const struct store_migration whole = {"all tables", tables};
    return &whole;
}
