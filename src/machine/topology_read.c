#include "machine/topology_facts.h"

#include "machine/rootfs.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* x86 Linux stops at 8192 CPUs, so that one call of sched_getaffinity always fits. */
enum { AFFINITY_SETS = 8, AFFINITY_CPUS = AFFINITY_SETS * CPU_SETSIZE };

static enum duet_code refuse_capture(const char *xml, struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_FORMAT,
        "'%s' is not a topology that hwloc can load: capture it again with `lstopo --of xml`",
        xml);
}

/* Loads what the choice of CPUs needs and nothing else: no devices, no distances, no
 * memory attributes, and without moving this thread over every CPU to ask it. */
static enum duet_code load_topology(const char *xml, hwloc_topology_t *ret_topology,
                                    struct duet_error *reterr)
{
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) != 0) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read the CPU topology");
    }
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                          HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
                          HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                          HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
    enum duet_code code = DUET_OK;
    if (xml != NULL && hwloc_topology_set_xml(topology, xml) != 0) {
        /* With hwloc's libxml plugin the contents are parsed here already. */
        int reason = errno;
        code = access(xml, R_OK) == 0
                   ? refuse_capture(xml, reterr)
                   : error_set_errno(reterr, DUET_E_IO, reason,
                                     "cannot read the captured topology '%s'", xml);
    } else if (hwloc_topology_set_flags(topology, flags) != 0 ||
               hwloc_topology_set_io_types_filter(topology,
                                                  HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
               hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MISC,
                                              HWLOC_TYPE_FILTER_KEEP_NONE) != 0) {
        code = error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "hwloc refuses the settings for the CPU topology");
    } else if (hwloc_topology_load(topology) != 0) {
        code =
            xml != NULL
                ? refuse_capture(xml, reterr)
                : error_set_errno(
                      reterr, DUET_E_SYSTEM, errno,
                      "hwloc cannot read the CPU topology below /sys/devices/system/cpu");
    }
    if (code != DUET_OK) {
        hwloc_topology_destroy(topology);
        return code;
    }
    *ret_topology = topology;
    return DUET_OK;
}

static int ancestor_index(hwloc_topology_t topology, hwloc_obj_t pu,
                          hwloc_obj_type_t type)
{
    hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, pu);
    return found == NULL ? FACT_NONE : (int)found->logical_index;
}

/* The outermost data or unified cache above a CPU. Its number tells caches of different
 * levels apart, since they may be mixed on one machine. */
static int last_level_cache(hwloc_obj_t pu)
{
    hwloc_obj_t last = NULL;
    for (hwloc_obj_t at = pu; at != NULL; at = at->parent) {
        if (hwloc_obj_type_is_dcache(at->type)) {
            last = at;
        }
    }
    return last == NULL ? FACT_NONE : (int)last->gp_index;
}

static void describe_cpu(hwloc_topology_t topology, hwloc_obj_t pu,
                         struct machine_cpu *cpu)
{
    cpu->core = ancestor_index(topology, pu, HWLOC_OBJ_CORE);
    if (cpu->core == FACT_NONE) { /* no cores are described: each CPU is one */
        cpu->core = (int)pu->logical_index;
    }
    cpu->cache = last_level_cache(pu);
    cpu->package = ancestor_index(topology, pu, HWLOC_OBJ_PACKAGE);
    cpu->efficiency = FACT_NONE;
    cpu->kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    if (cpu->kind >= 0) {
        (void)hwloc_cpukinds_get_info(topology, (unsigned)cpu->kind, NULL,
                                      &cpu->efficiency, NULL, NULL, 0);
    } else {
        cpu->kind = FACT_NONE;
    }
}

/* The CPUs that this thread may use. All clear for a captured machine, and where the
 * kernel does not tell. */
struct affinity {
    bool known;
    cpu_set_t sets[AFFINITY_SETS];
};

static struct affinity read_affinity(const struct topology_facts *facts)
{
    struct affinity affinity = {.known = false};
    affinity.known =
        facts->live && sched_getaffinity(0, sizeof affinity.sets, affinity.sets) == 0;
    return affinity;
}

static bool affinity_has(const struct affinity *affinity, size_t cpu)
{
    return affinity->known && cpu < AFFINITY_CPUS &&
           CPU_ISSET_S(cpu, sizeof affinity->sets, affinity->sets);
}

/* Without /sys and /proc hwloc guesses how many CPUs there are, and numbers them from
 * 0; containers may be shown other numbers of CPUs that are online than they have.
 * Those of the affinity mask are online: each that is not described counts as a core.
 */
static void add_undescribed(struct topology_facts *facts,
                            const struct affinity *affinity)
{
    size_t described = facts->cpu_count;
    int core = FACT_NONE;
    for (size_t i = 0; i < described; i++) {
        core = facts->cpus[i].core > core ? facts->cpus[i].core : core;
    }
    size_t at = 0; /* they ascend */
    for (size_t cpu = 0; cpu < AFFINITY_CPUS; cpu++) {
        while (at < described && facts->cpus[at].cpu < cpu) {
            at++;
        }
        bool known = at < described && facts->cpus[at].cpu == cpu;
        if (!affinity_has(affinity, cpu) ||
            (known ? facts->cpus[at].state != CPU_OFFLINE
                   : facts->cpu_count == TOPOLOGY_CPUS_MAX)) {
            continue;
        }
        core++;
        facts->cpus[known ? at : facts->cpu_count++] =
            (struct machine_cpu){.cpu = (unsigned)cpu,
                                 .state = CPU_ALLOWED,
                                 .core = core,
                                 .cache = FACT_NONE,
                                 .package = FACT_NONE,
                                 .kind = FACT_NONE,
                                 .efficiency = FACT_NONE};
    }
}

static int compare_cpus(const void *a, const void *b)
{
    unsigned number_a = ((const struct machine_cpu *)a)->cpu;
    unsigned number_b = ((const struct machine_cpu *)b)->cpu;
    return (number_a > number_b) - (number_a < number_b);
}

static enum duet_code fill_cpus(struct topology_facts *facts, hwloc_topology_t topology,
                                struct duet_error *reterr)
{
    hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(topology);
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
    struct affinity affinity = read_affinity(facts);
    int count = hwloc_bitmap_weight(complete);
    if (count <= 0) {
        return error_set(reterr, DUET_E_FORMAT, "the CPU topology lists no CPU");
    }
    if (count > TOPOLOGY_CPUS_MAX) {
        return error_set(reterr, DUET_E_FORMAT,
                         "the CPU topology lists %d CPUs; %d can be", count,
                         TOPOLOGY_CPUS_MAX);
    }
    for (int number = hwloc_bitmap_first(complete);
         number >= 0 && facts->cpu_count < (size_t)count;
         number = hwloc_bitmap_next(complete, number)) {
        struct machine_cpu *cpu = &facts->cpus[facts->cpu_count++];
        *cpu = (struct machine_cpu){.cpu = (unsigned)number, .state = CPU_OFFLINE};
        hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, (unsigned)number);
        if (pu == NULL) {
            continue;
        }
        describe_cpu(topology, pu, cpu);
        bool usable = hwloc_bitmap_isset(allowed, (unsigned)number) != 0 &&
                      (!affinity.known || affinity_has(&affinity, (size_t)number));
        cpu->state = usable ? CPU_ALLOWED : CPU_DISALLOWED;
    }
    add_undescribed(facts, &affinity);
    qsort(facts->cpus, facts->cpu_count, sizeof facts->cpus[0], compare_cpus);
    return DUET_OK;
}

static void copy_info(hwloc_obj_t object, const char *name, char *buffer, size_t size)
{
    const char *value =
        object == NULL ? NULL : hwloc_obj_get_info_by_name(object, name);
    rootfs_copy(buffer, size, value == NULL ? "" : value);
}

static void fill_names(struct topology_facts *facts, hwloc_topology_t topology)
{
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    hwloc_obj_t package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, NULL);
    copy_info(root, "Architecture", facts->arch, sizeof facts->arch);
    copy_info(package, "CPUModel", facts->cpu_model, sizeof facts->cpu_model);
    facts->memory_bytes = root == NULL || root->total_memory == 0
                              ? (double)NAN
                              : (double)root->total_memory;
}

enum duet_code topology_read(const char *xml, struct topology_facts *facts,
                             struct duet_error *reterr)
{
    hwloc_topology_t topology = NULL;
    enum duet_code code = load_topology(xml, &topology, reterr);
    if (code != DUET_OK) {
        return code;
    }
    /* Also where hwloc has another topology from a variable, such as HWLOC_XMLFILE of
     * mpiexec: it is here that processes are bound. */
    facts->live = xml == NULL;
    code = fill_cpus(facts, topology, reterr);
    if (code == DUET_OK) {
        fill_names(facts, topology);
    }
    hwloc_topology_destroy(topology);
    return code;
}
