/* Bytes as a file with a path, for readers that open it themselves. */
#ifndef FUZZ_INPUT_FILE_H
#define FUZZ_INPUT_FILE_H

#include "packed.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INPUT_FILE_PATH_BYTES = 64 };

/* A descriptor to close, in memory; ret_path names it. Compressed bytes are cut off. */
static inline int input_file(const uint8_t *data, size_t size,
                             char ret_path[INPUT_FILE_PATH_BYTES])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    size = is_packed(data, size) ? 0 : size;
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    (void)snprintf(ret_path, INPUT_FILE_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
