/* Small text files of /proc, /sys and /etc, below a root folder that tests replace. */
#ifndef DUET_MACHINE_ROOTFS_H
#define DUET_MACHINE_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads at most size - 1 bytes of `path` (absolute) below `root` ("": none) into
 * `buffer`, which is NUL-terminated, without white space at its end. false: there
 * is no such file or it cannot be read; the buffer then holds "". size >= 1. */
bool rootfs_read(const char *root, const char *path, char *buffer, size_t size);

/* As rootfs_read, for a file that holds one whole number. */
bool rootfs_read_number(const char *root, const char *path, int64_t *ret_number);

/* Calls `visit` for each line without its newline, until it returns false. Lines are
 * cut at 4095 bytes; it may change its copy. false: no such file. */
typedef bool rootfs_visit(void *context, char *line);
bool rootfs_each_line(const char *root, const char *path, rootfs_visit *visit,
                      void *context);

/* Finds the line "KEY NUMBER" in `text`. */
bool rootfs_keyed_number(const char *text, const char *key, uint64_t *ret_number);

/* Copies as much of `text` as fits, NUL-terminated. */
void rootfs_copy(char *buffer, size_t size, const char *text);

#endif
