/* A shared page that serves all inputs: making one takes longer than reading it. */
#ifndef FUZZ_KEPT_PAGE_H
#define FUZZ_KEPT_PAGE_H

#include "sync/page.h"

#include <stdlib.h>
#include <string.h>

struct kept_page {
    int fd;
    struct sync_map map;
    struct sync_page fresh; /* as it was made */
};

/* As it was made, but for the rings. */
static inline struct kept_page *kept_page_again(void)
{
    static struct kept_page kept;
    const struct sync_setup setup = {0, 10, SYNC_NEVER, 0};
    if (kept.map.page == NULL) {
        if (sync_page_create(&setup, &kept.fd, &kept.map, NULL) != DUET_OK) {
            abort();
        }
        memcpy(&kept.fresh, kept.map.page, sizeof kept.fresh);
    }
    memcpy(kept.map.page, &kept.fresh, sizeof kept.fresh);
    memset(kept.map.drained, 0, sizeof kept.map.drained);
    return &kept;
}

#endif
