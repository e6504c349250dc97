/* What a process inherits from who started it, and that must not change what it does.
 */
#ifndef DUET_CLI_INHERITED_H
#define DUET_CLI_INHERITED_H

#include <stdbool.h>

/* Children can be waited for, although a parent may have ignored SIGCHLD. When
 * a library ends the process before *status is an exit status (it is below 0 until
 * then; it stays where it is), its status is CLI_EXIT_UNSUITABLE: what the library
 * chooses would be taken for a verdict. */
void inherited_settle(const int *status);

/* Whether this process has the rights of another user than its caller's: the file has
 * the set-user-ID or the set-group-ID bit. Every program that is measured would have
 * them. */
bool inherited_rights(void);

/* Whether the limit of the stack is at least that: below, a deep call would end the
 * process by SIGSEGV. */
enum { INHERITED_STACK_KIB = 256 };
bool inherited_stack_fits(void);

#endif
