/* What a process inherits from who started it, and that must not change what it does.
 */
#ifndef DUET_CLI_INHERITED_H
#define DUET_CLI_INHERITED_H

#include <stdbool.h>

/* Children can be waited for, although a parent may have ignored SIGCHLD. A limit on
 * the size of files is an error of what writes, and not the end by SIGXFSZ. Nothing
 * takes the place of a standard stream that is closed. When a
 * library ends the process before *status is an exit status (it is below 0 until then;
 * it stays where it is), its status is CLI_EXIT_UNSUITABLE: what the library chooses
 * would be taken for a verdict. */
void inherited_settle(const int *status);

/* Says on standard error what makes this process unfit, and returns false: its file has
 * the set-user-ID or the set-group-ID bit, and every program that is measured would
 * have those rights; or the stack is so small that a deep call would end in SIGSEGV. */
bool inherited_is_fit(void);

#endif
