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

/* One file in memory serves all inputs: making one takes longer than reading it. Its
 * path stays; compressed bytes are cut off. */
static inline void input_file(const uint8_t *data, size_t size,
                              char ret_path[INPUT_FILE_PATH_BYTES])
{
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
    }
    size = is_packed(data, size) ? 0 : size;
    if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
        ftruncate(fd, (off_t)size) != 0) {
        abort();
    }
    (void)snprintf(ret_path, INPUT_FILE_PATH_BYTES, "/proc/self/fd/%d", fd);
}

#endif
