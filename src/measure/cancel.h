/* Being asked to stop: how often the user has said so. */
#ifndef DUET_MEASURE_CANCEL_H
#define DUET_MEASURE_CANCEL_H

/* How many bytes wait in cancel_fd, a pipe's read end; each is one request to stop.
 * From CANCEL_AT_ONCE on nothing is waited for, not even clean-up commands. 0 for -1
 * and for what is no pipe. Nothing is read. */
enum { CANCEL_AT_ONCE = 2 };
int cancel_count(int cancel_fd);

#endif
