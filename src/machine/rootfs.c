#include "machine/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

static bool path_below(const char *root, const char *path, char full[PATH_MAX])
{
    int length = snprintf(full, PATH_MAX, "%s%s", root, path);
    return length >= 0 && length < PATH_MAX;
}

static void trim_end(char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) {
        length--;
    }
    text[length] = '\0';
}

bool rootfs_read(const char *root, const char *path, char *buffer, size_t size)
{
    buffer[0] = '\0';
    char full[PATH_MAX];
    if (!path_below(root, path, full)) {
        return false;
    }
    int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    size_t length = 0;
    ssize_t n = 1;
    while (n > 0 && length < size - 1) {
        n = read(fd, buffer + length, size - 1 - length);
        if (n > 0) {
            length += (size_t)n;
        } else if (n < 0 && errno == EINTR) {
            n = 1;
        }
    }
    (void)close(fd);
    trim_end(buffer, n < 0 ? 0 : length);
    return n >= 0;
}

bool rootfs_read_number(const char *root, const char *path, int64_t *ret_number)
{
    char text[32];
    if (!rootfs_read(root, path, text, sizeof text) || text[0] == '\0') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0') {
        return false;
    }
    *ret_number = number;
    return true;
}

bool rootfs_each_line(const char *root, const char *path, rootfs_visit *visit,
                      void *context)
{
    char full[PATH_MAX];
    if (!path_below(root, path, full)) {
        return false;
    }
    FILE *file = fopen(full, "re");
    if (file == NULL) {
        return false;
    }
    char line[LINE_BYTES];
    bool at_start = true; /* false: the rest of a line that was cut */
    bool wanted = true;
    while (wanted && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(line);
        bool ended = length > 0 && line[length - 1] == '\n';
        if (at_start) {
            line[ended ? length - 1 : length] = '\0';
            wanted = visit(context, line);
        }
        at_start = ended;
    }
    (void)fclose(file);
    return true;
}

bool rootfs_keyed_number(const char *text, const char *key, uint64_t *ret_number)
{
    size_t key_length = strlen(key);
    for (const char *line = text; line != NULL;) {
        if (strncmp(line, key, key_length) == 0 && line[key_length] == ' ') {
            char *end = NULL;
            errno = 0;
            unsigned long long number = strtoull(line + key_length, &end, 10);
            if (errno != 0 || end == line + key_length) {
                return false;
            }
            *ret_number = number;
            return true;
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return false;
}

void rootfs_copy(char *buffer, size_t size, const char *text)
{
    size_t length = strnlen(text, size - 1);
    memcpy(buffer, text, length);
    buffer[length] = '\0';
}
