#include "measure/streams.h"

#include "base/alloc.h"
#include "measure/launch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_output(const char *path, enum model_side side)
{
    char *name = alloc_format("%s.%s", path, model_side_name(side));
    if (name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int errnum = errno;
    free(name);
    errno = errnum;
    return fd;
}

static int stream_open(const struct model_stream *stream, int number,
                       enum model_side side, int pipe_fd, bool *ret_owned)
{
    *ret_owned = true;
    switch (stream->kind) {
    case MODEL_STREAM_INHERIT:
        *ret_owned = false;
        return number;
    case MODEL_STREAM_PIPE:
        *ret_owned = false;
        return pipe_fd;
    case MODEL_STREAM_FILE:
        return number == STDIN_FILENO ? open(stream->path, O_RDONLY | O_CLOEXEC)
                                      : open_output(stream->path, side);
    case MODEL_STREAM_NULL:
        break;
    }
    return open("/dev/null",
                (number == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

enum duet_code streams_check_paths(const struct model_plan *plan,
                                   struct duet_error *reterr)
{
    struct stat status;
    const struct model_stream *output = &plan->output;
    const struct model_stream *errors = &plan->error_output;
    if (output->kind == MODEL_STREAM_FILE && errors->kind == MODEL_STREAM_FILE &&
        strcmp(output->path, errors->path) == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--output and --stderr have the same file '%s', and would "
                         "write over each other; name two files",
                         output->path);
    }
    if (plan->input.kind != MODEL_STREAM_FILE) {
        return DUET_OK;
    }
    const char *path = plan->input.path;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0) {
        return error_set_errno(reterr, DUET_E_USAGE, errno, "--input: cannot open '%s'",
                               path);
    }
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--input: '%s' is a pipe, which only the first execution could "
            "read; write what comes out of it to a file",
            path);
    }
    if (S_ISDIR(status.st_mode)) {
        return error_set(reterr, DUET_E_USAGE, "--input: '%s' is a folder; name a file",
                         path);
    }
    return DUET_OK;
}

/* Of the descriptor whose number `text` begins with. One digit is what commands of a
 * shell redirect themselves; what is closed on execution no program gets. */
static enum duet_code check_descriptor(const char *command, const char *text,
                                       struct duet_error *reterr)
{
    enum { LEAST = 10, DIGITS_MAX = 6 };
    size_t digits = strspn(text, "0123456789");
    int fd = digits > 0 && digits <= DIGITS_MAX ? (int)strtol(text, NULL, 10) : -1;
    int flags = fd < LEAST ? -1 : fcntl(fd, F_GETFD);
    struct stat status;
    if (flags < 0 || (flags & FD_CLOEXEC) != 0 || fstat(fd, &status) != 0) {
        return DUET_OK;
    }
    if (S_ISFIFO(status.st_mode)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "command '%s': descriptor %d is a pipe, as of a shell's <(...), "
            "which only one execution could read; write what comes out "
            "of it to a file",
            command, fd);
    }
    return fd != LAUNCH_PAGE_FD && fd != LAUNCH_BELL_FD
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "command '%s': descriptor %d is duet's own in the programs "
                           "that it starts; use another number",
                           command, fd);
}

enum duet_code streams_check_command(const char *command, struct duet_error *reterr)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *at = strstr(command, folders[i]);
        while (at != NULL && code == DUET_OK) {
            at += strlen(folders[i]);
            code = check_descriptor(command, at, reterr);
            at = strstr(at, folders[i]);
        }
    }
    return code;
}

static enum duet_code cannot_open(const char *option, const char *path, bool output,
                                  enum model_side side, struct duet_error *reterr)
{
    int errnum = errno;
    if (errnum == ENOMEM) {
        return error_no_memory(reterr);
    }
    return error_set_errno(reterr, DUET_E_USAGE, errnum, "%s: cannot open '%s%s%s'",
                           option, path, output ? "." : "",
                           output ? model_side_name(side) : "");
}

enum duet_code streams_check(const struct model_plan *plan, struct duet_error *reterr)
{
    enum duet_code code = streams_check_paths(plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    static const char *const options[3] = {"--input", "--output", "--stderr"};
    const struct model_stream *wanted[3] = {&plan->input, &plan->output,
                                            &plan->error_output};
    for (int i = 0; i < 3; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (wanted[i]->kind != MODEL_STREAM_FILE) {
                continue;
            }
            bool owned = true;
            int fd = stream_open(wanted[i], i, (enum model_side)side, -1, &owned);
            if (fd < 0) {
                return cannot_open(options[i], wanted[i]->path, i != STDIN_FILENO,
                                   (enum model_side)side, reterr);
            }
            (void)close(fd);
        }
    }
    return DUET_OK;
}

int streams_open(struct streams *streams, const struct model_plan *plan,
                 enum model_side side, int pipe_out, int pipe_err)
{
    const struct model_stream *wanted[3] = {&plan->input, &plan->output,
                                            &plan->error_output};
    const int pipes[3] = {-1, pipe_out, pipe_err};
    *streams = (struct streams){.fds = {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        streams->fds[i] = stream_open(wanted[i], i, side, pipes[i], &streams->owned[i]);
        if (streams->fds[i] < 0) {
            int errnum = errno;
            streams->owned[i] = false;
            streams_close(streams);
            return errnum;
        }
    }
    return 0;
}

void streams_close(struct streams *streams)
{
    for (int i = 0; i < 3; i++) {
        if (streams->owned[i]) {
            (void)close(streams->fds[i]);
        }
        streams->owned[i] = false;
    }
}

void stream_tail_read(struct stream_tail *tail, int fd)
{
    char buffer[65536];
    for (int i = 0; i < 16; i++) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n <= 0) {
            return;
        }
        size_t got = (size_t)n;
        if (got >= sizeof tail->bytes - 1) {
            tail->length = sizeof tail->bytes - 1;
            memcpy(tail->bytes, buffer + got - tail->length, tail->length);
            continue;
        }
        size_t keep = sizeof tail->bytes - 1 - got;
        if (tail->length > keep) {
            memmove(tail->bytes, tail->bytes + tail->length - keep, keep);
            tail->length = keep;
        }
        memcpy(tail->bytes + tail->length, buffer, got);
        tail->length += got;
    }
}

void stream_tail_read_file(struct stream_tail *tail, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > STREAMS_TAIL_BYTES ? size - STREAMS_TAIL_BYTES : 0;
    if (size > 0 && lseek(fd, from, SEEK_SET) == from) {
        stream_tail_read(tail, fd);
    }
}

/* Whether a line, of `length` bytes, is of a call on the stack as Java and Node.js
 * print it, "    at parse (a.js:3)", or Rust, "   3: app::parse". */
static bool is_call(const char *line, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && (line[blanks] == ' ' || line[blanks] == '\t')) {
        blanks++;
    }
    size_t digits = blanks;
    while (digits < length && line[digits] >= '0' && line[digits] <= '9') {
        digits++;
    }
    bool numbered = digits > blanks && digits < length && line[digits] == ':' &&
                    memmem(line, length, "::", strlen("::")) != NULL;
    bool at = length - blanks > 3 && memcmp(line + blanks, "at ", strlen("at ")) == 0;
    return blanks > 0 && (numbered || at);
}

/* Of a call as Go prints it, below the function's name. */
static bool is_place_in_go(const char *line, size_t length)
{
    return length > 1 && line[0] == '\t' && line[1] == '/' &&
           memmem(line, length, ".go:", strlen(".go:")) != NULL;
}

/* The end of a stack says less than the error above it, which it would push out. */
static void drop_calls(struct stream_tail *tail)
{
    size_t kept = 0;
    size_t before = 0; /* where the last line that was kept begins */
    bool called = false;
    for (size_t at = 0, next = 0; at < tail->length; at = next) {
        const char *line = tail->bytes + at;
        const char *end = memchr(line, '\n', tail->length - at);
        size_t length = end != NULL ? (size_t)(end - line) : tail->length - at;
        next = at + length + (end != NULL ? 1 : 0);
        bool call = is_call(line, length);
        if (is_place_in_go(line, length)) {
            kept = before;
        } else if (!call || !called) { /* the first one says where */
            before = kept;
            memmove(tail->bytes + kept, line, next - at);
            kept += next - at;
        }
        called = call;
    }
    tail->length = kept;
}

const char *stream_tail_lines(struct stream_tail *tail, unsigned lines)
{
    drop_calls(tail);
    while (tail->length > 0 && isspace((unsigned char)tail->bytes[tail->length - 1])) {
        tail->length--;
    }
    size_t begin = tail->length;
    while (begin > 0 && (tail->bytes[begin - 1] != '\n' || --lines > 0)) {
        begin--;
    }
    for (size_t i = begin; i < tail->length; i++) {
        unsigned char c = (unsigned char)tail->bytes[i];
        if (c < ' ' && c != '\n' && c != '\t') {
            tail->bytes[i] = '?';
        }
    }
    tail->bytes[tail->length] = '\0';
    return tail->bytes + begin;
}
