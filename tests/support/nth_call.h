/* A library that is preloaded into a program: the n-th call of a class of functions
 * fails, as the environment says:
 *
 *   FAULT_PROGRAM  short name of the program that is meant; others are left alone
 *   FAULT_ALONE    1: also what it executes is left alone, though not its forks
 *   FAULT_CLASS    the class
 *   FAULT_CODE     what such a call returns, where it matters
 *   FAULT_NTH      from 1; FAULT_ON=1: all behind it, too
 *   FAULT_STACK    instead of the n-th, the first from there on that came this way
 *                  (call_stack.h), in hexadecimal
 *   FAULT_STACKS   a file that gets, behind its end, 64 bits for each call: its way
 *   FAULT_COUNTS   a file of two 64-bit numbers, calls seen and failed, which the
 *                  program and its forks share */
#ifndef DUET_TESTS_NTH_CALL_H
#define DUET_TESTS_NTH_CALL_H

#include "call_stack.h"

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
    uint64_t stack; /* 0: the n-th, whichever way it came */
    int stacks;     /* descriptor; -1: nobody asks */
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
        const char *stack = getenv("FAULT_STACK");
        const char *stacks = getenv("FAULT_STACKS");
        fault.stack = stack != NULL ? strtoull(stack, NULL, 16) : 0;
        fault.stacks =
            stacks != NULL ? open(stacks, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
        fault.counts = counts;
        fault.class = getenv("FAULT_CLASS");
        if (getenv("FAULT_ALONE") != NULL) {
            (void)unsetenv("FAULT_PROGRAM");
        }
    }
}

/* Whether the call with this number is the one to fail, of those that came so far. */
static inline bool nth_call_is_next(unsigned long long number)
{
    if (fault.on && atomic_load(&fault.counts[1]) > 0) {
        return true;
    }
    if (fault.stack == 0) {
        return number == fault.nth;
    }
    return number >= fault.nth && atomic_load(&fault.counts[1]) == 0 &&
           call_stack_number() == fault.stack;
}

static inline void nth_call_write_stack(void)
{
    uint64_t stack = fault.stacks >= 0 ? call_stack_number() : 0;
    if (stack != 0 && write(fault.stacks, &stack, sizeof stack) != sizeof stack) {
        abort();
    }
}

/* Whether calls of this class are those that fail. */
static inline bool nth_call_is_meant(const char *class)
{
    return fault.class != NULL && strcmp(class, fault.class) == 0;
}

/* Counts a call of a class; whether it is one that fails. */
static inline bool nth_call_fails(const char *class)
{
    if (!nth_call_is_meant(class)) {
        return false;
    }
    unsigned long long number = atomic_fetch_add(&fault.counts[0], 1) + 1;
    nth_call_write_stack();
    bool now = nth_call_is_next(number);
    if (now) {
        atomic_fetch_add(&fault.counts[1], 1);
    }
    return now;
}

#endif
