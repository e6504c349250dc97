/* Under which hypervisor this machine runs. */
#ifndef DUET_MACHINE_HYPERVISOR_H
#define DUET_MACHINE_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>

/* Its name in lower case as systemd-detect-virt(1) writes it ("kvm", "xen", "vmware",
 * "microsoft", "amazon", ...), "vm" when there is one that does not say its name, "" on
 * bare metal or when nothing is known. Asked in this order: the CPU (when `live`),
 * then, below `root`, /sys/hypervisor, /proc/cpuinfo's flag, DMI, the device tree. */
void hypervisor_detect(const char *root, bool live, char *buffer, size_t size);

#endif
