/* Programs that are bound to CPUs. */
#include "machine/bound.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CPUS = 1024 };

static struct machine *machine;
static struct model_cpu_set allowed;

static size_t index_of(unsigned cpu)
{
    return (size_t)(machine_find_cpu(machine, cpu) - machine->cpus);
}

static int find_machine(void **state)
{
    (void)state;
    struct duet_error error;
    if (machine_open(NULL, &machine, &error) != DUET_OK) {
        return -1;
    }
    machine_cpus_allowed(machine, &allowed);
    return machine->cpu_count <= CPUS && allowed.count > 0 ? 0 : -1;
}

static int forget_machine(void **state)
{
    (void)state;
    machine_free(machine);
    return 0;
}

/* A process that waits on so many CPUs, the last ones that are allowed. */
static pid_t start_on(size_t count)
{
    struct model_cpu_set set = {.count = count};
    memcpy(set.cpus, allowed.cpus + (allowed.count - count),
           count * sizeof set.cpus[0]);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (machine_bind_thread(&set, NULL) == DUET_OK && write(ready[1], "", 1) == 1) {
            (void)alarm(60);
            (void)pause();
        }
        _exit(1);
    }
    char byte = 0;
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return pid;
}

static void end(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_bound_program_counts_where_it_may_run(void **state)
{
    (void)state;
    if (allowed.count < 2) {
        skip();
    }
    unsigned counts[CPUS] = {0};
    size_t last = index_of(allowed.cpus[allowed.count - 1]);
    pid_t pid = start_on(1);
    bound_add(machine, pid, counts);
    for (size_t i = 0; i < machine->cpu_count; i++) {
        assert_int_equal(counts[i], i == last);
    }
    end(pid);
}

static void a_free_program_does_not_count(void **state)
{
    (void)state;
    unsigned counts[CPUS] = {0};
    pid_t pid = start_on(allowed.count);
    bound_add(machine, pid, counts);
    end(pid);
    bound_add(machine, pid, counts); /* gone */
    for (size_t i = 0; i < machine->cpu_count; i++) {
        assert_int_equal(counts[i], 0);
    }
}

static void an_ended_program_does_not_count(void **state)
{
    (void)state;
    unsigned counts[CPUS] = {0};
    pid_t pid = start_on(1);
    siginfo_t info;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    bound_add(machine, pid, counts); /* a zombie */
    for (size_t i = 0; i < machine->cpu_count; i++) {
        assert_int_equal(counts[i], 0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_program_counts_where_it_may_run),
        cmocka_unit_test(a_free_program_does_not_count),
        cmocka_unit_test(an_ended_program_does_not_count),
    };
    return cmocka_run_group_tests(tests, find_machine, forget_machine);
}
