#include "machine/alive.h"

#include "machine/rootfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Source: proc(5), /proc/PID/statm: in pages. */
bool alive_has_memory(int64_t pid)
{
    char path[64];
    char text[128];
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/statm", pid);
    return rootfs_read("", path, text, sizeof text) && strtoull(text, NULL, 10) > 0;
}

/* The folder of its threads has a link for each, one for itself and its parent's. */
static bool has_several_threads(int64_t pid)
{
    enum { LINKS_OF_ONE = 3 };
    char path[64];
    struct stat status;
    (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/task", pid);
    return stat(path, &status) == 0 && status.st_nlink > LINKS_OF_ONE;
}

bool alive_is(int64_t pid)
{
    return alive_has_memory(pid) || has_several_threads(pid);
}
