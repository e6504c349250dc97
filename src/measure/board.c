#include "measure/board.h"

#include <stddef.h>
#include <sys/mman.h>

struct board *board_new(void)
{
    void *memory = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void board_free(struct board *board)
{
    if (board != NULL) {
        (void)munmap(board, sizeof *board);
    }
}

void board_reset(struct board *board, bool spins)
{
    /* Relaxed: the orders that follow, sent through sockets, carry the ordering. */
    atomic_store_explicit(&board->begin.first, 0, memory_order_relaxed);
    atomic_store_explicit(&board->begin.second, 0, memory_order_relaxed);
    atomic_store_explicit(&board->end.first, 0, memory_order_relaxed);
    atomic_store_explicit(&board->end.second, 0, memory_order_relaxed);
    for (unsigned p = 0; p < BOARD_POSITIONS; p++) {
        struct board_slot *slot = &board->slots[p];
        uint64_t begin_wait_ns = slot->begin.wait_ns;
        uint64_t end_wait_ns = slot->end.wait_ns;
        slot->begin = (struct sync_party){.spins = spins, .wait_ns = begin_wait_ns};
        slot->end = (struct sync_party){.spins = spins, .wait_ns = end_wait_ns};
        slot->record_count = 0;
        atomic_store_explicit(&slot->ended, 0, memory_order_relaxed);
    }
}

void board_poison(struct board *board)
{
    sync_meeting_poison(&board->begin);
    sync_meeting_poison(&board->end);
}
