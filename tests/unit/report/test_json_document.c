// labels: soakvalgrind
/* Writes documents for check_schema.py as well. */
#include "unit/report/report_samples.h"

#include "support/alloc_fail.h"

#include <jansson.h>
#include <sys/stat.h>

static struct model_host host(void)
{
    return (struct model_host){.uuid = "6fb1c0de-0000-4000-8000-000000000001",
                               .host_name = "bench-1",
                               .os = "Debian GNU/Linux 12 (bookworm)",
                               .kernel = "6.1.0-18-amd64",
                               .arch = "x86_64",
                               .cpu_model = "Some CPU @ 2.50GHz",
                               .hypervisor = "kvm",
                               .clock_source = "tsc",
                               .governor = "",
                               .num_cpus = 2,
                               .num_cores = 2,
                               .smt = 1,
                               .turbo = -1,
                               .cpu_quota = (double)NAN,
                               .memory_bytes = 8e9};
}

static json_t *make_context(uint64_t seed)
{
    struct model_host machine = host();
    struct model_host_load load = {.load_avg = {0.1, 0.2, (double)NAN}};
    struct report_context context = {.host = &machine,
                                     .load_before = &load,
                                     .date_utc = "2024-05-01T12:00:00Z",
                                     .duet_version = "0.1.0",
                                     .seed = seed,
                                     .steal_pct = 1.25};
    return report_json_context(&context);
}

static struct model_iteration iteration(uint64_t index, uint64_t start_ns,
                                        uint64_t elapsed_ns, uint32_t flags)
{
    return (struct model_iteration){.index = index,
                                    .start_ns = start_ns,
                                    .end_ns = start_ns + elapsed_ns,
                                    .cpu_ns = elapsed_ns - 5,
                                    .user_ns = elapsed_ns - 10,
                                    .system_ns = 5,
                                    .voluntary_switches = 1,
                                    .cpu = 1,
                                    .flags = flags};
}

/* A run whose new side has a filler between its two observations, and whose old side
 * has a third that new lacks. */
struct source {
    size_t asked[1 + MODEL_SIDES]; /* runs, then iterations */
    struct model_run run;
    enum duet_code code; /* of the second iteration */
};

static enum duet_code restart(void *context, struct duet_error *reterr)
{
    (void)reterr;
    ((struct source *)context)->asked[MODEL_SIDES] = 0;
    return DUET_OK;
}

static enum duet_code next_run(void *context, struct model_run *ret_run, bool *ret_more,
                               struct duet_error *reterr)
{
    struct source *source = context;
    (void)reterr;
    *ret_run = source->run;
    *ret_more = source->asked[MODEL_SIDES]++ == 0;
    return DUET_OK;
}

static enum duet_code restart_side(void *context, enum model_side side,
                                   struct duet_error *reterr)
{
    (void)reterr;
    ((struct source *)context)->asked[side] = 0;
    return DUET_OK;
}

static enum duet_code next_iteration(void *context, enum model_side side,
                                     struct model_iteration *ret_iteration,
                                     bool *ret_more, struct duet_error *reterr)
{
    const struct model_iteration iterations[MODEL_SIDES][3] = {
        {iteration(0, 1000, 50, MODEL_ITERATION_SLEPT | MODEL_ITERATION_SECOND),
         iteration(1, 2000, 60, MODEL_ITERATION_NO_USAGE),
         iteration(2, 3000, 70,
                   MODEL_ITERATION_PREEMPTED | MODEL_ITERATION_CPU_CHANGED)},
        {iteration(0, 1100, 55, 0), iteration(0, 1200, 40, MODEL_ITERATION_FILLER),
         iteration(1, 1900, 65, 0)}};
    struct source *source = context;
    size_t at = source->asked[side]++;
    if (at == 1 && source->code != DUET_OK) {
        return error_set(reterr, source->code, "no second iteration");
    }
    *ret_more = at < 3;
    if (*ret_more) {
        *ret_iteration = iterations[side][at];
    }
    return DUET_OK;
}

static struct source source_of(enum model_schedule schedule)
{
    return (struct source){
        .run = {.index = 3,
                .block = 1,
                .schedule = schedule,
                .mode = MODEL_MODE_HARNESS,
                .started_utc_ms = 1714564800123,
                .started_ns = 900,
                .ended_ns = 4000,
                .sides = {{.position = 1, .cpu = 5}, {.position = 0, .cpu = 4}},
                .slice_ns = (double)NAN}};
}

static void write_experiment(struct json_writer *writer, struct source *source,
                             const char *old_command)
{
    const char *const commands[MODEL_SIDES] = {old_command, "./new"};
    const struct report_json_source asked = {source, restart, next_run, restart_side,
                                             next_iteration};
    report_json_experiment(writer, "compress", source->run.schedule, commands, &asked);
}

static void write_results(struct json_writer *writer, const char *key)
{
    const struct model_time items[] = {{.ns = 1.5e9}, {.ns = 1.25e9, .exit_status = 3}};
    struct spool times = {.item_bytes = sizeof items[0], .most = 1}; /* one in a file */
    struct model_summary summary = sample_summary(1.375e9, 1e8);
    json_writer_array(writer, key);
    struct duet_error error;
    if (json_writer_check(writer, spool_add(&times, items, 2, &error), &error)) {
        report_json_result(writer, "./old", "old one", &summary, &times);
        summary.sd_ns = (double)NAN;
        report_json_result(writer, "./new", NULL, &summary, &times);
    }
    spool_release(&times);
    json_writer_end(writer);
}

static void write_document_of(struct json_writer *writer, enum model_schedule schedule,
                              const char *old_command)
{
    struct source source = source_of(schedule);
    struct model_comparison first = sample_slower();
    struct model_comparison second = sample_few();
    first.schedule = schedule;
    sample_everything_asked(&first);
    (void)snprintf(first.side_names[MODEL_OLD], sizeof first.side_names[MODEL_OLD],
                   "%s", old_command);
    model_comparison_warn(&first, MODEL_WARNING_MACHINE, "steal of 6.2 %%");
    report_json_begin(writer, make_context(42));
    write_results(writer, "results");
    json_writer_array(writer, "experiments");
    write_experiment(writer, &source, old_command);
    json_writer_end(writer);
    json_writer_array(writer, "comparisons");
    json_writer_value(writer, NULL, report_json_comparison(&first));
    json_writer_value(writer, NULL, report_json_comparison(&second));
    json_writer_end(writer);
    json_writer_end(writer);
}

static enum duet_code keep(void *context, const char *bytes, size_t length,
                           struct duet_error *reterr)
{
    text_append_n(context, bytes, length);
    return text_failed(context) ? error_set(reterr, DUET_E_NOMEM, "no room") : DUET_OK;
}

static json_t *loaded(struct text *text)
{
    json_error_t error;
    json_t *value = json_loads(text_string(text), JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    }
    text_release(text);
    return value;
}

static json_t *make_experiment(enum model_schedule schedule, const char *old_command)
{
    struct text text = {0};
    struct json_writer writer = {.write = keep, .context = &text};
    struct source source = source_of(schedule);
    write_experiment(&writer, &source, old_command);
    assert_int_equal(json_writer_finish(&writer, NULL), DUET_OK);
    return loaded(&text);
}

static json_t *make_results(void)
{
    struct text text = {0};
    struct json_writer writer = {.write = keep, .context = &text};
    write_results(&writer, NULL);
    assert_int_equal(json_writer_finish(&writer, NULL), DUET_OK);
    return loaded(&text);
}

static enum duet_code make_document(enum model_schedule schedule,
                                    const char *old_command, struct text *text)
{
    struct json_writer writer = {.write = keep, .context = text};
    write_document_of(&writer, schedule, old_command);
    return json_writer_finish(&writer, NULL);
}

static json_t *at(json_t *array, size_t index)
{
    json_t *item = json_array_get(array, index);
    assert_non_null(item);
    return item;
}

static json_t *in(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value == NULL) {
        fail_msg("no key %s", key);
    }
    return value;
}

static void pairs_are_matched_by_index(void **state)
{
    (void)state;
    json_t *experiment = make_experiment(MODEL_SCHEDULE_DUET, "./old");
    json_t *run = at(in(experiment, "runs"), 0);
    json_t *pairs = in(run, "iterations");
    assert_int_equal(json_array_size(pairs), 3);
    assert_int_equal(json_integer_value(in(at(pairs, 0), "old_ns")), 50);
    assert_int_equal(json_integer_value(in(at(pairs, 0), "new_ns")), 55);
    assert_int_equal(json_integer_value(in(at(pairs, 0), "start_skew_ns")), 100);
    assert_int_equal(json_integer_value(in(at(pairs, 1), "start_skew_ns")), -100);
    assert_int_equal(json_array_size(in(in(at(pairs, 0), "old"), "flags")), 2);
    assert_true(json_is_null(in(in(at(pairs, 1), "old"), "cpu_ns")));
    assert_int_equal(json_integer_value(in(in(at(pairs, 1), "new"), "cpu_ns")), 60);
    /* The third has no partner. */
    assert_int_equal(json_integer_value(in(at(pairs, 2), "old_ns")), 70);
    assert_true(json_is_null(in(at(pairs, 2), "new_ns")));
    assert_true(json_is_null(in(at(pairs, 2), "new")));
    assert_true(json_is_null(in(at(pairs, 2), "start_skew_ns")));

    json_t *fillers = in(run, "fillers");
    assert_int_equal(json_array_size(in(fillers, "old")), 0);
    assert_int_equal(json_array_size(in(fillers, "new")), 1);
    assert_int_equal(json_integer_value(in(at(in(fillers, "new"), 0), "ns")), 40);
    assert_int_equal(json_integer_value(in(run, "cpu_old")), 5);
    assert_int_equal(json_integer_value(in(run, "position_new")), 0);
    assert_true(json_is_null(in(run, "slice_ns")));
    assert_string_equal(
        json_string_value(in(in(in(experiment, "sides"), "old"), "command")), "./old");
    json_decref(experiment);
}

static void unpaired_observations_stand_alone(void **state)
{
    (void)state;
    json_t *experiment = make_experiment(MODEL_SCHEDULE_INTERLEAVED, "./old");
    json_t *sides = in(experiment, "sides");
    assert_int_equal(json_array_size(in(sides, "old")), 3);
    assert_int_equal(json_array_size(in(sides, "new")), 2);
    json_t *last = at(in(sides, "new"), 1);
    assert_int_equal(json_integer_value(in(last, "run")), 3);
    assert_int_equal(json_integer_value(in(last, "iteration")), 1);
    assert_int_equal(json_integer_value(in(last, "ns")), 65);
    assert_null(json_object_get(at(in(experiment, "runs"), 0), "iterations"));
    json_decref(experiment);
}

static void unknown_is_null(void **state)
{
    (void)state;
    struct model_comparison few = sample_few();
    json_t *comparison = report_json_comparison(&few);
    assert_true(json_is_null(in(in(comparison, "interval"), "low")));
    assert_true(json_is_null(in(comparison, "could_have_seen_pct")));
    assert_true(json_is_null(in(comparison, "same_within_pct")));
    assert_true(json_is_real(in(comparison, "ratio")));
    assert_true(json_is_integer(in(comparison, "runs")));
    json_decref(comparison);

    struct report_context nothing = {.steal_pct = (double)NAN, .seed = UINT64_MAX};
    json_t *context = report_json_context(&nothing);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(context, key, value)
    {
        if (!json_is_null(value)) {
            fail_msg("%s of an unknown context is not null", key);
        }
    }
    json_decref(context);

    context = make_context(INT64_MAX);
    assert_true(json_integer_value(in(context, "seed")) == INT64_MAX);
    assert_true(json_is_null(in(context, "governor")));
    assert_true(json_is_null(in(context, "turbo")));
    assert_true(json_is_null(at(in(context, "load_avg"), 2)));
    json_decref(context);
}

static void results_are_hyperfines(void **state)
{
    (void)state;
    json_t *results = make_results();
    json_t *first = at(results, 0);
    assert_true(json_real_value(in(first, "mean")) > 1.374);
    assert_true(json_real_value(at(in(first, "times"), 1)) > 1.249);
    assert_true(json_real_value(at(in(first, "times"), 1)) < 1.251);
    assert_int_equal(json_integer_value(at(in(first, "exit_codes"), 1)), 3);
    assert_int_equal(json_object_size(in(first, "parameters")), 0);
    assert_true(json_is_null(in(at(results, 1), "stddev")));
    assert_int_equal(json_integer_value(at(in(at(results, 1), "exit_codes"), 0)), 0);
    json_decref(results);
}

static void write_document(const char *name, enum model_schedule schedule,
                           const char *old_command)
{
    char path[512];
    (void)mkdir(TEST_BINARY_DIR "/report_json", 0777);
    (void)snprintf(path, sizeof path, TEST_BINARY_DIR "/report_json/%s.json", name);
    struct text text = {0};
    assert_int_equal(make_document(schedule, old_command, &text), DUET_OK);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fputs(text_string(&text), file) < 0 || fclose(file) != 0, 0);
    json_t *document = loaded(&text);
    assert_int_equal(json_integer_value(in(document, "schema_version")), 1);
    json_decref(document);
}

/* Any bytes may stand in a command: the file must still be JSON. */
static void documents_are_written(void **state)
{
    (void)state;
    write_document("duet", MODEL_SCHEDULE_DUET, "./old");
    write_document("timeslice", MODEL_SCHEDULE_TIMESLICE,
                   "printf \"\\\"\" \x01\x1F\t\n");
    write_document("interleaved", MODEL_SCHEDULE_INTERLEAVED, "ill-formed \xFF\xC3 |");
    write_document("sequential", MODEL_SCHEDULE_SEQUENTIAL, "\u202E 漢字");
}

static unsigned long json_calls;
static unsigned long json_fail_at;

static void *failing_malloc(size_t size)
{
    json_calls++;
    return json_calls == json_fail_at ? NULL : malloc(size);
}

static void check_failing(enum model_schedule schedule, const char *whose,
                          unsigned long n)
{
    struct text text = {0};
    if (make_document(schedule, "./old", &text) != DUET_E_NOMEM) {
        fail_msg("%s allocation %lu failed unnoticed", whose, n);
    }
    alloc_fail_at(0);
    text_release(&text);
}

/* Every n-th allocation of jansson, then of our own: it is an error, all is freed. */
static void allocation_failures_are_errors(void **state)
{
    (void)state;
    static const enum model_schedule schedules[] = {MODEL_SCHEDULE_DUET,
                                                    MODEL_SCHEDULE_SEQUENTIAL};
    json_set_alloc_funcs(failing_malloc, free);
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        json_calls = 0;
        json_fail_at = 0;
        alloc_fail_at(0);
        assert_int_equal(make_document(schedules[i], "./old", &text), DUET_OK);
        unsigned long totals[] = {json_calls, alloc_fail_seen()};
        text_release(&text);
        for (unsigned long n = 1; n <= totals[0]; n++) {
            json_calls = 0;
            json_fail_at = n;
            check_failing(schedules[i], "jansson's", n);
        }
        json_fail_at = 0;
        for (unsigned long n = 1; n <= totals[1]; n++) {
            alloc_fail_at(n);
            check_failing(schedules[i], "our", n);
        }
    }
    json_set_alloc_funcs(malloc, free);
}

/* The same bytes as jansson's for the whole. */
static void pieces_make_the_whole(void **state)
{
    (void)state;
    struct text text = {0};
    assert_int_equal(make_document(MODEL_SCHEDULE_DUET, "./old", &text), DUET_OK);
    char *written = text_take(&text);
    text_append(&text, written);
    json_t *document = loaded(&text);
    char *whole = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    assert_string_equal(written, whole);
    json_decref(document);
    free(whole);
    free(written);
}

/* A full disk, and a store that cannot be read: the first failure is told. */
static enum duet_code refuse(void *context, const char *bytes, size_t length,
                             struct duet_error *reterr)
{
    (void)context;
    (void)bytes;
    return error_set(reterr, DUET_E_IO, "no space for %zu bytes", length);
}

static void failures_are_told(void **state)
{
    (void)state;
    struct duet_error error = {0};
    struct source source = source_of(MODEL_SCHEDULE_DUET);
    struct json_writer writer = {.write = refuse};
    write_experiment(&writer, &source, "./old");
    assert_int_equal(json_writer_finish(&writer, &error), DUET_E_IO);
    assert_non_null(strstr(error.message, "no space"));
    source.code = DUET_E_FORMAT;
    writer = (struct json_writer){.write = refuse};
    write_experiment(&writer, &source, "./old");
    assert_int_equal(json_writer_finish(&writer, &error), DUET_E_FORMAT);
    assert_string_equal(error.message, "no second iteration");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_matched_by_index),
        cmocka_unit_test(unpaired_observations_stand_alone),
        cmocka_unit_test(unknown_is_null),
        cmocka_unit_test(results_are_hyperfines),
        cmocka_unit_test(documents_are_written),
        cmocka_unit_test(allocation_failures_are_errors),
        cmocka_unit_test(pieces_make_the_whole),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
