/* The text through which a side finds its page. */
#include "sync/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sync_attach_format(const struct sync_attach *attach, char text[SYNC_ATTACH_BYTES])
{
    /* Fixed width, so that the environment of both slots is equally long. */
    (void)snprintf(text, SYNC_ATTACH_BYTES,
                   "v%u:page=%04d:bell=%04d:pid=%010" PRId64
                   ":slot=%u:nonce=%016" PRIx64,
                   attach->version, attach->page_fd, attach->bell_fd, attach->pid,
                   attach->slot, attach->nonce);
}

enum duet_code sync_attach_parse(const char *text, struct sync_attach *ret_attach,
                                 struct duet_error *reterr)
{
    struct sync_attach attach = {0};
    int length = 0;
    if (sscanf(text, "v%u:", &attach.version) == 1 &&
        attach.version != SYNC_PAGE_VERSION) {
        return error_set(reterr, DUET_E_VERSION,
                         "%s names protocol version %u, this harness knows %d",
                         SYNC_ATTACH_VARIABLE, attach.version, SYNC_PAGE_VERSION);
    }
    int fields = sscanf(
        text, "v%u:page=%4d:bell=%4d:pid=%10" SCNd64 ":slot=%1u:nonce=%16" SCNx64 "%n",
        &attach.version, &attach.page_fd, &attach.bell_fd, &attach.pid, &attach.slot,
        &attach.nonce, &length);
    if (fields != 6 || text[length] != '\0' || attach.page_fd < 0 ||
        attach.bell_fd < 0 || attach.pid <= 0 || attach.slot >= SYNC_SLOTS) {
        return error_set(reterr, DUET_E_PROTOCOL, "%s is malformed: '%.100s'",
                         SYNC_ATTACH_VARIABLE, text);
    }
    *ret_attach = attach;
    return DUET_OK;
}
