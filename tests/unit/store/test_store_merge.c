// labels: soakvalgrind
/* Stores that are merged: each experiment once, with all that belongs to it, and what
 * is wrong with a store leaves the other one as it was. */
#include "store/store_baseline.h"
#include "store/store_companion.h"
#include "store/store_merge.h"
#include "store/store_resume.h"
#include "store/store_watch.h"

#include "support/alloc_fail.h"

#include "store_fixture.h"

static char from_path[512];

static struct store *open_from(void)
{
    struct store *store = NULL;
    (void)snprintf(from_path, sizeof from_path, "%s/from.db", fixture_folder);
    assert_ok(store_open(from_path, true, &store, &fixture_error));
    return store;
}

static int64_t measure_on(struct store *store, const char *uuid, uint64_t runs,
                          enum store_state state)
{
    struct model_plan plan = fixture_plan();
    struct model_host host = fixture_host();
    int64_t experiment = 0;
    (void)snprintf(host.uuid, sizeof host.uuid, "%s", uuid);
    assert_ok(store_experiment_begin(store, &plan, &host, &fixture_load, "0.1.0",
                                     &experiment, &fixture_error));
    struct model_sink sink = store_sink(store, experiment);
    for (uint64_t i = 0; i < runs; i++) {
        assert_ok(fixture_save_run(sink, i, 5));
    }
    assert_ok(store_experiment_end(store, experiment, state, &fixture_load, NULL,
                                   &fixture_error));
    return experiment;
}

static const char here[] = "11111111-3b1f-5d1c-8f00-0123456789ab";
static const char there[] = "22222222-3b1f-5d1c-8f00-0123456789ab";

static struct store_merged merge(struct store *store)
{
    struct store_merged merged = {.added = 99};
    assert_ok(store_merge(store, from_path, NULL, 0, &merged, &fixture_error));
    return merged;
}

static void expect(struct store_merged merged, uint64_t added, uint64_t grown,
                   uint64_t known, uint64_t measured)
{
    assert_int_equal(merged.added, added);
    assert_int_equal(merged.grown, grown);
    assert_int_equal(merged.known, known);
    assert_int_equal(merged.measured, measured);
}

static void expect_whole(void)
{
    assert_int_equal(
        fixture_number(
            fixture_path,
            "SELECT (SELECT count(*) FROM pragma_foreign_key_check) + (SELECT "
            "integrity_check <> 'ok' FROM pragma_integrity_check)"),
        0);
}

/* All rows of both stores, without the numbers that merging gives anew. */
static void expect_same_rows(const char *sql)
{
    char *theirs = fixture_text(from_path, sql);
    fixture_expect_text(sql, theirs);
    assert_true(strlen(theirs) > 0);
    free(theirs);
}

static void test_each_experiment_once(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    (void)measure_on(store, here, 2, STORE_DONE);
    (void)measure_on(from, there, 3, STORE_DONE);
    (void)measure_on(from, here, 1, STORE_DONE);
    expect(merge(store), 2, 0, 0, 0);
    expect(merge(store), 0, 0, 2, 0);
    (void)measure_on(from, there, 1, STORE_DONE);
    expect(merge(store), 1, 0, 2, 0);
    expect_whole();
    fixture_expect_text("SELECT group_concat(id) FROM experiment", "1,2,3,4");
    fixture_expect_text("SELECT group_concat(merged_utc_ms IS NULL) FROM experiment",
                        "1,0,0,0");
    /* Two machines, of which each experiment keeps its own. */
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM instance"), 2);
    fixture_expect_text("SELECT group_concat(substr(machine, 1, 4)) FROM experiments",
                        "1111,2222,1111,2222");
    static const char runs[] =
        "SELECT group_concat(x) FROM (SELECT e.uuid || r.uuid || r.idx || s.side || "
        "s.iterations || sum(i.end_ns - i.start_ns) AS x FROM experiment AS e JOIN run "
        "AS r ON r.experiment_id = e.id JOIN run_side AS s ON s.run_id = r.id JOIN "
        "iteration AS i ON i.run_id = r.id AND i.side = s.side WHERE e.uuid NOT IN "
        "(SELECT uuid FROM experiment WHERE id = 1 AND (SELECT count(*) FROM experiment) "
        "= 4) GROUP BY r.id, s.side ORDER BY e.uuid, r.idx, s.side)";
    expect_same_rows(runs);
    store_close(from);
    store_close(store);
}

/* All tables that have something to do with an experiment. */
static void fill_everything(struct store *from)
{
    int64_t suite = 0;
    int64_t id = 0;
    int64_t ids[4];
    for (int i = 0; i < 4; i++) {
        ids[i] = measure_on(from, there, 2, STORE_DONE);
    }
    assert_ok(
        store_suite_begin(from, "s", "/s", 1, 2, "0.1.0", &suite, &fixture_error));
    assert_ok(store_suite_add(from, suite, ids[0], "a", &fixture_error));
    assert_ok(store_suite_end(from, suite, STORE_DONE, &fixture_error));
    const struct store_family family = {.multiplicity = MODEL_MULTIPLICITY_HOLM,
                                        .confidence = 0.99,
                                        .members = ids,
                                        .count = 2};
    assert_ok(store_family_save(from, &family, &id, &fixture_error));
    assert_ok(
        store_companion_save(from, ids[1], ids[0], MODEL_ROLE_CONTROL, &fixture_error));
    assert_ok(store_acceptance_save(
        from, ids[0],
        &(struct model_acceptance){.limit = 0.1, .until = "2030-01-01", .reason = "r"},
        &fixture_error));
    assert_ok(store_baseline_save(from, "main", ids, 1, &fixture_error));
    const struct model_watch watch = {.name = "w",
                                      .folder = "/",
                                      .rule = "metior",
                                      .statistic = "mean",
                                      .metric = "speed",
                                      .unit = "1/s",
                                      .higher_is_better = true};
    assert_ok(store_watch_begin(from, ids[3], &watch, 1, &id, &fixture_error));
    fixture_sql(
        from_path,
        "INSERT INTO observation SELECT r.id, 1, (SELECT id FROM metric WHERE name = 'speed'), 0, 2.5 FROM run "
        "AS r WHERE experiment_id = 4;"
        "INSERT INTO comparison(id, experiment_id, created_utc_ms, metric, schedule, mode, interval_method, "
        "verdict, runs, iterations, winsorized, estimator) VALUES (7, 1, 0, 'time', '', '', '', 'same', 1, 1, 0, "
        "'');"
        "INSERT INTO comparison_side(comparison_id, side, count) VALUES (7, 0, 5), (7, 1, 6);"
        "INSERT INTO comparison_warning VALUES (7, 0, 'data', 'few');"
        "INSERT INTO dataset VALUES (3, 0, 1, 1, 2, 2, 2, 0, 0);"
        "INSERT INTO trial(id, experiment_id, benchmark, environment, instance, trial, iterations, new_values) "
        "VALUES (20, 3, 'b', '-', 'z', '1', 1, zeroblob(8)), (10, 3, 'b', '-', 'y', '1', 1, zeroblob(8));"
        "INSERT INTO resumption VALUES (1, 1, 5);"
        "INSERT INTO revision VALUES (1, 0, '/r', 'abc', 'def', 1, 's', 0);"
        "UPDATE experiment SET region_of = 1, region = 'part' WHERE id = 2;");
}

/* What the rows of each table say, whatever their numbers are. */
static const char *const contents[] = {
    "SELECT group_concat(e.uuid || u.uuid || u.state) FROM experiment AS e JOIN suite_run AS u ON u.id = "
    "e.suite_run_id",
    "SELECT group_concat(e.name || f.multiplicity || f.confidence) FROM experiment AS e JOIN family AS f ON "
    "f.id = e.family_id",
    "SELECT e.uuid || o.uuid || c.role FROM companion AS c JOIN experiment AS e ON e.id = c.experiment_id "
    "JOIN experiment AS o ON o.id = c.of_experiment_id",
    "SELECT e.uuid || a.slowdown || a.until || a.reason FROM acceptance AS a JOIN experiment AS e ON e.id = "
    "a.experiment_id",
    "SELECT e.uuid || b.name || b.saved_utc_ms FROM baseline AS b JOIN experiment AS e ON e.id = "
    "b.experiment_id",
    "SELECT e.uuid || w.name || w.folder || m.name || m.unit || m.direction FROM watch AS w JOIN experiment "
    "AS e ON e.id = w.experiment_id JOIN metric AS m ON m.id = w.metric_id",
    "SELECT group_concat(r.uuid || o.side || m.name || o.value) FROM observation AS o JOIN run AS r ON r.id = "
    "o.run_id JOIN metric AS m ON m.id = o.metric_id",
    "SELECT group_concat(e.uuid || c.verdict || s.side || s.count || w.text) FROM comparison AS c JOIN "
    "experiment AS e ON e.id = c.experiment_id JOIN comparison_side AS s ON s.comparison_id = c.id JOIN "
    "comparison_warning AS w ON w.comparison_id = c.id",
    "SELECT e.uuid || d.trials FROM dataset AS d JOIN experiment AS e ON e.id = d.experiment_id",
    "SELECT group_concat(instance) FROM (SELECT instance FROM trial ORDER BY id)",
    "SELECT e.uuid || s.idx || s.resumed_utc_ms FROM resumption AS s JOIN experiment AS e ON e.id = "
    "s.experiment_id",
    "SELECT e.uuid || r.commit_hash || r.subject FROM revision AS r JOIN experiment AS e ON e.id = "
    "r.experiment_id",
    "SELECT e.uuid || e.region || o.uuid FROM experiment AS e JOIN experiment AS o ON o.id = e.region_of",
    "SELECT group_concat(e.uuid || v.host_name || i.uuid || l.moment || l.load_avg_1) FROM experiment AS e "
    "JOIN environment AS v ON v.experiment_id = e.id JOIN instance AS i ON i.id = v.instance_id JOIN "
    "environment_load AS l ON l.environment_id = v.id",
    "SELECT group_concat(e.uuid || s.side || s.command || s.argv) FROM side AS s JOIN experiment AS e ON e.id "
    "= s.experiment_id",
};

static void test_everything_comes_along(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    fill_everything(from);
    expect(merge(store), 3, 0, 0, 0); /* the region is not counted */
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        expect_same_rows(contents[i]);
    }
    expect_whole();
    expect(merge(store), 0, 0, 3, 0);
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        expect_same_rows(contents[i]);
    }
    /* No table that refers to another one was forgotten: each has rows. */
    char *empty = fixture_text(
        fixture_path,
        "SELECT ifnull(group_concat(name), '') FROM sqlite_sequence WHERE seq = 0");
    assert_string_equal(empty, "");
    free(empty);
    static const char tables[] =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    assert_int_equal(fixture_number(fixture_path, tables), 23);
    store_close(from);
    store_close(store);
}

/* An experiment that went on after it was merged, and one that is not resumed here. */
static void test_what_has_grown(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    int64_t id = measure_on(from, there, 1, STORE_INTERRUPTED);
    expect(merge(store), 1, 0, 0, 0);
    fixture_sql(
        fixture_path,
        "INSERT INTO comparison(experiment_id, created_utc_ms, metric, schedule, mode, interval_method, "
        "verdict, runs, iterations, winsorized, estimator) VALUES (1, 0, 'time', '', '', '', 'same', 1, "
        "1, 0, '')");
    struct store_experiment unfinished = {0};
    assert_int_equal(store_unfinished_find(store, NULL, &unfinished, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_unfinished_find(store, "1", &unfinished, &fixture_error),
                     DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "resume it there"));

    assert_ok(store_experiment_resume(from, id, &fixture_load, &fixture_error));
    struct model_sink sink = store_sink(from, id);
    assert_ok(fixture_save_run(sink, 1, 5));
    assert_ok(store_experiment_end(from, id, STORE_DONE, &fixture_load, NULL,
                                   &fixture_error));
    expect(merge(store), 0, 1, 0, 0);
    expect(merge(store), 0, 0, 1, 0);
    fixture_expect_text(
        "SELECT state || count(r.id) FROM experiment AS e JOIN run AS r ON "
        "r.experiment_id = e.id",
        "done2");
    fixture_expect_text("SELECT count(*) FROM resumption", "1");
    fixture_expect_text("SELECT count(*) FROM comparison", "0");
    fixture_expect_text("SELECT count(*) FROM environment", "1");
    expect_whole();
    store_close(from);
    store_close(store);
}

static void test_what_is_measured_is_left_out(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    int64_t running = 0;
    struct model_plan plan = fixture_plan();
    (void)measure_on(from, there, 1, STORE_DONE);
    assert_ok(store_experiment_begin(from, &plan, NULL, NULL, NULL, &running,
                                     &fixture_error));
    expect(merge(store), 1, 0, 0, 1);
    assert_ok(
        store_experiment_end(from, running, STORE_DONE, NULL, NULL, &fixture_error));
    expect(merge(store), 1, 0, 1, 0);
    store_close(from);
    store_close(store);
}

/* Names that both have. */
static void test_names(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    int64_t mine = measure_on(store, here, 1, STORE_DONE);
    int64_t theirs = measure_on(from, there, 1, STORE_DONE);
    assert_ok(store_baseline_save(store, "main", &mine, 1, &fixture_error));
    assert_ok(store_baseline_save(from, "main", &theirs, 1, &fixture_error));
    assert_ok(store_baseline_save(from, "other", &theirs, 1, &fixture_error));
    fixture_sql(
        fixture_path,
        "INSERT INTO metric(name, unit, direction) VALUES('size', 'B', 'lower')");
    fixture_sql(
        from_path,
        "INSERT INTO metric(name, unit, direction) VALUES('size', 'kB', 'lower');"
        "INSERT INTO observation SELECT id, 1, 3, 0, 1.5 FROM run");
    expect(merge(store), 1, 0, 0, 0);
    expect(merge(store), 0, 0, 1, 0);
    fixture_expect_text("SELECT group_concat(name || experiment_id) FROM baseline",
                        "main1,other2");
    fixture_expect_text("SELECT DISTINCT metric || unit FROM observations WHERE metric "
                        "LIKE 'size%'",
                        "size (kB, lower is better)kB");
    store_close(from);
    store_close(store);
}

/* Members of a family that come later join it, and are judged anew. */
static void test_families(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    int64_t ids[2] = {measure_on(from, there, 1, STORE_DONE), 0};
    struct store_family family = {.multiplicity = MODEL_MULTIPLICITY_HOLM,
                                  .confidence = 0.99,
                                  .members = ids,
                                  .count = 1};
    int64_t id = 0;
    expect(merge(store), 1, 0, 0, 0);
    ids[1] = measure_on(from, there, 1, STORE_DONE);
    family.count = 2;
    assert_ok(store_family_save(from, &family, &id, &fixture_error));
    expect(merge(store), 1, 0, 1, 0);
    fixture_expect_text("SELECT count(*) || count(DISTINCT family_id) FROM experiment "
                        "WHERE family_id IS NOT NULL",
                        "21");
    expect_whole();
    store_close(from);
    store_close(store);
}

static void test_what_cannot_be_merged(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    struct store_merged merged = {.added = 99};
    (void)measure_on(from, there, 2, STORE_DONE);
    store_close(from);
    assert_int_equal(store_merge(store, fixture_path, NULL, 0, &merged, &fixture_error),
                     DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "into itself"));
    fixture_sql(from_path, "DELETE FROM environment");
    assert_int_equal(store_merge(store, from_path, NULL, 0, &merged, &fixture_error),
                     DUET_E_FORMAT);
    assert_non_null(strstr(fixture_error.message, "from.db' is damaged"));
    assert_non_null(strstr(fixture_error.message, "duet store check"));
    fixture_write(from_path, "this is no database, but it is long enough to be one");
    assert_int_equal(store_merge(store, from_path, NULL, 0, &merged, &fixture_error),
                     DUET_E_FORMAT);
    assert_int_equal(remove(from_path), 0);
    assert_int_equal(store_merge(store, from_path, NULL, 0, &merged, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(merged.added, 99);
    /* It is as it was, and works. */
    (void)measure_on(store, here, 1, STORE_DONE);
    fixture_expect_text("SELECT count(*) FROM experiment", "1");
    fixture_expect_text("SELECT count(*) FROM instance", "1");
    store_close(store);
}

/* A part of a store, into a file that there is not yet, then again. */
static void test_export(void **state)
{
    (void)state;
    char path[512];
    struct store *store = fixture_open();
    int64_t ids[] = {measure_on(store, here, 1, STORE_DONE),
                     measure_on(store, here, 2, STORE_DONE)};
    (void)snprintf(path, sizeof path, "%s/artifact.db", fixture_folder);
    assert_ok(store_export(store, ids + 1, 1, path, &fixture_error));
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM run"), 2);
    char *mode = fixture_text(path, "PRAGMA journal_mode");
    assert_string_equal(mode, "delete");
    free(mode);
    assert_ok(store_export(store, ids, 2, path, &fixture_error));
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM run"), 3);
    assert_int_equal(store_export(store, ids, 2, fixture_path, &fixture_error),
                     DUET_E_USAGE);
    /* Of a store without a file. */
    struct store *scratch = NULL;
    assert_ok(store_open_scratch(&scratch, &fixture_error));
    int64_t id = measure_on(scratch, here, 4, STORE_DONE);
    assert_ok(store_export(scratch, &id, 1, path, &fixture_error));
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM run"), 7);
    store_close(scratch);
    store_close(store);
}

static void test_copy(void **state)
{
    (void)state;
    char path[512];
    struct store *store = fixture_open();
    struct store *copy = NULL;
    (void)measure_on(store, here, 3, STORE_DONE);
    (void)snprintf(path, sizeof path, "%s/copy.db", fixture_folder);
    assert_ok(store_copy(store, path, &fixture_error));
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM run"), 3);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(store_copy(store, path, &fixture_error), DUET_E_USAGE);
    assert_non_null(strstr(fixture_error.message, "is there already"));
    assert_ok(store_open(path, false, &copy, &fixture_error));
    store_close(copy);
    (void)snprintf(path, sizeof path, "%s/no/copy.db", fixture_folder);
    assert_int_equal(store_copy(store, path, &fixture_error), DUET_E_NOT_FOUND);
    store_close(store);
}

static void test_allocations(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct store *from = open_from();
    struct store_merged merged = {.added = 0};
    (void)measure_on(from, there, 2, STORE_DONE);
    store_close(from);
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    while (code != DUET_OK) {
        alloc_fail_at(++n);
        code = store_merge(store, from_path, NULL, 0, &merged, &fixture_error);
        bool failed = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        assert_int_equal(code, failed ? DUET_E_NOMEM : DUET_OK);
        fixture_expect_text("SELECT count(*) FROM experiment", failed ? "0" : "1");
    }
    assert_true(n > 10);
    store_close(store);
}

static int64_t count_companions(struct store *store)
{
    bool row = false;
    int64_t count = 0;
    struct store_query query =
        store_ask(store, "counting",
                  "SELECT count(*) FROM companion AS c JOIN experiment AS e ON e.id = "
                  "c.experiment_id JOIN experiment AS m ON m.id = c.of_experiment_id "
                  "WHERE e.id <> m.id AND c.role = 'control'");
    assert_ok(store_fetch_int(&query, &row, &count, &fixture_error));
    return count;
}

/* A control ends before its experiment, and is not measured again with that. */
static void test_control_of_one_that_is_measured(void **state)
{
    (void)state;
    struct store *from = open_from();
    struct store *store = fixture_open();
    struct store *measuring = open_from();
    int64_t whole = fixture_begin(measuring);
    int64_t control = measure_on(from, here, 2, STORE_DONE);
    assert_ok(
        store_companion_save(from, control, whole, MODEL_ROLE_CONTROL, &fixture_error));
    expect(merge(store), 0, 0, 0, 1);
    assert_ok(
        store_experiment_end(measuring, whole, STORE_DONE, NULL, NULL, &fixture_error));
    expect(merge(store), 2, 0, 0, 0);
    assert_int_equal(count_companions(store), 1);
    store_close(measuring);
    store_close(store);
    store_close(from);
}

/* One that came alone is its control as soon as both are there. */
static void test_control_that_came_alone(void **state)
{
    (void)state;
    struct store *from = open_from();
    struct store *store = fixture_open();
    struct store_merged merged = {.added = 0};
    int64_t whole = measure_on(from, here, 2, STORE_DONE);
    int64_t control = measure_on(from, here, 2, STORE_DONE);
    assert_ok(
        store_companion_save(from, control, whole, MODEL_ROLE_CONTROL, &fixture_error));
    assert_ok(store_merge(store, from_path, &control, 1, &merged, &fixture_error));
    assert_int_equal(count_companions(store), 0);
    expect(merge(store), 1, 0, 1, 0);
    assert_int_equal(count_companions(store), 1);
    expect(merge(store), 0, 0, 2, 0);
    assert_int_equal(count_companions(store), 1);
    store_close(store);
    store_close(from);
}

/* What somebody else has made of a copy of this store. */
static void copy_as_theirs(struct store *store)
{
    (void)snprintf(from_path, sizeof from_path, "%s/from.db", fixture_folder);
    assert_ok(store_copy(store, from_path, &fixture_error));
}

/* Who resumes a watch that began here executes what it began with. */
static void test_a_watch_keeps_its_commands(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = 0;
    int64_t watched = measure_on(store, here, 2, STORE_INTERRUPTED);
    (void)measure_on(store, here, 1, STORE_INTERRUPTED); /* none */
    const struct model_watch watch = {.name = "w",
                                      .folder = "/",
                                      .provision = "mine",
                                      .rule = "metior",
                                      .statistic = "mean",
                                      .metric = "speed",
                                      .unit = "1/s",
                                      .higher_is_better = true};
    assert_ok(store_watch_begin(store, watched, &watch, 1, &id, &fixture_error));
    copy_as_theirs(store);
    fixture_sql(
        from_path,
        "UPDATE watch SET provision = 'theirs', release = 'theirs', folder = '/theirs', pattern = 'theirs', "
        "next_batch = 7, stopped = 1;"
        "INSERT INTO watch(experiment_id, name, folder, provision, attempts, retry_ns, start_utc_ns, every_ns, "
        "per_hour, batch_size, rule, statistic, error, confidence, replicates, metric_id, next_batch, stopped) "
        "SELECT 2, name, folder, provision, attempts, retry_ns, start_utc_ns, every_ns, per_hour, batch_size, rule, "
        "statistic, error, confidence, replicates, metric_id, next_batch, stopped FROM watch;"
        "UPDATE experiment SET ended_utc_ms = ended_utc_ms + 1000");
    expect(merge(store), 0, 2, 0, 0);
    fixture_expect_text("SELECT count(*) FROM watch", "1");
    fixture_expect_text("SELECT provision || folder || ifnull(release, '-') || "
                        "ifnull(pattern, '-') || next_batch || stopped FROM watch",
                        "mine/--71");
    expect_whole();
    store_close(store);
}

/* Removing that one would remove it, too. */
static void test_what_was_measured_here_is_no_ones_control(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t mine = measure_on(store, here, 2, STORE_DONE);
    copy_as_theirs(store);
    struct store *from = open_from();
    int64_t theirs = measure_on(from, there, 2, STORE_DONE);
    assert_ok(
        store_companion_save(from, mine, theirs, MODEL_ROLE_CONTROL, &fixture_error));
    expect(merge(store), 1, 0, 1, 0);
    assert_int_equal(count_companions(store), 0);
    store_close(from);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_watch_keeps_its_commands, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_was_measured_here_is_no_ones_control,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_each_experiment_once, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_everything_comes_along, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_has_grown, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_measured_is_left_out,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_control_of_one_that_is_measured,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_control_that_came_alone, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_names, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_families, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_merged, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_export, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_copy, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_allocations, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
