/* The shared page: creation, validation of what is mapped, claims, rings, abort. */
#include "sync/page.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct made {
    int fd;
    struct sync_map map;
};

static const struct sync_setup setup = {SYNC_PAGE_USAGE | SYNC_PAGE_FILL, 12, 34, 5};

static int make(void **state)
{
    static struct made made;
    struct duet_error error;
    *state = &made;
    return sync_page_create(&setup, &made.fd, &made.map, &error) == DUET_OK ? 0 : -1;
}

static int unmake(void **state)
{
    struct made *made = *state;
    sync_page_unmap(&made->map);
    return close(made->fd);
}

static enum duet_code map_again(const struct made *made, uint64_t nonce,
                                struct duet_error *error)
{
    struct sync_map map;
    enum duet_code code = sync_page_map(made->fd, nonce, &map, error);
    if (code == DUET_OK) {
        sync_page_unmap(&map);
    }
    return code;
}

static void both_mappings_show_the_same(void **state)
{
    struct made *made = *state;
    struct duet_error error;
    struct sync_map map;
    assert_int_equal(
        sync_page_map(made->fd, made->map.page->header.nonce, &map, &error), DUET_OK);
    assert_int_equal(map.flags, setup.flags);
    assert_int_equal(map.run_time_ns, setup.run_time_ns);
    assert_int_equal(atomic_load(&map.page->control.limit), setup.iterations);
    assert_true(atomic_load(&map.page->control.last) == SYNC_NEVER);
    assert_int_equal(map.page->header.runner_pid, getpid());
    assert_int_equal(map.page->header.least_iterations, 5);
    made->map.rings[1][SYNC_RING_RECORDS - 1].end_ns = 99;
    assert_int_equal(map.rings[1][SYNC_RING_RECORDS - 1].end_ns, 99);
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        assert_int_equal(map.page->header.ring_offset[slot],
                         (unsigned char *)map.rings[slot] - (unsigned char *)map.page);
    }
    sync_page_unmap(&map);
    assert_null(map.page);
    sync_page_unmap(&map); /* again: nothing */
    sync_page_unmap(NULL);
}

static void the_page_cannot_change_its_size(void **state)
{
    struct made *made = *state;
    off_t bytes = (off_t)made->map.bytes;
    assert_int_equal(ftruncate(made->fd, bytes - 1), -1);
    assert_int_equal(ftruncate(made->fd, bytes + 1), -1);
    assert_int_equal(fcntl(made->fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_true((fcntl(made->fd, F_GETFD) & FD_CLOEXEC) != 0);
}

static void the_nonce_must_match(void **state)
{
    struct made *made = *state;
    struct duet_error error;
    uint64_t nonce = made->map.page->header.nonce;
    assert_int_equal(map_again(made, nonce ^ 1U, &error), DUET_E_PROTOCOL);
    assert_int_equal(map_again(made, nonce, &error), DUET_OK);
    assert_int_equal(map_again(made, nonce ^ 1U, NULL), DUET_E_PROTOCOL);
}

/* Every bit of every header field that says what the page looks like. */
static void a_changed_header_is_refused(void **state)
{
    struct made *made = *state;
    struct sync_header *header = &made->map.page->header;
    uint64_t nonce = header->nonce;
    const struct {
        size_t offset;
        size_t bytes;
        enum duet_code code;
    } fields[] = {
        {offsetof(struct sync_header, magic), 8, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, version), 4, DUET_E_VERSION},
        {offsetof(struct sync_header, page_bytes), 4, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, slot_count), 4, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, ring_records), 4, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, record_bytes), 4, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, ring_offset), 8, DUET_E_PROTOCOL},
        {offsetof(struct sync_header, nonce), 8, DUET_E_PROTOCOL},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        for (size_t bit = 0; bit < 8 * fields[i].bytes; bit++) {
            struct duet_error error = {0};
            unsigned char *byte = (unsigned char *)header + fields[i].offset + bit / 8;
            *byte ^= (unsigned char)(1U << bit % 8);
            assert_int_equal(map_again(made, nonce, &error), fields[i].code);
            assert_int_equal(error.code, fields[i].code);
            *byte ^= (unsigned char)(1U << bit % 8);
        }
    }
    struct duet_error error;
    header->flags |= 1U << 31U; /* a flag of a later version */
    assert_int_equal(map_again(made, nonce, &error), DUET_E_PROTOCOL);
    header->flags = setup.flags;
    assert_int_equal(map_again(made, nonce, &error), DUET_OK);
}

static void other_descriptors_are_refused(void **state)
{
    struct made *made = *state;
    uint64_t nonce = made->map.page->header.nonce;
    size_t bytes = made->map.bytes;
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    struct duet_error error;
    struct sync_map map;

    assert_int_equal(sync_page_map(-1, nonce, &map, &error), DUET_E_PROTOCOL);
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(sync_page_map(pipe_fds[0], nonce, &map, &error), DUET_E_PROTOCOL);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);

    for (int variant = 0; variant < 3; variant++) {
        int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        off_t size = (off_t)bytes - (variant == 1 ? 1 : 0); /* 1: short */
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(pwrite(fd, made->map.page, 4096, 0), 4096);
        if (variant != 0) { /* 0: right in everything but unsealed */
            assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
        }
        enum duet_code expected = variant == 2 ? DUET_OK : DUET_E_PROTOCOL;
        assert_int_equal(sync_page_map(fd, nonce, &map, &error), expected);
        if (expected == DUET_OK) {
            sync_page_unmap(&map);
        }
        (void)close(fd);
    }
}

static void one_claim_a_slot(void **state)
{
    struct made *made = *state;
    struct sync_slot *slot = &made->map.page->slots[1];
    assert_true(sync_slot_claim(slot, 17));
    assert_false(sync_slot_claim(slot, 17));
    assert_false(sync_slot_claim(slot, 18));
    assert_int_equal(atomic_load(&slot->claim), 17);
    assert_int_equal(atomic_load(&slot->state), SYNC_SLOT_ATTACHED);
    assert_int_equal(atomic_load(&slot->traits), SYNC_TRAIT_FUTEX);
}

static void a_slot_is_handed_on(void **state)
{
    struct made *made = *state;
    struct sync_slot *slot = &made->map.page->slots[0];
    assert_true(sync_slot_claim(slot, 17));
    sync_slot_hand_on(slot);
    assert_int_equal(atomic_load(&slot->claim), 0);
    assert_int_equal(atomic_load(&slot->state), SYNC_SLOT_FREE);
    assert_int_equal(atomic_load(&slot->traits), 0);
    assert_true(sync_slot_claim(slot, 18));
    assert_int_equal(atomic_load(&slot->claim), 18);
}

static void names_of_regions(void **state)
{
    struct made *made = *state;
    struct sync_slot *slot = &made->map.page->slots[0];
    char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
    char name[SYNC_REGION_BYTES];
    assert_true(sync_region_name_fits("a"));
    assert_true(sync_region_name_fits("1234567890123456789012345678 ~/"));
    assert_false(sync_region_name_fits(""));
    assert_false(sync_region_name_fits("12345678901234567890123456789012"));
    assert_false(sync_region_name_fits("a\tb"));
    assert_false(sync_region_name_fits("\xc3\xa4"));
    assert_false(sync_region_name_fits("\x7f"));
    assert_int_equal(sync_region_names(slot, names), 0);
    for (unsigned i = 0; i < SYNC_REGIONS_MAX; i++) {
        (void)snprintf(name, sizeof name, "region %u", i);
        assert_true(sync_region_add(slot, name));
        assert_int_equal(sync_region_names(slot, names), i + 1);
        assert_string_equal(names[i], name);
    }
    assert_false(sync_region_add(slot, "one more"));
}

/* Whatever somebody writes there, what is read are names. */
static void lying_names_are_not_read(void **state)
{
    struct made *made = *state;
    struct sync_slot *slot = &made->map.page->slots[0];
    char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
    assert_true(sync_region_add(slot, "first"));
    atomic_store(&slot->regions, UINT32_MAX);
    assert_int_equal(sync_region_names(slot, names), 1);
    memset(slot->names, 'x', sizeof slot->names); /* no end */
    assert_int_equal(sync_region_names(slot, names), SYNC_REGIONS_MAX);
    assert_int_equal(strlen(names[SYNC_REGIONS_MAX - 1]), SYNC_REGION_BYTES - 1);
    slot->names[3][0] = '\n';
    assert_int_equal(sync_region_names(slot, names), 3);
}

static void a_ring_is_read_in_order(void **state)
{
    struct made *made = *state;
    struct sync_map *map = &made->map;
    struct sync_slot *slot = &map->page->slots[0];
    uint64_t written = 0;
    for (unsigned batch = 0; batch < 5; batch++) {
        for (unsigned i = 0; i < SYNC_RING_RECORDS - 7; i++) {
            map->rings[0][written % SYNC_RING_RECORDS].start_ns = written;
            written++;
        }
        atomic_store(&slot->head, written);
        uint64_t waiting = sync_ring_waiting(map, 0);
        assert_int_equal(waiting, SYNC_RING_RECORDS - 7);
        for (uint64_t i = 0; i < waiting; i++) {
            assert_int_equal(sync_ring_at(map, 0, i)->start_ns, map->drained[0] + i);
        }
        uint32_t wake = atomic_load(&slot->wake);
        sync_ring_drained(map, 0, waiting);
        assert_int_equal(atomic_load(&slot->drained), written);
        assert_int_not_equal(atomic_load(&slot->wake), wake);
    }
    assert_int_equal(sync_ring_waiting(map, 1), 0);
}

static void a_lying_head_stays_inside_the_ring(void **state)
{
    struct made *made = *state;
    const uint64_t lies[] = {UINT64_MAX, SYNC_RING_RECORDS + 1, 1U << 31U};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        atomic_store(&made->map.page->slots[0].head, lies[i]);
        assert_int_equal(sync_ring_waiting(&made->map, 0), SYNC_RING_RECORDS);
    }
    made->map.drained[0] = UINT64_MAX - 3;
    for (uint64_t i = 0; i < SYNC_RING_RECORDS; i++) {
        const struct sync_record *record = sync_ring_at(&made->map, 0, i);
        assert_true(record >= made->map.rings[0] &&
                    record < made->map.rings[0] + SYNC_RING_RECORDS);
    }
}

static void the_first_reason_stays(void **state)
{
    struct made *made = *state;
    struct sync_page *page = made->map.page;
    sync_page_abort(page, SYNC_ABORT_PEER_DIED);
    sync_page_abort(page, SYNC_ABORT_TIMEOUT);
    assert_int_equal(atomic_load(&page->control.abort), SYNC_ABORT_PEER_DIED);
    struct sync_party party = {.spins = true};
    assert_int_equal(sync_meet(&page->begin, &party, NULL), SYNC_POISONED);
    party = (struct sync_party){.spins = true};
    assert_int_equal(sync_meet(&page->end, &party, NULL), SYNC_POISONED);
    for (uint32_t reason = SYNC_ABORT_NONE; reason <= SYNC_ABORT_RUNNER; reason++) {
        assert_string_not_equal(sync_abort_text(reason), "unknown reason");
    }
    assert_string_equal(sync_abort_text(SYNC_ABORT_RUNNER + 1), "unknown reason");
    assert_string_equal(sync_abort_text(UINT32_MAX), "unknown reason");
}

int main(void)
{
#define WITH_PAGE(test) cmocka_unit_test_setup_teardown(test, make, unmake)
    const struct CMUnitTest tests[] = {
        WITH_PAGE(both_mappings_show_the_same),
        WITH_PAGE(the_page_cannot_change_its_size),
        WITH_PAGE(the_nonce_must_match),
        WITH_PAGE(a_changed_header_is_refused),
        WITH_PAGE(other_descriptors_are_refused),
        WITH_PAGE(one_claim_a_slot),
        WITH_PAGE(a_slot_is_handed_on),
        WITH_PAGE(names_of_regions),
        WITH_PAGE(lying_names_are_not_read),
        WITH_PAGE(a_ring_is_read_in_order),
        WITH_PAGE(a_lying_head_stays_inside_the_ring),
        WITH_PAGE(the_first_reason_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
