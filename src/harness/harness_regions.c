#include "harness/harness_regions.h"

#include <stddef.h>
#include <string.h>

void harness_regions_begin(struct harness_regions *regions)
{
    regions->open = 0;
    for (uint32_t i = 0; i < regions->count; i++) {
        regions->visits[i] = (struct harness_visits){0};
    }
}

/* By address first: a literal in a loop has the same every time. */
static uint32_t find(struct harness_regions *regions, const char *name)
{
    for (uint32_t i = 0; i < regions->count; i++) {
        if (regions->pointers[i] == name) {
            return i + 1;
        }
    }
    for (uint32_t i = 0; i < regions->count; i++) {
        if (strcmp(regions->names[i], name) == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* What is in a buffer may have another name next time. */
static bool still_is(const struct harness_regions *regions, uint32_t region,
                     const char *name)
{
    return strcmp(regions->names[region - 1], name) == 0;
}

const char *harness_regions_enter(struct harness_regions *regions, const char *name,
                                  uint64_t now_ns, uint64_t now_cpu_ns, bool *ret_added)
{
    *ret_added = false;
    harness_regions_leave(regions, now_ns, now_cpu_ns);
    if (name == NULL) {
        return NULL;
    }
    uint32_t region = find(regions, name);
    if (region != 0 && !still_is(regions, region, name)) {
        regions->pointers[region - 1] = NULL;
        region = find(regions, name);
    }
    if (region == 0) {
        if (!sync_region_name_fits(name)) {
            return "duet_region() was called with a name that is not 1 to 31 printable characters of ASCII";
        }
        if (regions->count == SYNC_REGIONS_MAX) {
            return "duet_region() was called with more than 16 different names";
        }
        region = ++regions->count;
        memcpy(regions->names[region - 1], name, strlen(name) + 1);
        *ret_added = true;
    }
    regions->pointers[region - 1] = name;
    struct harness_visits *visits = &regions->visits[region - 1];
    if (!visits->any) {
        *visits = (struct harness_visits){.any = true, .first_ns = now_ns};
    }
    regions->open = region;
    regions->opened_ns = now_ns;
    regions->opened_cpu_ns = now_cpu_ns;
    return NULL;
}

void harness_regions_leave(struct harness_regions *regions, uint64_t now_ns,
                           uint64_t now_cpu_ns)
{
    if (regions->open != 0) {
        struct harness_visits *visits = &regions->visits[regions->open - 1];
        visits->spent_ns += now_ns - regions->opened_ns;
        visits->spent_cpu_ns += now_cpu_ns - regions->opened_cpu_ns;
        regions->open = 0;
    }
}
