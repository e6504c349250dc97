// link: duet_sync
/* A sealed memfd of the right size whose head somebody wrote: it is mapped only when it
 * describes this layout, and then nothing in it leads outside. The input lies over a
 * valid page's first bytes; its first byte says what else is bent. */
#include "sync/page.h"

#include "kept_page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

/* The runner's reading of a ring whose counters are not to be trusted. */
static void read_rings(struct sync_map *map)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        uint64_t waiting = sync_ring_waiting(map, slot);
        uint64_t sum = 0;
        require(waiting <= SYNC_RING_RECORDS);
        for (uint64_t i = 0; i < waiting; i++) {
            sum += sync_ring_at(map, slot, i)->flags; /* the sanitizer looks */
        }
        require(sum == 0);
        sync_ring_drained(map, slot, waiting);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kept_page *kept = kept_page_again();
    struct sync_page *page = kept->map.page;
    struct sync_map map;
    struct duet_error error = {0};
    if (size < 1) {
        return 0;
    }
    const struct sync_header good = page->header;
    size_t bytes = size - 1 < sizeof *page ? size - 1 : sizeof *page;
    if ((data[0] & 1U) != 0) { /* changes bits of the valid page */
        for (size_t i = 0; i < bytes; i++) {
            ((unsigned char *)page)[i] ^= data[1 + i];
        }
    } else {
        memcpy(page, data + 1, bytes);
    }
    if ((data[0] & 2U) != 0) { /* gets past the checks, with any counters */
        page->header = good;
    }
    if (sync_page_map(kept->fd, good.nonce, &map, &error) == DUET_OK) {
        const struct sync_header *header = &map.page->header;
        require(header->magic == good.magic && header->version == good.version &&
                header->page_bytes == good.page_bytes &&
                header->slot_count == good.slot_count &&
                header->ring_records == good.ring_records &&
                header->record_bytes == good.record_bytes &&
                memcmp(header->ring_offset, good.ring_offset,
                       sizeof good.ring_offset) == 0 &&
                map.flags == header->flags);
        read_rings(&map);
        sync_page_unmap(&map);
    } else {
        require(error.message[0] != '\0');
    }
    return 0;
}
