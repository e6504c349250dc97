/* What a captured machine says about itself, and this one. */
#include "unit/machine/captured.h"

#include "machine/hypervisor.h"
#include "unit/machine/file_tree.h"

#include <math.h>
#include <string.h>

static void bare_metal_is_described(void **state)
{
    (void)state;
    struct machine *machine = captured_open("smt");
    struct model_cpu_set sets[2] = {{.cpus = {1}, .count = 1},
                                    {.cpus = {2}, .count = 1}};
    struct model_host host;
    machine_describe(machine, sets, &host);
    assert_string_equal(host.uuid, "b50b1a64-90ab-551b-848a-b8991dc68eca");
    assert_string_equal(host.host_name, "desk");
    assert_string_equal(host.os, "Debian GNU/Linux 12 (bookworm)");
    assert_string_equal(host.kernel, "6.1.0-18-amd64");
    assert_string_equal(host.arch, ""); /* the capture does not say */
    assert_string_equal(host.cpu_model, "Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz");
    assert_string_equal(host.hypervisor, ""); /* in spite of DMI */
    assert_string_equal(host.clock_source, "tsc");
    assert_true(machine_clock_is_fast(&host));
    assert_string_equal(host.governor, "powersave");
    assert_int_equal(host.num_cpus, 8);
    assert_int_equal(host.num_cores, 4);
    assert_int_equal(host.smt, 2);
    assert_int_equal(host.turbo, 0);
    assert_true(isnan(host.cpu_quota));
    assert_true(host.memory_bytes == 16303428.0 * 1024);
    machine_free(machine);
}

static void a_virtual_machine_is_described(void **state)
{
    (void)state;
    struct machine *machine = captured_open("cgroup-v2");
    struct model_host host;
    machine_describe(machine, NULL, &host);
    assert_string_equal(host.uuid, "27da7c1d-adaa-5a96-8594-b6d5eaca30f1");
    assert_string_equal(host.host_name, "runner-7");
    assert_string_equal(host.os, "Alpine Linux v3.19");
    assert_string_equal(host.kernel, "");
    assert_string_equal(host.cpu_model, "AMD EPYC 7R13 Processor");
    assert_string_equal(host.hypervisor, "qemu");
    assert_string_equal(host.clock_source, "kvm-clock");
    assert_string_equal(host.governor, "");
    assert_int_equal(host.turbo, 1);
    assert_true(host.cpu_quota == 1.5);
    assert_true(host.memory_bytes == 1073741824.0); /* from the topology */
    machine_free(machine);
}

static void what_is_not_known_stays_unknown(void **state)
{
    (void)state;
    struct machine *machine = captured_open("one-cpu"); /* it has no root */
    struct model_host host;
    struct model_host_load load;
    machine_describe(machine, NULL, &host);
    machine_read_load(machine, &load);
    machine_free(machine);
    assert_string_equal(host.uuid, "");
    assert_string_equal(host.host_name, "");
    assert_string_equal(host.os, "");
    assert_string_equal(host.cpu_model, "");
    assert_string_equal(host.clock_source, "");
    assert_false(machine_clock_is_fast(&host));
    assert_int_equal(host.num_cpus, 1);
    assert_int_equal(host.smt, 1);
    assert_int_equal(host.turbo, -1);
    assert_true(isnan(load.load_avg[0]));
    assert_true(isnan(load.steal_ticks));
    assert_true(isnan(load.total_ticks));
    assert_true(isnan(load.throttled_s));
    assert_int_equal(load.throttled_count, 0);
}

static void counts_are_of_online_cpus(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        int cpus;
        int cores;
        int smt;
    } cases[] = {{"cpuset", 8, 4, 2},   {"hybrid", 8, 6, 2}, {"two-sockets", 8, 8, 1},
                 {"smt-pair", 2, 1, 2}, {"ccx", 12, 6, 2},   {"no-caches", 4, 4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct machine *machine = captured_open(cases[i].machine);
        struct model_host host;
        machine_describe(machine, NULL, &host);
        machine_free(machine);
        assert_int_equal(host.num_cpus, cases[i].cpus);
        assert_int_equal(host.num_cores, cases[i].cores);
        assert_int_equal(host.smt, cases[i].smt);
    }
}

static void the_governor_is_that_of_the_cpus_used(void **state)
{
    (void)state;
    static const struct {
        struct model_cpu_set sets[2];
        const char *governor;
    } cases[] = {{{{{1}, 1}, {{2}, 1}}, "powersave"},
                 {{{{7}, 1}, {{0}, 0}}, "performance"},
                 {{{{1}, 1}, {{7}, 1}}, "mixed"},
                 {{{{1, 7, 2}, 3}, {{3}, 1}}, "mixed"},
                 {{{{0}, 0}, {{0}, 0}}, ""}};
    struct machine *machine = captured_open("smt");
    struct model_host host;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine_describe(machine, cases[i].sets, &host);
        assert_string_equal(host.governor, cases[i].governor);
    }
    machine_describe(machine, NULL, &host);
    assert_string_equal(host.governor, "mixed");
    machine_free(machine);
}

static void slow_clocks_are_known(void **state)
{
    (void)state;
    static const char *const fast[] = {"tsc", "kvm-clock", "arch_sys_counter"};
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "xen", ""};
    for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++) {
        struct model_host host = {0};
        (void)snprintf(host.clock_source, sizeof host.clock_source, "%s", fast[i]);
        assert_true(machine_clock_is_fast(&host));
    }
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        struct model_host host = {0};
        (void)snprintf(host.clock_source, sizeof host.clock_source, "%s", slow[i]);
        assert_false(machine_clock_is_fast(&host));
    }
}

static void hypervisors_are_named(void **state)
{
    (void)state;
    static const char vm[] = "flags\t\t: fpu hypervisor nx\n";
    static const char metal[] = "flags\t\t: fpu nx\n";
    static const char arm[] = "Features\t: fp asimd\n";
    static const struct {
        const char *cpuinfo;
        const char *path;
        const char *text;
        const char *name;
    } cases[] = {
        {vm, "/sys/class/dmi/id/sys_vendor", "QEMU\n", "qemu"},
        {vm, "/sys/class/dmi/id/product_name", "KVM Virtual Machine\n", "kvm"},
        {vm, "/sys/class/dmi/id/product_name", "VMware20,1\n", "vmware"},
        {vm, "/sys/class/dmi/id/bios_vendor", "innotek GmbH\n", "oracle"},
        {vm, "/sys/class/dmi/id/sys_vendor", "Somebody\n", "vm"},
        {vm, "/sys/hypervisor/type", "xen\n", "xen"},
        {metal, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", ""},
        {metal, "/sys/hypervisor/type", "xen\n", "xen"}, /* Xen PV hides the flag */
        {arm, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "amazon"},
        {arm, "/proc/device-tree/hypervisor/compatible", "linux,kvm", "kvm"},
        {arm, "/proc/device-tree/hypervisor/compatible", "xen,xen-4.16", "xen"},
        {arm, "/proc/other", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char root[256];
        char name[32];
        file_tree_open(root);
        file_tree_put(root, "/proc/cpuinfo", cases[i].cpuinfo);
        file_tree_put(root, cases[i].path, cases[i].text);
        hypervisor_detect(root, false, name, sizeof name);
        file_tree_remove(root);
        if (strcmp(name, cases[i].name) != 0) {
            fail_msg("case %zu: '%s' instead of '%s'", i, name, cases[i].name);
        }
    }
}

static void load_and_throttling_are_read(void **state)
{
    (void)state;
    struct machine *machine = captured_open("smt");
    struct model_host_load load;
    machine_read_load(machine, &load);
    machine_free(machine);
    assert_true(load.load_avg[0] == 0.52);
    assert_true(load.load_avg[1] == 1.25);
    assert_true(load.load_avg[2] == 2.00);
    assert_true(fabs(load.steal_ticks - 0.17) < 1e-9);
    assert_true(fabs(load.total_ticks - 414.00) < 1e-9); /* guest time not twice */
    assert_true(isnan(load.throttled_s));

    machine = captured_open("cgroup-v2");
    machine_read_load(machine, &load);
    machine_free(machine);
    assert_true(fabs(load.throttled_s - 1.75) < 1e-9);
    assert_int_equal(load.throttled_count, 7);

    machine = captured_open("cgroup-v1");
    machine_read_load(machine, &load);
    machine_free(machine);
    assert_true(fabs(load.throttled_s - 2.0) < 1e-9);
    assert_int_equal(load.throttled_count, 3);
}

static void this_machine_is_described(void **state)
{
    (void)state;
    struct machine *machine = NULL;
    assert_int_equal(machine_open(NULL, &machine, NULL), DUET_OK);
    struct model_host host;
    struct model_host_load load;
    machine_describe(machine, NULL, &host);
    machine_read_load(machine, &load);
    machine_free(machine);
    assert_int_equal(strlen(host.uuid), 36);
    assert_true(host.host_name[0] != '\0');
    assert_true(host.kernel[0] != '\0');
    assert_true(host.arch[0] != '\0');
    assert_true(host.num_cpus >= 1);
    assert_in_range(host.num_cores, 1, host.num_cpus);
    assert_true(host.memory_bytes > 0);
    assert_true(load.load_avg[0] >= 0);
    assert_true(load.total_ticks > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_metal_is_described),
        cmocka_unit_test(a_virtual_machine_is_described),
        cmocka_unit_test(what_is_not_known_stays_unknown),
        cmocka_unit_test(counts_are_of_online_cpus),
        cmocka_unit_test(the_governor_is_that_of_the_cpus_used),
        cmocka_unit_test(slow_clocks_are_known),
        cmocka_unit_test(hypervisors_are_named),
        cmocka_unit_test(load_and_throttling_are_read),
        cmocka_unit_test(this_machine_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
