/* What other programs are bound to. */
#ifndef DUET_MACHINE_BOUND_H
#define DUET_MACHINE_BOUND_H

#include "machine/machine_facts.h"

/* Adds 1 to the counts, one for each of machine->cpus, of the CPUs that process `pid`
 * is bound to: the kernel cannot move it out of a measurement's way. It is bound when
 * it may use some of the CPUs that this process may use, and not all. The kernel's
 * threads and processes that have ended add nothing; threads that a program has bound
 * without binding its first one are not seen. */
void bound_add(const struct machine *machine, pid_t pid, unsigned *counts);

#endif
