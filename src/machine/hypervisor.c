#include "machine/hypervisor.h"

#include "machine/rootfs.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

struct signature {
    const char *text;
    const char *name;
};

/* CPUID leaf 0x40000000 spells the name in EBX, ECX, EDX. */
static bool ask_cpu(char *buffer, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
    static const struct signature signatures[] = {
        {"KVMKVMKVM", "kvm"},          {"Linux KVM Hv", "kvm"},
        {"Microsoft Hv", "microsoft"}, {"VMwareVMware", "vmware"},
        {"XenVMMXenVMM", "xen"},       {"TCGTCGTCGTCG", "qemu"},
        {"bhyve bhyve ", "bhyve"},     {"QNXQVMBSQG", "qnx"},
        {"ACRNACRNACRN", "acrn"},      {"SRESRESRESRE", "sre"},
        {"VBoxVBoxVBox", "oracle"},    {" lrpepyh vr", "parallels"},
        {"Apple VZ", "apple"},
    };
    const unsigned hypervisor_bit = 1U << 31U; /* of leaf 1, ECX */
    unsigned eax = 0;
    unsigned words[3] = {0};
    if (__get_cpuid(1, &eax, &words[0], &words[1], &words[2]) == 0 ||
        (words[1] & hypervisor_bit) == 0) {
        return false;
    }
    __cpuid(0x40000000U, eax, words[0], words[1], words[2]);
    char text[sizeof words + 1] = {0};
    memcpy(text, words, sizeof words);
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        if (strcmp(text, signatures[i].text) == 0) {
            rootfs_copy(buffer, size, signatures[i].name);
            return true;
        }
    }
#else
    (void)buffer;
    (void)size;
#endif
    return false;
}

static bool ask_dmi(const char *root, char *buffer, size_t size)
{
    static const char *const files[] = {
        "/sys/class/dmi/id/product_name", "/sys/class/dmi/id/sys_vendor",
        "/sys/class/dmi/id/board_vendor", "/sys/class/dmi/id/bios_vendor"};
    static const struct signature signatures[] = {
        {"KVM", "kvm"},
        {"OpenStack", "kvm"},
        {"Amazon EC2", "amazon"},
        {"QEMU", "qemu"},
        {"VMware", "vmware"},
        {"VMW", "vmware"},
        {"innotek GmbH", "oracle"},
        {"VirtualBox", "oracle"},
        {"Xen", "xen"},
        {"Bochs", "bochs"},
        {"Parallels", "parallels"},
        {"BHYVE", "bhyve"},
        {"Virtual Machine", "microsoft"},
        {"Google Compute Engine", "google"},
        {"Apple Virtualization", "apple"},
    };
    for (size_t file = 0; file < sizeof files / sizeof files[0]; file++) {
        char text[128];
        if (!rootfs_read(root, files[file], text, sizeof text)) {
            continue;
        }
        for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
            if (strncmp(text, signatures[i].text, strlen(signatures[i].text)) == 0) {
                rootfs_copy(buffer, size, signatures[i].name);
                return true;
            }
        }
    }
    return false;
}

struct cpu_flags {
    bool seen; /* x86: the line exists */
    bool hypervisor;
};

static bool visit_flags(void *context, char *line)
{
    struct cpu_flags *flags = context;
    if (strncmp(line, "flags", strlen("flags")) != 0) {
        return true;
    }
    flags->seen = true;
    flags->hypervisor = strstr(line, " hypervisor") != NULL;
    return false;
}

void hypervisor_detect(const char *root, bool live, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if ((live && ask_cpu(buffer, size)) ||
        (rootfs_read(root, "/sys/hypervisor/type", buffer, size) &&
         buffer[0] != '\0')) {
        return;
    }
    struct cpu_flags flags = {0};
    (void)rootfs_each_line(root, "/proc/cpuinfo", visit_flags, &flags);
    if (flags.seen && !flags.hypervisor) {
        return; /* bare metal, though a cloud's name may stand in its DMI strings */
    }
    char compatible[64];
    if (ask_dmi(root, buffer, size)) {
        return;
    }
    if (rootfs_read(root, "/proc/device-tree/hypervisor/compatible", compatible,
                    sizeof compatible)) {
        bool kvm = strcmp(compatible, "linux,kvm") == 0;
        bool xen = strncmp(compatible, "xen,", strlen("xen,")) == 0;
        rootfs_copy(buffer, size, kvm ? "kvm" : xen ? "xen" : "vm");
    } else if (flags.hypervisor) {
        rootfs_copy(buffer, size, "vm");
    }
}
