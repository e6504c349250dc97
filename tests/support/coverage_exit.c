/* In the build for coverage: counters of processes that end by _exit(), as supervisors
 * do, after which gcov writes none. What is to be executed, or cannot be, was started
 * on the supervisor's memory: gcov would take the supervisor's counters for written,
 * too. */
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __wrap___gcov_execve(const char *path, char *const argv[], char *const envp[]);

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __gcov_reset();
    __real__exit(status);
}

int __wrap___gcov_execve(const char *path, char *const argv[], char *const envp[])
{
    __gcov_dump();
    __gcov_reset();
    return execve(path, argv, envp);
}
