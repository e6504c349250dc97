/* What changes while an experiment runs. */
#include "machine/machine_facts.h"

#include "machine/cgroup.h"
#include "machine/rootfs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* /proc/stat counts in USER_HZ, which is 100 on every architecture that Linux still
 * has; a captured machine's is the same, so sysconf() is not asked. */
static const double user_tick_s = 0.01;

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice". The time of
 * guests is already part of user and nice. Source: proc(5). */
static bool visit_stat(void *context, char *line)
{
    enum { STEAL = 7, STATES = 8 };
    struct model_host_load *load = context;
    if (strncmp(line, "cpu ", strlen("cpu ")) != 0) {
        return true;
    }
    const char *at = line + strlen("cpu ");
    double total = 0;
    double steal = 0;
    for (int state = 0; state < STATES; state++) {
        char *end = NULL;
        double ticks = (double)strtoull(at, &end, 10);
        if (end == at) {
            return false;
        }
        total += ticks;
        steal = state == STEAL ? ticks : steal;
        at = end;
    }
    load->total_ticks = total * user_tick_s;
    load->steal_ticks = steal * user_tick_s;
    return false;
}

static void read_load_avg(const char *root, struct model_host_load *load)
{
    char text[128];
    if (!rootfs_read(root, "/proc/loadavg", text, sizeof text)) {
        return;
    }
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        char *end = NULL;
        double value = strtod(at, &end);
        if (end == at) {
            return;
        }
        load->load_avg[i] = value;
        at = end;
    }
}

void machine_read_load(const struct machine *machine, struct model_host_load *ret_load)
{
    const double unknown = (double)NAN;
    struct model_host_load load = {.load_avg = {unknown, unknown, unknown},
                                   .steal_ticks = unknown,
                                   .total_ticks = unknown};
    read_load_avg(machine->fs_root, &load);
    (void)rootfs_each_line(machine->fs_root, "/proc/stat", visit_stat, &load);
    struct cgroup_cpu cgroup;
    cgroup_read_cpu(machine->fs_root, &cgroup);
    load.throttled_s = cgroup.throttled_s;
    load.throttled_count = cgroup.throttled_count;
    *ret_load = load;
}
