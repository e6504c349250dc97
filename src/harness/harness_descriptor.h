/* A descriptor of the harness in a program that may close it, and open another file at
 * its number. */
#ifndef DUET_HARNESS_DESCRIPTOR_H
#define DUET_HARNESS_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

struct harness_descriptor {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};

struct harness_descriptor harness_descriptor_of(int fd);
/* Whether its number still leads to the file that it led to. */
bool harness_descriptor_holds(const struct harness_descriptor *descriptor);
/* Closes it when it holds. */
void harness_descriptor_close(struct harness_descriptor *descriptor);

#endif
