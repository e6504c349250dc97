#include "harness/harness_descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

struct harness_descriptor harness_descriptor_of(int fd)
{
    struct harness_descriptor descriptor = {.fd = fd};
    struct stat status;
    if (fstat(fd, &status) == 0) {
        descriptor.device = status.st_dev;
        descriptor.inode = status.st_ino;
    }
    return descriptor;
}

bool harness_descriptor_holds(const struct harness_descriptor *descriptor)
{
    struct stat status;
    return fstat(descriptor->fd, &status) == 0 && status.st_dev == descriptor->device &&
           status.st_ino == descriptor->inode;
}

void harness_descriptor_close(struct harness_descriptor *descriptor)
{
    if (harness_descriptor_holds(descriptor)) {
        (void)close(descriptor->fd);
    }
    descriptor->fd = -1;
}
