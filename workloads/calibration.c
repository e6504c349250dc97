#include "workloads/calibration.h"

#include "base/alloc.h"
#include "base/text.h"
#include "workloads/calibration_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Some 500 hosts and kinds; a longer file is not ours. */
enum { FILE_BYTES_MAX = 64 * 1024 };

/* Reads at most `size` - 1 bytes and ends them with NUL; the count, or -1. */
static ssize_t file_read(int fd, char *bytes, size_t size)
{
    size_t length = 0;
    while (length < size - 1) {
        ssize_t n = read(fd, bytes + length, size - 1 - length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        length += (size_t)n;
    }
    bytes[length] = '\0';
    return (ssize_t)length;
}

/* The content of a calibration file for free(), with *ret_rate as in
 * calibration_text_find(); *ret_text NULL when there is no readable, valid file. */
static enum duet_code text_load(const struct calibration_source *source,
                                const char *kind, char **ret_text, uint64_t *ret_rate,
                                struct duet_error *reterr)
{
    *ret_text = NULL;
    *ret_rate = 0;
    /* O_NONBLOCK: a FIFO of that name must not keep us waiting. */
    int fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return DUET_OK;
    }
    char *text = alloc_array(FILE_BYTES_MAX + 2, 1);
    if (text == NULL) {
        (void)close(fd);
        return error_set(reterr, DUET_E_NOMEM, "no memory to read %s", source->path);
    }
    ssize_t length = file_read(fd, text, FILE_BYTES_MAX + 2);
    (void)close(fd);
    if (length >= 0 && length <= FILE_BYTES_MAX && strlen(text) == (size_t)length &&
        calibration_text_find(text, source->host, kind, ret_rate)) {
        *ret_text = text;
    } else {
        free(text);
    }
    return DUET_OK;
}

static enum duet_code refuse(const struct calibration_source *source, int errnum,
                             struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_IO,
        "the calibration of the workloads cannot be kept in %s (%s); both sides need the same one: "
        "set DUET_CALIBRATION to a file that can be written, or give both sides their count with --operations",
        source->path, strerrordesc_np(errnum));
}

/* Makes the folders above `path`; what fails shows when the lock is opened. */
static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* as the XDG specification asks */
        *slash = '/';
    }
}

/* Opens and locks FILE.lock: a file of its own, since a lock on FILE would be one on an
 * inode that a rename has put out of use. The lock ends with the descriptor. */
static enum duet_code lock_take(const struct calibration_source *source, int *ret_fd,
                                struct duet_error *reterr)
{
    char *path = alloc_format("%s.lock", source->path);
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a file name");
    }
    folders_make(path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int errnum = errno;
    free(path);
    if (fd < 0) {
        return refuse(source, errnum, reterr);
    }
    if (flock(fd, LOCK_EX) != 0) {
        errnum = errno;
        (void)close(fd);
        return errnum == EINTR
                   ? error_set(reterr, DUET_E_INTERRUPTED,
                               "interrupted while another process was calibrating")
                   : refuse(source, errnum, reterr);
    }
    *ret_fd = fd;
    return DUET_OK;
}

/* 0, or errno. */
static int bytes_write(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Replaces the file, under the lock. Not synchronized to the disk: what a power cut can
 * do is lose the calibration, which is then made again. */
static enum duet_code text_store(const struct calibration_source *source,
                                 const struct text *content, struct duet_error *reterr)
{
    char *path = alloc_format("%s.new", source->path);
    if (path == NULL || text_failed(content)) {
        free(path);
        return error_set(reterr, DUET_E_NOMEM, "no memory to write %s", source->path);
    }
    enum duet_code code = DUET_OK;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        code = refuse(source, errno, reterr);
        free(path);
        return code;
    }
    int errnum = bytes_write(fd, text_string(content), content->length);
    if (close(fd) != 0 && errnum == 0) {
        errnum = errno;
    }
    if (errnum == 0 && rename(path, source->path) != 0) {
        errnum = errno;
    }
    if (errnum != 0) {
        (void)unlink(path);
        code = refuse(source, errnum, reterr);
    }
    free(path);
    return code;
}

/* Measures and adds the answer to the file; the lock is held. */
static enum duet_code measure_and_store(const struct calibration_source *source,
                                        const struct workload_kind *kind,
                                        const char *old_text, uint64_t *ret_rate,
                                        struct duet_error *reterr)
{
    uint64_t rate = 0;
    enum duet_code code = source->measure(kind, source->context, &rate, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct text content = {0};
    calibration_text_add(&content, old_text, source->host, kind->name, rate);
    if (content.length > FILE_BYTES_MAX) { /* full of other hosts: start again */
        text_release(&content);
        calibration_text_add(&content, NULL, source->host, kind->name, rate);
    }
    code = text_store(source, &content, reterr);
    text_release(&content);
    if (code == DUET_OK) {
        *ret_rate = rate;
    }
    return code;
}

enum duet_code calibration_rate(const struct calibration_source *source,
                                const struct workload_kind *kind,
                                uint64_t *ret_rate_operations_per_s,
                                struct duet_error *reterr)
{
    /* The first look needs no lock: a rename shows the old file or the new one whole.
     */
    char *text = NULL;
    uint64_t rate = 0;
    int lock_fd = -1;
    enum duet_code code = text_load(source, kind->name, &text, &rate, reterr);
    if (code != DUET_OK || rate > 0) {
        goto cleanup;
    }
    code = lock_take(source, &lock_fd, reterr);
    if (code != DUET_OK) {
        goto cleanup;
    }
    free(text);
    code = text_load(source, kind->name, &text, &rate, reterr);
    if (code == DUET_OK && rate == 0) {
        code = measure_and_store(source, kind, text, &rate, reterr);
    }
cleanup:
    if (lock_fd >= 0) {
        (void)close(lock_fd);
    }
    free(text);
    if (code == DUET_OK) {
        *ret_rate_operations_per_s = rate;
    }
    return code;
}

enum duet_code workload_calibrate(const struct workload_kind *kind,
                                  uint64_t *ret_rate_operations_per_s,
                                  struct duet_error *reterr)
{
    char *path = NULL;
    char *host = NULL;
    enum duet_code code = calibration_path_new(&path, reterr);
    if (code == DUET_OK) {
        code = calibration_host_new(&host, reterr);
    }
    if (code == DUET_OK) {
        struct calibration_source source = {
            .path = path, .host = host, .measure = workload_rate_measure};
        code = calibration_rate(&source, kind, ret_rate_operations_per_s, reterr);
    }
    free(path);
    free(host);
    return code;
}
