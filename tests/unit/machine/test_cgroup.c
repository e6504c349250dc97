/* Quotas and throttling of control groups, in trees made for each case. */
#include "machine/cgroup.h"

#include "unit/machine/file_tree.h"

#include <math.h>
#include <stdbool.h>

struct file {
    const char *path;
    const char *text;
};

struct tree_case {
    const char *what;
    double quota_cpus;
    double throttled_s; /* negative: unknown */
    uint64_t throttled_count;
    struct file files[8];
};

#define CGROUP "/proc/self/cgroup"
#define MOUNTS "/proc/self/mountinfo"
#define MOUNT_V2 "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n"
#define MOUNT_V1 "30 23 0:26 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\n"

static const struct tree_case cases[] = {
    {.what = "no files at all", .quota_cpus = (double)INFINITY, .throttled_s = -1},
    {.what = "groups but no mounts",
     .quota_cpus = (double)INFINITY,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/a\n"}, {"/cg/a/cpu.max", "100000 100000\n"}}},
    {.what = "mounts but no groups",
     .quota_cpus = (double)INFINITY,
     .throttled_s = -1,
     .files = {{MOUNTS, MOUNT_V2}, {"/cg/cpu.max", "100000 100000\n"}}},
    {.what = "own group limits",
     .quota_cpus = 0.25,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/a/b\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/a/b/cpu.max", "25000 100000\n"},
               {"/cg/a/cpu.max", "400000 100000\n"}}},
    {.what = "an ancestor limits more",
     .quota_cpus = 2,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/a/b/c\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/a/b/c/cpu.max", "max 100000\n"},
               {"/cg/a/b/cpu.max", "300000 100000\n"},
               {"/cg/a/cpu.max", "100000 50000\n"}}},
    {.what = "namespace root with a limit, as in a container of version 2",
     .quota_cpus = 1.5,
     .throttled_s = 0.5,
     .throttled_count = 7,
     .files = {{CGROUP, "0::/\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/cpu.max", "150000 100000\n"},
               {"/cg/cpu.stat", "nr_throttled 7\nthrottled_usec 500000\n"}}},
    {.what = "a group whose folder is not to be seen",
     .quota_cpus = 3,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/hidden/deep\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/cpu.max", "300000 100000\n"}}},
    {.what = "a group outside the namespace",
     .quota_cpus = 3,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/../../other\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/cpu.max", "300000 100000\n"},
               {"/other/cpu.max", "100000 100000\n"}}},
    {.what = "a mount of another part of the hierarchy",
     .quota_cpus = 3,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/here\n"},
               {MOUNTS, "30 23 0:26 /there /cg rw - cgroup2 cgroup2 rw\n"},
               {"/cg/cpu.max", "300000 100000\n"}}},
    {.what = "a name that merely begins like the mounted group",
     .quota_cpus = 3,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/boxer\n"},
               {MOUNTS, "30 23 0:26 /box /cg rw - cgroup2 cgroup2 rw\n"},
               {"/cg/cpu.max", "300000 100000\n"},
               {"/cger/cpu.max", "100000 100000\n"}}},
    {.what = "two mounts: the one that shows more ancestors",
     .quota_cpus = 1,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/a/b\n"},
               {MOUNTS, "29 23 0:26 /a/b /part rw - cgroup2 cgroup2 rw\n" MOUNT_V2},
               {"/part/cpu.max", "200000 100000\n"},
               {"/cg/a/cpu.max", "100000 100000\n"}}},
    {.what = "version 1, limit on the parent",
     .quota_cpus = 1.2,
     .throttled_s = 3,
     .throttled_count = 4,
     .files = {{CGROUP, "3:cpu,cpuacct:/a/b\n2:cpuset:/\n"},
               {MOUNTS, MOUNT_V1},
               {"/cpu/a/b/cpu.cfs_quota_us", "-1\n"},
               {"/cpu/a/b/cpu.cfs_period_us", "100000\n"},
               {"/cpu/a/cpu.cfs_quota_us", "60000\n"},
               {"/cpu/a/cpu.cfs_period_us", "50000\n"},
               {"/cpu/a/cpu.stat", "nr_throttled 4\nthrottled_time 3000000000\n"}}},
    {.what = "cpuset and cpuacct are not the CPU controller",
     .quota_cpus = (double)INFINITY,
     .throttled_s = -1,
     .files = {{CGROUP, "3:cpuacct:/\n2:cpuset:/\n"},
               {MOUNTS, MOUNT_V1},
               {"/cpu/cpu.cfs_quota_us", "60000\n"},
               {"/cpu/cpu.cfs_period_us", "50000\n"}}},
    {.what = "both versions: the smaller quota, throttling added",
     .quota_cpus = 0.5,
     .throttled_s = 3,
     .throttled_count = 3,
     .files = {{CGROUP, "3:cpu:/\n0::/\n"},
               {MOUNTS, MOUNT_V1 MOUNT_V2},
               {"/cpu/cpu.cfs_quota_us", "50000\n"},
               {"/cpu/cpu.cfs_period_us", "100000\n"},
               {"/cpu/cpu.stat", "nr_throttled 1\nthrottled_time 1000000000\n"},
               {"/cg/cpu.max", "100000 100000\n"},
               {"/cg/cpu.stat", "nr_throttled 2\nthrottled_usec 2000000\n"}}},
    {.what = "colons in the name of a group",
     .quota_cpus = 2,
     .throttled_s = -1,
     .files = {{CGROUP, "0::/a:b\n"},
               {MOUNTS, MOUNT_V2},
               {"/cg/a:b/cpu.max", "200000 100000\n"}}},
    {.what = "nonsense limits nothing",
     .quota_cpus = (double)INFINITY,
     .throttled_s = -1,
     .files = {{CGROUP, "what\n0:\n0::/a\n"},
               {MOUNTS, "short\n1 2 - \n1 2 3 - cgroup2 x\n1 - cgroup2 x y\n" MOUNT_V2},
               {"/cg/a/cpu.max", "100000\n"},
               {"/cg/cpu.max", "100000 0\n"},
               {"/cg/cpu.stat", "nr_throttled many\nthrottled_usec 1\n"}}},
};

static void each_tree_gives_its_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tree_case *expected = &cases[i];
        char root[256];
        file_tree_open(root);
        for (size_t f = 0; f < 8 && expected->files[f].path != NULL; f++) {
            file_tree_put(root, expected->files[f].path, expected->files[f].text);
        }
        struct cgroup_cpu cpu;
        cgroup_read_cpu(root, &cpu);
        file_tree_remove(root);
        bool throttling_agrees =
            expected->throttled_s < 0
                ? isnan(cpu.throttled_s) != 0
                : fabs(cpu.throttled_s - expected->throttled_s) < 1e-9;
        if (cpu.quota_cpus != expected->quota_cpus || !throttling_agrees ||
            cpu.throttled_count != expected->throttled_count) {
            fail_msg("%s: quota %g, throttled %g s, %llu times", expected->what,
                     cpu.quota_cpus, cpu.throttled_s,
                     (unsigned long long)cpu.throttled_count);
        }
    }
}

static void this_machine_has_some_quota_or_none(void **state)
{
    (void)state;
    struct cgroup_cpu cpu;
    cgroup_read_cpu("", &cpu);
    assert_true(cpu.quota_cpus > 0);
    assert_true(isnan(cpu.throttled_s) || cpu.throttled_s >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tree_gives_its_limits),
        cmocka_unit_test(this_machine_has_some_quota_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
