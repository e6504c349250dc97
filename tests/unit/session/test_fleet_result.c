/* A task's result: its name, its bytes, what is read from it, and memory that is short
 * at any moment. */
// link: duet_session
#include "unit/store/store_fixture.h"

#include "session/fleet/fleet_result.h"
#include "store/store_companion.h"
#include "support/alloc_fail.h"

static struct model_fleet_state state_read;

static void names_say_whose_it_is(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "0123abcd",
        "0123abcd-000007",
        "0123abcd-000007-2.0",
        "0123abcd-000007-2.0-0123456789abcdef",
        "0123abcd-000007-2.0-0123456789abcdef.dbx",
        "0123abcd-000007-2.0-0123456789abcde.db",
        "0123abcd-000007-2.0-0123456789abcdeX.db",
        "0123abcd-000007-2_0-0123456789abcdef.db",
        "0123abcd-000000-2.0-0123456789abcdef.db",
        "0123abcd-1000001-2.0-0123456789abcdef.db",
        "0123abcd-00000x-2.0-0123456789abcdef.db",
        "0123abcd-00000007-2.0-0123456789abcdef.db",
        "0123abc-000007-2.0-0123456789abcdef.db",
        "0123abcg-000007-2.0-0123456789abcdef.db",
        "0123abcd--2.0-0123456789abcdef.db",
    };
    struct fleet_result_name name = {.task = 0};
    assert_true(fleet_result_parse("0123abcd-000007-2.0-0123456789abcdef.part", &name));
    assert_string_equal(name.id, "0123abcd");
    assert_int_equal(name.task, 7);
    assert_string_equal(name.attempt, "2.0");
    assert_string_equal(name.hash, "0123456789abcdef");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (fleet_result_parse(wrong[i], &name)) {
            fail_msg("'%s' is no name of a result", wrong[i]);
        }
        assert_int_equal(name.task, 7);
    }
}

static int64_t begin(struct store *store, const char *name)
{
    struct model_plan plan = fixture_plan();
    struct model_host host = fixture_host();
    int64_t experiment = 0;
    plan.name = name;
    (void)snprintf(host.cpu_model, sizeof host.cpu_model, "Fast 9000");
    assert_ok(store_experiment_begin(store, &plan, &host, &fixture_load, "0.1.0",
                                     &experiment, &fixture_error));
    return experiment;
}

static void end(struct store *store, int64_t experiment, enum store_state state)
{
    assert_ok(store_experiment_end(store, experiment, state, &fixture_load, NULL,
                                   &fixture_error));
}

/* sort measured twice, scan that failed, copy without a run, which is too few. */
static void make_result(void)
{
    static const struct model_acceptance accepted = {
        .limit = 0.25, .until = "2099-12-31", .reason = "known"};
    struct store *store = fixture_open();
    for (uint64_t runs = 3; runs <= 4; runs++) {
        int64_t sort = begin(store, "sort");
        struct model_sink sink = store_sink(store, sort);
        for (uint64_t i = 0; i < runs; i++) {
            assert_ok(fixture_save_run(sink, i, 4));
        }
        end(store, sort, STORE_DONE);
        if (runs == 4) {
            assert_ok(store_acceptance_save(store, sort, &accepted, &fixture_error));
        }
    }
    end(store, begin(store, "scan"), STORE_FAILED);
    end(store, begin(store, "copy"), STORE_DONE);
    store_close(store);
}

static enum duet_code read_result(void)
{
    model_fleet_state_release(&state_read);
    state_read = (struct model_fleet_state){.task = 1};
    return fleet_result_read(fixture_path, &state_read, &fixture_error);
}

static void the_newest_of_each_name_is_read(void **state)
{
    (void)state;
    make_result();
    assert_ok(read_result());
    assert_string_equal(state_read.node, "lab");
    assert_string_equal(state_read.cpu_model, "Fast 9000");
    assert_string_equal(state_read.instance, fixture_host().uuid);
    assert_int_equal(state_read.ratio_count, 3);
    assert_string_equal(state_read.ratios[0].name, "copy");
    assert_true(isnan(state_read.ratios[0].log_ratio));
    assert_string_equal(state_read.ratios[1].name, "scan");
    assert_true(isnan(state_read.ratios[1].log_ratio));
    assert_string_equal(state_read.ratios[2].name, "sort");
    assert_true(fabs(state_read.ratios[2].log_ratio) < 0.01);
    assert_true(state_read.ratios[2].old_ns > 1000);
    assert_non_null(state_read.ratios[2].acceptance);
    assert_true(state_read.ratios[2].acceptance->limit == 0.25);
    assert_null(state_read.ratios[1].acceptance);
}

static void nothing_was_measured(void **state)
{
    (void)state;
    store_close(fixture_open());
    assert_int_equal(read_result(), DUET_E_TOO_FEW);
    assert_non_null(strstr(fixture_error.message, "nothing was measured into it"));
    (void)fixture_in("missing.db");
    assert_int_not_equal(read_result(), DUET_OK);
    assert_non_null(strstr(fixture_error.message, "missing.db"));
}

static void memory_may_be_short(void **state)
{
    (void)state;
    make_result();
    enum duet_code code = DUET_E_NOMEM;
    unsigned long failed = 0;
    for (unsigned long n = 1; code != DUET_OK; n++) {
        alloc_fail_at(n);
        code = read_result();
        alloc_fail_at(0);
        if (code != DUET_OK && code != DUET_E_NOMEM) {
            fail_msg("allocation %lu: %s", n, fixture_error.message);
        }
        failed += code != DUET_OK;
    }
    assert_true(failed > 10);
    assert_int_equal(state_read.ratio_count, 3);
}

/* A task's file comes into the folder whole, called after its bytes. */
static void a_result_is_published(void **state)
{
    (void)state;
    struct fleet fleet = {.path = fixture_folder};
    struct fleet_result_name parsed;
    char from[600];
    char name[160];
    char hash[65];
    (void)snprintf(from, sizeof from, "%s", fixture_in("task"));
    (void)snprintf(fleet.plan.id, sizeof fleet.plan.id, "0123abcd4567");
    fixture_write(from, "measured");
    assert_int_equal(mkdir(fixture_in("results"), 0700), 0);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = fleet_result_publish(&fleet, 7, "2.0", from, name, sizeof name,
                                    &fixture_error);
        alloc_fail_at(0);
    }
    assert_ok(code);
    assert_true(fleet_result_parse(name, &parsed));
    assert_int_equal(parsed.task, 7);
    char path[200];
    (void)snprintf(path, sizeof path, "results/%s", name);
    assert_ok(fleet_file_hash(fixture_in(path), hash, &fixture_error));
    assert_memory_equal(parsed.hash, hash, FLEET_RESULT_HASH_DIGITS);
    assert_int_equal(fleet_file_hash(fixture_in("none"), hash, &fixture_error),
                     DUET_E_IO);
    assert_int_equal(fleet_result_publish(&fleet, 7, "2.0", fixture_path, name,
                                          sizeof name, &fixture_error),
                     DUET_E_IO);
}

static int teardown(void **state)
{
    model_fleet_state_release(&state_read);
    return fixture_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_say_whose_it_is), TEST(the_newest_of_each_name_is_read),
        TEST(nothing_was_measured),  TEST(memory_may_be_short),
        TEST(a_result_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
