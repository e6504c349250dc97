#include "sync/page.h"

#include "sync/futex.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct sync_record) == 80, "part of the protocol");
_Static_assert(sizeof(struct sync_page) % SYNC_LINE_BYTES == 0, "aligns the rings");
_Static_assert(sizeof(_Atomic uint64_t) == 8 && ATOMIC_LLONG_LOCK_FREE == 2,
               "a lock would not be shared between processes");

enum {
    KNOWN_FLAGS = SYNC_PAGE_SOLO | SYNC_PAGE_NO_SPIN | SYNC_PAGE_USAGE |
                  SYNC_PAGE_CPU_TIME | SYNC_PAGE_FILL | SYNC_PAGE_NO_END_MEETING
};
static const int page_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

static size_t ring_bytes(void)
{
    return (size_t)SYNC_RING_RECORDS * sizeof(struct sync_record);
}

static size_t page_bytes(void)
{
    return sizeof(struct sync_page) + SYNC_SLOTS * ring_bytes();
}

static void map_init(struct sync_map *map, struct sync_page *page)
{
    *map = (struct sync_map){.page = page,
                             .bytes = page_bytes(),
                             .flags = page->header.flags,
                             .run_time_ns = page->header.run_time_ns,
                             .least_iterations = page->header.least_iterations};
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        unsigned char *base = (unsigned char *)page;
        map->rings[slot] =
            (struct sync_record *)(void *)(base + sizeof *page + slot * ring_bytes());
    }
}

static void page_fill(struct sync_page *page, const struct sync_setup *setup,
                      uint64_t nonce)
{
    struct sync_header *header = &page->header;
    *header = (struct sync_header){
        .magic = SYNC_PAGE_MAGIC,
        .version = SYNC_PAGE_VERSION,
        .page_bytes = (uint32_t)page_bytes(),
        .slot_count = SYNC_SLOTS,
        .ring_records = SYNC_RING_RECORDS,
        .record_bytes = sizeof(struct sync_record),
        .flags = setup->flags,
        .nonce = nonce,
        .run_time_ns = setup->run_time_ns,
        .runner_pid = getpid(),
        .least_iterations = setup->least_iterations,
    };
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        header->ring_offset[slot] = (uint32_t)(sizeof *page + slot * ring_bytes());
    }
    /* Relaxed: nobody else has the page yet; handing it over through fork orders it. */
    atomic_store_explicit(&page->control.limit, setup->iterations,
                          memory_order_relaxed);
    atomic_store_explicit(&page->control.last, SYNC_NEVER, memory_order_relaxed);
}

enum duet_code sync_page_create(const struct sync_setup *setup, int *ret_fd,
                                struct sync_map *ret_map, struct duet_error *reterr)
{
    uint64_t nonce = 0;
    if (getrandom(&nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "no random numbers");
    }
    int fd = memfd_create("duet", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        int errnum = errno;
        return error_set_errno(
            reterr, DUET_E_SYSTEM, errnum, "cannot make a shared page%s",
            errnum == EPERM || errnum == ENOSYS
                ? ": allow memfd_create in the container's seccomp profile"
                : "");
    }
    void *memory = MAP_FAILED;
    if (ftruncate(fd, (off_t)page_bytes()) == 0 &&
        fcntl(fd, F_ADD_SEALS, page_seals) == 0) {
        memory = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (memory == MAP_FAILED) {
        int errnum = errno;
        (void)close(fd);
        return error_set_errno(reterr, DUET_E_SYSTEM, errnum,
                               "cannot make a shared page of %zu bytes", page_bytes());
    }
    page_fill(memory, setup, nonce);
    map_init(ret_map, memory);
    *ret_fd = fd;
    return DUET_OK;
}

static enum duet_code header_check(const struct sync_header *header, uint64_t nonce,
                                   struct duet_error *reterr)
{
    if (header->magic != SYNC_PAGE_MAGIC || header->nonce != nonce) {
        return error_set(reterr, DUET_E_PROTOCOL,
                         "the inherited descriptor is not this run's shared page");
    }
    if (header->version != SYNC_PAGE_VERSION) {
        return error_set(
            reterr, DUET_E_VERSION,
            "the shared page has layout version %u, this harness knows %d; "
            "build the benchmark with the duet that runs it",
            header->version, SYNC_PAGE_VERSION);
    }
    bool fits = header->page_bytes == page_bytes() &&
                header->slot_count == SYNC_SLOTS &&
                header->ring_records == SYNC_RING_RECORDS &&
                header->record_bytes == sizeof(struct sync_record) &&
                (header->flags & ~(uint32_t)KNOWN_FLAGS) == 0;
    for (unsigned slot = 0; fits && slot < SYNC_SLOTS; slot++) {
        fits =
            header->ring_offset[slot] == sizeof(struct sync_page) + slot * ring_bytes();
    }
    if (!fits) {
        return error_set(reterr, DUET_E_PROTOCOL,
                         "the shared page's header contradicts layout version %d",
                         SYNC_PAGE_VERSION);
    }
    return DUET_OK;
}

enum duet_code sync_page_map(int fd, uint64_t nonce, struct sync_map *ret_map,
                             struct duet_error *reterr)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || fstat(fd, &status) != 0) {
        return error_set_errno(reterr, DUET_E_PROTOCOL, errno,
                               "descriptor %d is not a shared page", fd);
    }
    /* Unsealed, somebody could shrink it under our feet: SIGBUS in the timed window. */
    if ((seals & page_seals) != page_seals || (size_t)status.st_size != page_bytes()) {
        return error_set(reterr, DUET_E_PROTOCOL,
                         "descriptor %d is not a sealed shared page of %zu bytes", fd,
                         page_bytes());
    }
    void *memory = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot map the shared page");
    }
    struct sync_page *page = memory;
    enum duet_code code = header_check(&page->header, nonce, reterr);
    if (code != DUET_OK) {
        (void)munmap(memory, page_bytes());
        return code;
    }
    map_init(ret_map, page);
    return DUET_OK;
}

void sync_page_unmap(struct sync_map *map)
{
    if (map != NULL && map->page != NULL) {
        (void)munmap(map->page, map->bytes);
        *map = (struct sync_map){0};
    }
}

bool sync_slot_claim(struct sync_slot *slot, pid_t pid)
{
    uint64_t expected = 0;
    /* acq_rel: the runner that sees the claim sees what the owner did before; two
     * claimants are ordered. */
    if (!atomic_compare_exchange_strong_explicit(&slot->claim, &expected, (uint64_t)pid,
                                                 memory_order_acq_rel,
                                                 memory_order_acquire)) {
        return false;
    }
    /* Relaxed: the state's release orders it. The peer reads it without looking at the
     * state, but a stale 0 costs it one nap only. */
    atomic_store_explicit(&slot->traits, SYNC_TRAIT_FUTEX, memory_order_relaxed);
    atomic_store_explicit(&slot->state, SYNC_SLOT_ATTACHED, memory_order_release);
    return true;
}

void sync_slot_hand_on(struct sync_slot *slot)
{
    atomic_store_explicit(&slot->traits, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->state, SYNC_SLOT_FREE, memory_order_relaxed);
    /* Release, paired with the acquire of the next claim: the slot is as it was. */
    atomic_store_explicit(&slot->claim, 0, memory_order_release);
}

bool sync_region_name_fits(const char *name)
{
    size_t length = 0;
    while (length < SYNC_REGION_BYTES && name[length] >= ' ' && name[length] <= '~') {
        length++;
    }
    return length > 0 && length < SYNC_REGION_BYTES && name[length] == '\0';
}

bool sync_region_add(struct sync_slot *slot, const char *name)
{
    /* Relaxed: nobody else writes it. */
    uint32_t count = atomic_load_explicit(&slot->regions, memory_order_relaxed);
    if (count >= SYNC_REGIONS_MAX) {
        return false;
    }
    memcpy(slot->names[count], name, strlen(name) + 1);
    /* Release, paired with the acquire in sync_region_names(): the name is there. */
    atomic_store_explicit(&slot->regions, count + 1, memory_order_release);
    return true;
}

uint32_t sync_region_names(const struct sync_slot *slot,
                           char ret_names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES])
{
    uint32_t count = atomic_load_explicit(&slot->regions, memory_order_acquire);
    count = count < SYNC_REGIONS_MAX ? count : SYNC_REGIONS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(ret_names[i], slot->names[i], SYNC_REGION_BYTES);
        ret_names[i][SYNC_REGION_BYTES - 1] = '\0';
        if (!sync_region_name_fits(ret_names[i])) {
            return i;
        }
    }
    return count;
}

const char *sync_abort_text(uint32_t reason)
{
    static const char *const texts[] = {"nothing happened",
                                        "the other side died",
                                        "the other side was stopped",
                                        "the other side left early",
                                        "the other side never attached",
                                        "the time limit was reached",
                                        "the measurement was interrupted",
                                        "duet itself failed"};
    return reason < sizeof texts / sizeof texts[0] ? texts[reason] : "unknown reason";
}

static void slot_wake(struct sync_slot *slot)
{
    /* A changed value ends or prevents the sleep of a side that read the old one. */
    atomic_fetch_add_explicit(&slot->wake, 1, memory_order_release);
    futex_wake_all(&slot->wake);
}

void sync_page_abort(struct sync_page *page, enum sync_abort reason)
{
    uint32_t none = SYNC_ABORT_NONE;
    /* Release, before the poison: who sees the poison (acquire) sees the reason. */
    (void)atomic_compare_exchange_strong_explicit(
        &page->control.abort, &none, (uint32_t)reason, memory_order_acq_rel,
        memory_order_acquire);
    sync_meeting_poison(&page->begin);
    sync_meeting_poison(&page->end);
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        slot_wake(&page->slots[slot]);
    }
}

uint64_t sync_ring_waiting(const struct sync_map *map, unsigned slot)
{
    /* Acquire pairs with the side's release store after it wrote the record. */
    uint64_t head =
        atomic_load_explicit(&map->page->slots[slot].head, memory_order_acquire);
    uint64_t waiting = head - map->drained[slot];
    return waiting < SYNC_RING_RECORDS ? waiting : SYNC_RING_RECORDS;
}

const struct sync_record *sync_ring_at(const struct sync_map *map, unsigned slot,
                                       uint64_t offset)
{
    return &map->rings[slot][(map->drained[slot] + offset) % SYNC_RING_RECORDS];
}

void sync_ring_drained(struct sync_map *map, unsigned slot, uint64_t count)
{
    struct sync_slot *shared = &map->page->slots[slot];
    map->drained[slot] += count;
    /* Release: the records were read before the side may overwrite them. */
    atomic_store_explicit(&shared->drained, map->drained[slot], memory_order_release);
    slot_wake(shared);
}
