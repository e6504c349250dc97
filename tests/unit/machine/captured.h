/* Opens a machine of tests/machines: its topology, and its root in place of "/". */
#ifndef TESTS_UNIT_MACHINE_CAPTURED_H
#define TESTS_UNIT_MACHINE_CAPTURED_H

#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define captured_open(name) captured_open_in(TEST_SOURCE_DIR "/machines", name)

static inline struct machine *captured_open_in(const char *folder, const char *name)
{
    char xml[512];
    char root[512];
    (void)snprintf(xml, sizeof xml, "%s/%s/topology.xml", folder, name);
    (void)snprintf(root, sizeof root, "%s/%s/root", folder, name);
    struct machine_source source = {.hwloc_xml = xml, .fs_root = root};
    struct machine *machine = NULL;
    struct duet_error error = {0};
    if (machine_open(&source, &machine, &error) != DUET_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return machine;
}

#endif
