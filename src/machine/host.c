/* What this machine is, as far as results depend on it. */
#include "machine/machine_facts.h"

#include "machine/host_uuid.h"
#include "machine/hypervisor.h"
#include "machine/rootfs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* PRETTY_NAME of os-release(5); values may be quoted. */
static bool visit_os_release(void *context, char *line)
{
    struct model_host *host = context;
    static const char key[] = "PRETTY_NAME=";
    if (strncmp(line, key, sizeof key - 1) != 0) {
        return true;
    }
    char *value = line + sizeof key - 1;
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') &&
        value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    rootfs_copy(host->os, sizeof host->os, value);
    return false;
}

/* Distributions without a CPU model in the topology: x86 "model name", POWER "cpu",
 * RISC-V "uarch", s390 "machine". The first processor speaks for all. */
static bool visit_cpuinfo(void *context, char *line)
{
    static const char *const keys[] = {"model name", "cpu", "Hardware", "uarch"};
    struct model_host *host = context;
    char *value = strchr(line, ':');
    if (value == NULL) {
        return true;
    }
    size_t length = (size_t)(value - line);
    while (length > 0 && (line[length - 1] == '\t' || line[length - 1] == ' ')) {
        length--;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i]) == length && strncmp(line, keys[i], length) == 0) {
            value += strspn(value, ": \t");
            rootfs_copy(host->cpu_model, sizeof host->cpu_model, value);
            return false;
        }
    }
    return true;
}

static bool visit_meminfo(void *context, char *line)
{
    static const char key[] = "MemTotal:";
    double *bytes = context;
    if (strncmp(line, key, sizeof key - 1) != 0) {
        return true;
    }
    char *end = NULL;
    unsigned long long kib = strtoull(line + sizeof key - 1, &end, 10);
    if (end != line + sizeof key - 1) {
        *bytes = (double)kib * 1024.0;
    }
    return false;
}

static void describe_system(const struct machine *machine, struct model_host *host)
{
    const char *root = machine->fs_root;
    (void)rootfs_read(root, "/proc/sys/kernel/hostname", host->host_name,
                      sizeof host->host_name);
    (void)rootfs_read(root, "/proc/sys/kernel/osrelease", host->kernel,
                      sizeof host->kernel);
    rootfs_copy(host->arch, sizeof host->arch, machine->arch);
    struct utsname names;
    if (machine->live && uname(&names) == 0) {
        if (host->host_name[0] == '\0') {
            rootfs_copy(host->host_name, sizeof host->host_name, names.nodename);
        }
        if (host->kernel[0] == '\0') {
            rootfs_copy(host->kernel, sizeof host->kernel, names.release);
        }
        rootfs_copy(host->arch, sizeof host->arch, names.machine);
    }
    if (!rootfs_each_line(root, "/etc/os-release", visit_os_release, host)) {
        (void)rootfs_each_line(root, "/usr/lib/os-release", visit_os_release, host);
    }
    host->memory_bytes = machine->memory_bytes;
    (void)rootfs_each_line(root, "/proc/meminfo", visit_meminfo, &host->memory_bytes);
    host_uuid_of_machine(
        root, host->host_name,
        machine->live ? secure_getenv(MACHINE_INSTANCE_VARIABLE) : NULL, host->uuid);
}

static void describe_cpus(const struct machine *machine, struct model_host *host)
{
    int last_core = FACT_NONE;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        const struct machine_cpu *cpu = &machine->cpus[i];
        if (cpu->state == CPU_OFFLINE) {
            continue;
        }
        host->num_cpus++;
        last_core = cpu->core > last_core ? cpu->core : last_core;
        int threads = 0;
        for (size_t k = 0; k < machine->cpu_count; k++) {
            threads += machine->cpus[k].state != CPU_OFFLINE &&
                       machine->cpus[k].core == cpu->core;
        }
        host->smt = threads > host->smt ? threads : host->smt;
    }
    host->num_cores = last_core + 1; /* cores are numbered from 0 without gaps */
    rootfs_copy(host->cpu_model, sizeof host->cpu_model, machine->cpu_model);
    if (host->cpu_model[0] == '\0') {
        (void)rootfs_each_line(machine->fs_root, "/proc/cpuinfo", visit_cpuinfo, host);
    }
}

/* Adds one CPU's governor to what the CPUs before it had. */
static void merge_governor(const char *root, unsigned cpu, struct model_host *host)
{
    char path[96];
    char governor[sizeof host->governor];
    (void)snprintf(path, sizeof path,
                   "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
    if (!rootfs_read(root, path, governor, sizeof governor) || governor[0] == '\0') {
        return;
    }
    if (host->governor[0] == '\0') {
        rootfs_copy(host->governor, sizeof host->governor, governor);
    } else if (strcmp(host->governor, governor) != 0) {
        rootfs_copy(host->governor, sizeof host->governor, "mixed");
    }
}

/* Turbo, by whichever driver has a say: intel_pstate for all CPUs, cpufreq's boost for
 * all, or (Linux 6.11 and later) for each policy. */
static int read_turbo(const char *root, unsigned cpu)
{
    int64_t number = 0;
    if (rootfs_read_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo",
                           &number)) {
        return number == 0;
    }
    char path[96];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/boost",
                   cpu);
    if (rootfs_read_number(root, "/sys/devices/system/cpu/cpufreq/boost", &number) ||
        rootfs_read_number(root, path, &number)) {
        return number != 0;
    }
    return -1;
}

static void describe_frequency(const struct machine *machine,
                               const struct model_cpu_set *set, struct model_host *host)
{
    for (size_t i = 0; i < set->count; i++) {
        merge_governor(machine->fs_root, set->cpus[i], host);
    }
    if (set->count > 0 && host->turbo < 0) {
        host->turbo = read_turbo(machine->fs_root, set->cpus[0]);
    }
}

void machine_describe(const struct machine *machine, const struct model_cpu_set sets[2],
                      struct model_host *ret_host)
{
    struct model_host host = {.turbo = -1};
    describe_system(machine, &host);
    describe_cpus(machine, &host);
    hypervisor_detect(machine->fs_root, machine->live, host.hypervisor,
                      sizeof host.hypervisor);
    (void)rootfs_read(
        machine->fs_root,
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        host.clock_source, sizeof host.clock_source);
    if (sets == NULL) {
        struct model_cpu_set allowed;
        machine_cpus_allowed(machine, &allowed);
        describe_frequency(machine, &allowed, &host);
    } else {
        describe_frequency(machine, &sets[0], &host);
        describe_frequency(machine, &sets[1], &host);
    }
    host.cpu_quota = isinf(machine->quota_cpus) ? (double)NAN : machine->quota_cpus;
    *ret_host = host;
}

bool machine_clock_is_fast(const struct model_host *host)
{
    /* Those whose counter the vDSO reads without entering the kernel (vdso_clock_mode
     * in the kernel's drivers). acpi_pm, hpet, jiffies, xen and others need a system
     * call and a slow device register. */
    static const char *const fast[] = {
        "tsc",      "tsc-early", "arch_sys_counter",  "kvm-clock",
        "timebase", "tod",       "riscv_clocksource", "hyperv_clocksource_tsc_page"};
    for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++) {
        if (strcmp(host->clock_source, fast[i]) == 0) {
            return true;
        }
    }
    return false;
}
