#include "measure/claimant.h"

#include "measure/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LOST_LOOKS = 2 };
enum holding { HOLDS, IS_GONE, IS_UNKNOWN };

/* Any program may write anything into the page: the number is what /proc says of it. A
 * process that has ended and that nobody has collected has no descriptors. */
static enum holding look_at(const struct runner *runner, uint64_t pid)
{
    char path[64];
    struct stat ours;
    struct stat theirs;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/fd/%d", pid, LAUNCH_PAGE_FD);
    if (fstat(runner->page_fd, &ours) != 0) {
        return IS_UNKNOWN;
    }
    if (stat(path, &theirs) != 0) {
        return errno == ENOENT || errno == ESRCH ? IS_GONE : IS_UNKNOWN;
    }
    return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino ? HOLDS
                                                                        : IS_UNKNOWN;
}

static uint64_t claim_of(const struct runner *runner, unsigned slot)
{
    return atomic_load_explicit(&runner->map.page->slots[slot].claim,
                                memory_order_acquire);
}

void claimants_note(const struct runner *runner, struct claimants *claimants)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        uint64_t pid = claim_of(runner, slot);
        if (pid != claimants->pids[slot]) {
            bool seen = pid != 0 && look_at(runner, pid) == HOLDS;
            claimants->pids[slot] = seen ? pid : 0;
            claimants->missed[slot] = 0;
        }
    }
}

bool claimant_is_lost(const struct runner *runner, struct claimants *claimants,
                      unsigned slot)
{
    uint64_t pid = claimants->pids[slot];
    /* Of the program itself its supervisor says how it ended. */
    bool worker = pid != 0 &&
                  pid != (uint64_t)atomic_load_explicit(
                             &runner->board->slots[slot].program, memory_order_acquire);
    bool gone = worker && look_at(runner, pid) == IS_GONE;
    /* Behind the look: it may have closed before it ended. */
    uint32_t state = atomic_load_explicit(&runner->map.page->slots[slot].state,
                                          memory_order_acquire);
    bool left = state != SYNC_SLOT_ATTACHED && state != SYNC_SLOT_FULL;
    bool missed = gone && !left && claim_of(runner, slot) == pid;
    claimants->missed[slot] = missed ? claimants->missed[slot] + 1 : 0;
    return claimants->missed[slot] >= LOST_LOOKS;
}
