#include "measure/claimant.h"

#include "machine/alive.h"
#include "measure/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LOST_LOOKS = 2 };

/* Any program may write anything into the page: the number is what /proc says of it. */
static bool holds_page(const struct runner *runner, uint64_t pid)
{
    char path[64];
    struct stat ours;
    struct stat theirs;
    (void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/fd/%d", pid, LAUNCH_PAGE_FD);
    return fstat(runner->page_fd, &ours) == 0 && stat(path, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static uint64_t claim_of(const struct runner *runner, unsigned slot)
{
    return atomic_load_explicit(&runner->map.page->slots[slot].claim,
                                memory_order_acquire);
}

/* Asked behind the look at the process: it may have closed before it ended. */
static bool has_closed(const struct runner *runner, unsigned slot)
{
    uint32_t state = atomic_load_explicit(&runner->map.page->slots[slot].state,
                                          memory_order_acquire);
    return state != SYNC_SLOT_ATTACHED && state != SYNC_SLOT_FULL;
}

void claimants_note(const struct runner *runner, struct claimants *claimants)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS && runner->page_fd >= 0; slot++) {
        uint64_t pid = claim_of(runner, slot);
        if (pid != claimants->pids[slot]) {
            bool seen = pid != 0 && holds_page(runner, pid);
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
    bool missed = worker && !alive_is((int64_t)pid) && claim_of(runner, slot) == pid &&
                  !has_closed(runner, slot);
    claimants->missed[slot] = missed ? claimants->missed[slot] + 1 : 0;
    return claimants->missed[slot] >= LOST_LOOKS;
}
