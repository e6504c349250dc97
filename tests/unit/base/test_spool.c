/* Items in bounded memory (base/spool.h). */
#include "base/spool.h"
#include "support/alloc_fail.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 1000, MANY = 50000 };

struct item {
    uint64_t number;
    uint32_t other;
    uint32_t unused; /* in place of padding */
};

static struct spool made(void)
{
    return (struct spool){.item_bytes = sizeof(struct item), .most = MOST};
}

static struct item item_of(uint64_t number)
{
    struct item item;
    memset(&item, 0, sizeof item);
    item.number = number;
    item.other = (uint32_t)(7 * number);
    return item;
}

static void fill(struct spool *spool, size_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct item item = item_of(i);
        assert_int_equal(spool_add(spool, &item, 1, NULL), DUET_OK);
    }
    assert_true(spool_count(spool) == count);
}

static void assert_holds(struct spool *spool, size_t count)
{
    uint64_t at = 0;
    while (at < count) {
        const void *items = NULL;
        size_t some = 0;
        assert_int_equal(spool_read(spool, at, &items, &some, NULL), DUET_OK);
        assert_true(some > 0);
        const struct item *found = items;
        for (size_t i = 0; i < some; i++, at++) {
            assert_true(found[i].number == at && found[i].other == (uint32_t)(7 * at));
        }
    }
    assert_true(at == count);
}

static void what_was_added_is_read(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, MOST - 1, MOST, MOST + 1, 2 * MOST, MANY};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct spool spool = made();
        fill(&spool, counts[i]);
        assert_int_equal(spool.filed > 0, counts[i] > MOST);
        assert_true(spool.count <= MOST && spool.capacity <= MOST);
        assert_holds(&spool, counts[i]);
        spool_release(&spool);
        fill(&spool, counts[i]); /* again */
        assert_holds(&spool, counts[i]);
        spool_release(&spool);
    }
}

static void many_at_once(void **state)
{
    (void)state;
    static struct item items[MANY];
    struct spool spool = made();
    for (uint64_t i = 0; i < MANY; i++) {
        items[i] = item_of(i);
    }
    assert_int_equal(spool_add(&spool, items, MANY, NULL), DUET_OK);
    assert_true(spool.capacity <= MOST);
    assert_holds(&spool, MANY);
    spool_release(&spool);
}

static void one_is_replaced(void **state)
{
    (void)state;
    const uint64_t places[] = {0, 12345, MANY - 1};
    struct spool spool = made();
    fill(&spool, MANY);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct item item = item_of(1);
        const void *found = NULL;
        size_t some = 0;
        assert_int_equal(spool_replace(&spool, places[i], &item, NULL), DUET_OK);
        assert_int_equal(spool_read(&spool, places[i], &found, &some, NULL), DUET_OK);
        assert_memory_equal(found, &item, sizeof item);
        item = item_of(places[i]);
        assert_int_equal(spool_replace(&spool, places[i], &item, NULL), DUET_OK);
    }
    assert_holds(&spool, MANY);
    spool_release(&spool);
}

/* A limit on the size of files, as a full disk. */
static void where_files_end_memory_goes_on(void **state)
{
    (void)state;
    struct rlimit before;
    struct rlimit small = {.rlim_cur = 100 * sizeof(struct item)};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
    for (size_t runs = 0; runs < 2; runs++) { /* none is written; the first ones are */
        struct spool spool = made();
        fill(&spool, runs == 0 ? 0 : 5 * MOST);
        small.rlim_cur = 100 * sizeof(struct item);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (uint64_t i = spool_count(&spool); i < MANY; i++) {
            const struct item item = item_of(i);
            assert_int_equal(spool_add(&spool, &item, 1, NULL), DUET_OK);
        }
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_true(spool.stuck);
        assert_holds(&spool, MANY);
        spool_release(&spool);
    }
}

static void lost_files_are_errors(void **state)
{
    (void)state;
    struct spool spool = made();
    struct duet_error error;
    const void *items = NULL;
    size_t some = 0;
    const struct item item = item_of(1);
    fill(&spool, MANY);
    int kept = spool.fd;
    spool.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(spool_read(&spool, 0, &items, &some, &error), DUET_E_IO);
    assert_non_null(strstr(error.message, "TMPDIR"));
    (void)close(spool.fd);
    spool.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
    assert_int_equal(spool_replace(&spool, 0, &item, &error), DUET_E_IO);
    (void)close(spool.fd);
    spool.fd = kept;
    spool_release(&spool);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct spool spool = made();
    const struct item item = item_of(0);
    const void *items = NULL;
    size_t some = 0;
    alloc_fail_at(1);
    assert_int_equal(spool_add(&spool, &item, 1, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    fill(&spool, MANY);
    alloc_fail_at(1);
    assert_int_equal(spool_read(&spool, 0, &items, &some, NULL), DUET_E_NOMEM);
    alloc_fail_at(0);
    assert_holds(&spool, MANY);
    spool_release(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_read),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(one_is_replaced),
        cmocka_unit_test(where_files_end_memory_goes_on),
        cmocka_unit_test(lost_files_are_errors),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
