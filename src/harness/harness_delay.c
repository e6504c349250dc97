#include "harness/harness_delay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_BYTES = 96 };

void harness_delay_release(struct harness_delay *delay)
{
    if (delay->opened) {
        harness_descriptor_close(&delay->file);
    }
    *delay = (struct harness_delay){0};
}

/* The file is that of the thread that opened it. */
static void open_here(struct harness_delay *delay)
{
    if (delay->opened && pthread_equal(delay->thread, pthread_self()) != 0) {
        return;
    }
    harness_delay_release(delay);
    delay->file = harness_descriptor_of(
        open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    delay->thread = pthread_self();
    delay->opened = true;
}

/* A thread may have the identity of one that has ended, whose file tells no more. */
static ssize_t read_here(struct harness_delay *delay, char *text, size_t size)
{
    open_here(delay);
    ssize_t length = delay->file.fd < 0 ? -1 : pread(delay->file.fd, text, size, 0);
    if (length < 0 && delay->file.fd >= 0) {
        harness_delay_release(delay);
        open_here(delay);
        length = delay->file.fd < 0 ? -1 : pread(delay->file.fd, text, size, 0);
    }
    return length;
}

/* "executed waited timeslices", the first two in ns; a kernel that does not count
 * writes zeroes. */
bool harness_delay_read(struct harness_delay *delay, uint64_t *ret_ns)
{
    char text[TEXT_BYTES];
    ssize_t length = read_here(delay, text, sizeof text - 1);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    char *rest = NULL;
    uint64_t executed_ns = strtoull(text, &rest, 10);
    char *end = NULL;
    uint64_t waited_ns = strtoull(rest, &end, 10);
    if (executed_ns == 0 || end == rest) {
        return false;
    }
    *ret_ns = waited_ns;
    return true;
}
