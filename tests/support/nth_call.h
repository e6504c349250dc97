/* A library that is preloaded into a program: the n-th call of a class of functions
 * fails, as the environment says: FAULT_PROGRAM  short name of the program that is
 * meant; others are left alone FAULT_CLASS    the class FAULT_CODE     what such a call
 * returns, where it matters FAULT_NTH      from 1; FAULT_ON=1: all behind it, too
 *   FAULT_COUNTS   a file of two 64-bit numbers, calls seen and failed, which the
 * program and its forks share */
#ifndef DUET_TESTS_NTH_CALL_H
#define DUET_TESTS_NTH_CALL_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    const char *class; /* NULL: nothing fails */
    int code;
    unsigned long long nth;
    bool on;
    _Atomic unsigned long long *counts;
} fault;

__attribute__((constructor)) static void settle(void)
{
    const char *program = getenv("FAULT_PROGRAM");
    const char *file = getenv("FAULT_COUNTS");
    if (program == NULL || file == NULL ||
        strcmp(program, program_invocation_short_name) != 0) {
        return;
    }
    int fd = open(file, O_RDWR | O_CLOEXEC);
    void *counts =
        mmap(NULL, 2 * sizeof *fault.counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (counts != MAP_FAILED) {
        fault.code = (int)strtol(getenv("FAULT_CODE"), NULL, 10);
        fault.nth = strtoull(getenv("FAULT_NTH"), NULL, 10);
        fault.on = getenv("FAULT_ON") != NULL;
        fault.counts = counts;
        fault.class = getenv("FAULT_CLASS");
    }
}

/* Counts a call of a class; whether it is one that fails. */
static inline bool nth_call_fails(const char *class)
{
    if (fault.class == NULL || strcmp(class, fault.class) != 0) {
        return false;
    }
    unsigned long long number = atomic_fetch_add(&fault.counts[0], 1) + 1;
    bool now = number == fault.nth || (fault.on && number > fault.nth);
    if (now) {
        atomic_fetch_add(&fault.counts[1], 1);
    }
    return now;
}

#endif
