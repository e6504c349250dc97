/* Where this program is, for those commands that start it again. */
#ifndef DUET_SESSION_SELF_H
#define DUET_SESSION_SELF_H

/* The path of the running program (free()); NULL when memory is short or the kernel
 * does not tell. */
char *self_path(void);

#endif
