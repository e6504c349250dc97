#include "machine/cgroup.h"

#include "machine/rootfs.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where one hierarchy says that we are, and where it is mounted. */
struct hierarchy {
    bool member;         /* a line of /proc/self/cgroup names it */
    char path[PATH_MAX]; /* our group, from the top of the hierarchy (or namespace) */
    bool mounted;
    bool covers;                /* what is mounted contains our group */
    char mount_root[PATH_MAX];  /* the group that is mounted */
    char mount_point[PATH_MAX]; /* and where */
};

enum { VERSION_1, VERSION_2, VERSIONS };

/* Whether a comma-separated list has the word. */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        if (strncmp(at, word, length) == 0 &&
            (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

/* "4:cpu,cpuacct:/group", in version 2 "0::/group". The path may contain colons. */
static bool visit_membership(void *context, char *line)
{
    struct hierarchy *hierarchies = context;
    char *controllers = strchr(line, ':');
    char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL) {
        return true;
    }
    *path++ = '\0';
    controllers++;
    struct hierarchy *found = NULL;
    if (controllers[0] == '\0') {
        found = &hierarchies[VERSION_2];
    } else if (list_has(controllers, "cpu")) {
        found = &hierarchies[VERSION_1];
    }
    if (found != NULL) {
        found->member = true;
        rootfs_copy(found->path, sizeof found->path, path);
    }
    return true;
}

/* mountinfo writes space, tab, newline and backslash as \ooo. */
static void unescape_octal(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
            *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* Our group's path below the group that is mounted: "" for that group itself. NULL: our
 * group lies elsewhere, which happens where a container shows the host's paths. */
static const char *path_below_mount(const char *path, const char *mount_root)
{
    size_t length = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);
    if (strncmp(path, mount_root, length) != 0 || strstr(path, "/..") != NULL) {
        return NULL;
    }
    const char *below = path + length;
    if (strcmp(below, "/") == 0) {
        below++;
    }
    return *below == '\0' || *below == '/' ? below : NULL;
}

/* "36 35 98:0 /root /point rw,noatime [optional ...] - type source options" */
static bool visit_mount(void *context, char *line)
{
    struct hierarchy *hierarchies = context;
    char *separator = strstr(line, " - ");
    if (separator == NULL) {
        return true;
    }
    *separator = '\0';
    char *rest = NULL;
    const char *type = strtok_r(separator + 3, " ", &rest);
    const char *source = strtok_r(NULL, " ", &rest);
    const char *options = strtok_r(NULL, " ", &rest);
    struct hierarchy *found = NULL;
    if (type == NULL || source == NULL || options == NULL) {
        return true;
    }
    if (strcmp(type, "cgroup2") == 0) {
        found = &hierarchies[VERSION_2];
    } else if (strcmp(type, "cgroup") == 0 && list_has(options, "cpu")) {
        found = &hierarchies[VERSION_1];
    }
    char *fields[5] = {NULL};
    char *field = strtok_r(line, " ", &rest);
    for (size_t i = 0; i < 5 && field != NULL;
         i++, field = strtok_r(NULL, " ", &rest)) {
        fields[i] = field;
    }
    if (found == NULL || fields[4] == NULL) {
        return true;
    }
    unescape_octal(fields[3]);
    unescape_octal(fields[4]);
    bool covers = path_below_mount(found->path, fields[3]) != NULL;
    /* A hierarchy may be mounted more than once: one that shows more levels above our
     * group shows more limits. */
    bool better =
        covers && (!found->covers || strlen(fields[3]) < strlen(found->mount_root));
    if (!found->mounted || better) {
        found->mounted = true;
        found->covers = covers;
        rootfs_copy(found->mount_root, sizeof found->mount_root, fields[3]);
        rootfs_copy(found->mount_point, sizeof found->mount_point, fields[4]);
    }
    return true;
}

/* A file of the group `folder`. */
static bool read_group_file(const char *root, const char *folder, const char *name,
                            char *buffer, size_t size)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length >= 0 && (size_t)length < sizeof path &&
           rootfs_read(root, path, buffer, size);
}

/* "150000 100000" or "max 100000": allowed microseconds in each period. */
static double quota_of_v2(const char *root, const char *folder)
{
    char text[64];
    if (!read_group_file(root, folder, "cpu.max", text, sizeof text)) {
        return (double)INFINITY;
    }
    char *end = NULL;
    unsigned long long quota_us = strtoull(text, &end, 10);
    if (end == text || *end != ' ') {
        return (double)INFINITY; /* "max" */
    }
    unsigned long long period_us = strtoull(end, NULL, 10);
    return period_us == 0 ? (double)INFINITY : (double)quota_us / (double)period_us;
}

static double quota_of_v1(const char *root, const char *folder)
{
    char quota[32];
    char period[32];
    if (!read_group_file(root, folder, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_group_file(root, folder, "cpu.cfs_period_us", period, sizeof period)) {
        return (double)INFINITY;
    }
    long long quota_us = strtoll(quota, NULL, 10);
    long long period_us = strtoll(period, NULL, 10);
    if (quota_us <= 0 || period_us <= 0) { /* -1: no limit */
        return (double)INFINITY;
    }
    return (double)quota_us / (double)period_us;
}

static void add_throttling(const char *root, const char *folder, const char *key,
                           double unit_s, struct cgroup_cpu *cpu)
{
    char text[2048];
    uint64_t count = 0;
    uint64_t time = 0;
    if (read_group_file(root, folder, "cpu.stat", text, sizeof text) &&
        rootfs_keyed_number(text, "nr_throttled", &count) &&
        rootfs_keyed_number(text, key, &time)) {
        double so_far = isnan(cpu->throttled_s) ? 0.0 : cpu->throttled_s;
        cpu->throttled_s = so_far + (double)time * unit_s;
        cpu->throttled_count += count;
    }
}

static void walk_up(const char *root, const struct hierarchy *hierarchy, int version,
                    struct cgroup_cpu *cpu)
{
    const char *below = hierarchy->covers
                            ? path_below_mount(hierarchy->path, hierarchy->mount_root)
                            : "";
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s%s", hierarchy->mount_point,
                          below == NULL ? "" : below);
    if (length < 0 || (size_t)length >= sizeof folder) {
        return;
    }
    size_t top = strlen(hierarchy->mount_point);
    for (;;) {
        double quota = version == VERSION_2 ? quota_of_v2(root, folder)
                                            : quota_of_v1(root, folder);
        cpu->quota_cpus = fmin(cpu->quota_cpus, quota);
        if (version == VERSION_2) {
            add_throttling(root, folder, "throttled_usec", 1e-6, cpu);
        } else {
            add_throttling(root, folder, "throttled_time", 1e-9, cpu);
        }
        char *last = strrchr(folder, '/');
        if (last == NULL || (size_t)(last - folder) < top) {
            return;
        }
        *last = '\0';
    }
}

void cgroup_read_cpu(const char *root, struct cgroup_cpu *ret_cpu)
{
    struct hierarchy hierarchies[VERSIONS] = {0};
    *ret_cpu =
        (struct cgroup_cpu){.quota_cpus = (double)INFINITY, .throttled_s = (double)NAN};
    (void)rootfs_each_line(root, "/proc/self/cgroup", visit_membership, hierarchies);
    (void)rootfs_each_line(root, "/proc/self/mountinfo", visit_mount, hierarchies);
    for (int version = VERSION_1; version < VERSIONS; version++) {
        if (hierarchies[version].member && hierarchies[version].mounted) {
            walk_up(root, &hierarchies[version], version, ret_cpu);
        }
    }
}
