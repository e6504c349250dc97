/* How a side finds its page and its runner, and how it leaves them. */
#include "harness/harness_side.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void runner_path(int64_t pid, int fd, char path[HARNESS_PATH_BYTES])
{
    (void)snprintf(path, HARNESS_PATH_BYTES, "/proc/%" PRId64 "/fd/%d", pid, fd);
}

/* Maps the page from the inherited descriptor or, where a launcher has closed it or put
 * another file at its number, from the runner's descriptor table. */
static enum duet_code page_find(const struct sync_attach *attach,
                                struct sync_map *ret_map, struct duet_error *reterr)
{
    struct duet_error inherited;
    enum duet_code code =
        sync_page_map(attach->page_fd, attach->nonce, ret_map, &inherited);
    if (code == DUET_OK) {
        /* What the benchmark executes must not inherit it. */
        (void)fcntl(attach->page_fd, F_SETFD, FD_CLOEXEC);
        return DUET_OK;
    }
    if (code == DUET_E_VERSION) {
        return error_set(reterr, code, "%s", inherited.message);
    }
    char path[HARNESS_PATH_BYTES];
    runner_path(attach->pid, attach->page_fd, path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(
            reterr, DUET_E_PROTOCOL, errno,
            "%s; nor can it be opened as %s (%s belongs to a finished run, or to "
            "another container)",
            inherited.message, path, SYNC_ATTACH_VARIABLE);
    }
    code = sync_page_map(fd, attach->nonce, ret_map, reterr);
    (void)close(fd);
    return code;
}

static bool is_pipe_end(int fd, struct stat *ret_status)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY &&
           fstat(fd, ret_status) == 0 && S_ISFIFO(ret_status->st_mode);
}

/* Is the inherited descriptor the runner's pipe? Where the runner's table cannot be
 * read, being the writing end of some pipe has to do. */
static bool is_bell(const struct sync_attach *attach, bool runner_visible)
{
    char path[HARNESS_PATH_BYTES];
    struct stat mine;
    struct stat theirs;
    if (!is_pipe_end(attach->bell_fd, &mine)) {
        return false;
    }
    runner_path(attach->pid, attach->bell_fd, path);
    return !runner_visible || stat(path, &theirs) != 0 ||
           (mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino);
}

/* runner_visible: the pid leads to the runner. Else what it leads to is anybody's, and
 * its pipes are not written to. */
static enum duet_code bell_find(const struct sync_attach *attach, bool runner_visible,
                                int *ret_fd, bool *ret_owned, struct duet_error *reterr)
{
    if (is_bell(attach, runner_visible)) {
        (void)fcntl(attach->bell_fd, F_SETFD, FD_CLOEXEC);
        *ret_fd = attach->bell_fd;
        *ret_owned = false;
        return DUET_OK;
    }
    char path[HARNESS_PATH_BYTES];
    struct stat status;
    runner_path(attach->pid, attach->bell_fd, path);
    errno = ESRCH;
    int fd = runner_visible ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0 || !is_pipe_end(fd, &status)) {
        int errnum = fd < 0 ? errno : EBADF;
        if (fd >= 0) {
            (void)close(fd);
        }
        return error_set_errno(
            reterr, DUET_E_PROTOCOL, errnum,
            "cannot reach duet's bell, neither as descriptor %d nor as %s",
            attach->bell_fd, path);
    }
    *ret_fd = fd;
    *ret_owned = true;
    return DUET_OK;
}

/* The pid means something here only when it leads to this very page: in another pid
 * namespace the number may be anybody's. */
static bool leads_to_page(const char *path, uint64_t nonce)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    struct sync_map map;
    bool same = sync_page_map(fd, nonce, &map, NULL) == DUET_OK;
    if (same) {
        sync_page_unmap(&map);
    }
    (void)close(fd);
    return same;
}

/* Of a process that has ended and that nobody has collected, /proc shows the pid, but
 * no descriptors. A program that has changed its root sees no /proc, or another one. */
static bool runner_gone(void *context)
{
    const struct harness_side *side = context;
    struct stat status;
    return side->held[0] != '\0' && lstat(side->held, &status) != 0 &&
           errno == ENOENT && stat("/proc/self", &status) == 0 &&
           status.st_dev == side->proc_device;
}

/* Into HARNESS_PATH_BYTES: where duet holds the page, if that is visible from
 * here. */
static void find_held(const struct sync_attach *attach, char *ret_path)
{
    runner_path(attach->pid, attach->page_fd, ret_path);
    if (!leads_to_page(ret_path, attach->nonce)) {
        ret_path[0] = '\0';
    }
}

static void side_init(struct harness_side *side, const struct sync_attach *attach,
                      const struct sync_map *map, const char *held)
{
    *side = (struct harness_side){.map = *map, .bell = {.pipe.fd = -1}};
    struct stat status;
    (void)snprintf(side->held, sizeof side->held, "%s", held);
    side->proc_device = stat("/proc/self", &status) == 0 ? status.st_dev : 0;
    side->mine = &map->page->slots[attach->slot];
    side->peer = &map->page->slots[1 - attach->slot];
    side->ring = map->rings[attach->slot];
    side->guard = (struct sync_guard){runner_gone, side};
    side->begin_party = (struct sync_party){
        .spins = (map->flags & SYNC_PAGE_NO_SPIN) == 0,
        .peer_traits = &side->peer->traits,
        .own_traits = &side->mine->traits,
        .preempt = &side->preempt,
        .woken = (map->flags & SYNC_PAGE_USAGE) != 0 ? harness_side_usage_begins : NULL,
        .context = side,
    };
    side->end_party = side->begin_party;
    side->end_party.single = true;
    side->end_party.preempt = NULL;
    side->end_party.woken = NULL;
    side->outcome = SYNC_MET;
    /* Page faults now, a page of records at a time, instead of after every 64th
     * iteration. */
    for (unsigned i = 0; i < SYNC_RING_RECORDS; i++) {
        side->ring[i].flags = 0;
    }
}

/* Who has the slot, and what to do. */
static enum duet_code refuse_second(uint64_t owner, struct duet_error *reterr)
{
    if (owner == (uint64_t)getpid()) {
        return error_set(
            reterr, DUET_E_PROTOCOL,
            "this process attached twice; call duet_open() once and use its result for all iterations");
    }
    char path[HARNESS_PATH_BYTES];
    char name[32] = "which has ended";
    (void)snprintf(path, HARNESS_PATH_BYTES, "/proc/%" PRIu64 "/comm", owner);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, name, sizeof name - 1);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (length > 0) {
        name[length] = '\0';
        name[strcspn(name, "\n")] = '\0';
    }
    return error_set(
        reterr, DUET_E_PROTOCOL,
        "process %" PRIu64
        " (%s) already takes part in the measurement, and each side is one process; "
        "let it call duet_hand_on() before this one attaches, or start this one without %s",
        owner, name, SYNC_ATTACH_VARIABLE);
}

enum duet_code harness_side_open(const char *text, struct harness_side *ret_side,
                                 struct duet_error *reterr)
{
    struct sync_attach attach;
    struct sync_map map;
    enum duet_code code = sync_attach_parse(text, &attach, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = page_find(&attach, &map, reterr);
    if (code != DUET_OK) {
        return code;
    }
    int bell_fd = -1;
    bool bell_owned = false;
    char held[HARNESS_PATH_BYTES];
    find_held(&attach, held); /* before the claim, by which others know of us */
    struct sync_slot *slot = &map.page->slots[attach.slot];
    code = bell_find(&attach, held[0] != '\0', &bell_fd, &bell_owned, reterr);
    if (code == DUET_OK && !sync_slot_claim(slot, getpid())) {
        code = refuse_second(atomic_load_explicit(&slot->claim, memory_order_acquire),
                             reterr);
    }
    if (code != DUET_OK) {
        goto cleanup;
    }
    /* A child of fork() has no business in the page. */
    (void)madvise(map.page, map.bytes, MADV_DONTFORK);
    side_init(ret_side, &attach, &map, held);
    ret_side->bell.pipe = harness_descriptor_of(bell_fd);
    ret_side->bell.owned = bell_owned;
    if (held[0] != '\0') {
        runner_path(attach.pid, attach.bell_fd, ret_side->bell.held);
    }
    harness_bell_ring(&ret_side->bell);
    return DUET_OK;

cleanup:
    if (bell_owned) {
        (void)close(bell_fd);
    }
    sync_page_unmap(&map);
    return code;
}

const char *harness_side_reason(const struct harness_side *side)
{
    switch (side->outcome) {
    case SYNC_MET:
    case SYNC_MET_SLEPT:
        return NULL;
    case SYNC_POISONED:
        return sync_abort_text(
            atomic_load_explicit(&side->map.page->control.abort, memory_order_acquire));
    case SYNC_ORPHANED:
        return "duet itself is gone";
    case SYNC_CONFUSED:
        break;
    }
    return "the two sides are out of step: something else wrote into the shared page";
}

static void side_release(struct harness_side *side)
{
    harness_bell_close(&side->bell);
    harness_delay_release(&side->delay);
    sync_page_unmap(&side->map);
}

void harness_side_hand_on(struct harness_side *side)
{
    sync_slot_hand_on(side->mine);
    side_release(side);
}

void harness_side_close(struct harness_side *side)
{
    /* Release, paired with the runner's acquire: it sees all records. */
    uint32_t state = side->outcome == SYNC_CONFUSED ? SYNC_SLOT_LOST : SYNC_SLOT_CLOSED;
    atomic_store_explicit(&side->mine->state, state, memory_order_release);
    harness_bell_ring(&side->bell);
    side_release(side);
}
