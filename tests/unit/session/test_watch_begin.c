/* A watch that is resumed while another process ends it. */
// link: duet_session -Wl,--wrap=store_watch_lock
#include "unit/store/store_fixture.h"

#include "session/watch/watch_begin.h"

static int64_t ended; /* experiment that ends before its lock is had; 0: none */

enum duet_code __real_store_watch_lock(const struct store *store, int64_t watch,
                                       struct store_watch_lock *ret_lock,
                                       int64_t *ret_pid, struct duet_error *reterr);
enum duet_code __wrap_store_watch_lock(const struct store *store, int64_t watch,
                                       struct store_watch_lock *ret_lock,
                                       int64_t *ret_pid, struct duet_error *reterr);

enum duet_code __wrap_store_watch_lock(const struct store *store, int64_t watch,
                                       struct store_watch_lock *ret_lock,
                                       int64_t *ret_pid, struct duet_error *reterr)
{
    if (ended != 0) {
        struct store *other = NULL;
        const struct model_host_load load = {0};
        assert_ok(store_open(fixture_in("results.db"), false, &other, &fixture_error));
        assert_ok(store_experiment_end(other, ended, STORE_DONE, &load, NULL,
                                       &fixture_error));
        store_close(other);
    }
    return __real_store_watch_lock(store, watch, ret_lock, ret_pid, reterr);
}

static struct watch_request request_of(const char *command)
{
    return (struct watch_request){.watch = {.name = "w",
                                            .attempts = 1,
                                            .every_ns = 1000000000,
                                            .per_hour = 3600,
                                            .batch_size = 1,
                                            .rule = "metior",
                                            .statistic = "mean",
                                            .error = 0.05,
                                            .confidence = 0.95,
                                            .replicates = 100,
                                            .metric = "time",
                                            .unit = "ns",
                                            .intervals_max = 3},
                                  .command = command,
                                  .store = fixture_in("results.db")};
}

/* One that was interrupted; its experiment. */
static int64_t begun(void)
{
    struct watch_site site;
    const struct watch_request request = request_of("true");
    watch_site_init(&site);
    assert_ok(watch_site_begin(&request, &site, &fixture_error));
    int64_t experiment = site.watch.experiment;
    assert_ok(watch_site_end(&site, STORE_INTERRUPTED, NULL, &fixture_error));
    watch_site_release(&site);
    return experiment;
}

static void what_another_process_has_ended_is_over(void **state)
{
    (void)state;
    struct watch_site site;
    int64_t experiment = begun();
    for (int named = 0; named < 2; named++) {
        const struct watch_request request = request_of(named ? "w" : NULL);
        ended = 0;
        watch_site_init(&site);
        assert_ok(watch_site_resume(&request, &site, &fixture_error));
        assert_int_equal(site.watch.experiment, experiment);
        assert_ok(watch_site_end(&site, STORE_INTERRUPTED, NULL, &fixture_error));
        watch_site_release(&site);
        ended = experiment;
        watch_site_init(&site);
        assert_int_equal(watch_site_resume(&request, &site, &fixture_error),
                         DUET_E_USAGE);
        assert_non_null(strstr(fixture_error.message, "is over after 3 intervals"));
        assert_ok(watch_site_end(&site, STORE_INTERRUPTED, NULL, &fixture_error));
        watch_site_release(&site);
    }
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_another_process_has_ended_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
