#include "measure/supervise.h"

#include "machine/machine.h"
#include "measure/execution.h"
#include "sync/page.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Receives an order, and the page that may come with it. false: nobody orders any more.
 */
static bool receive_order(int socket_fd, struct supervisor_order *ret_order,
                          int *ret_page)
{
    struct iovec part = {.iov_base = ret_order, .iov_len = sizeof *ret_order};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n = 0;
    do {
        n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *ret_order) {
        return false;
    }
    *ret_page = -1;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights != NULL && rights->cmsg_type == SCM_RIGHTS) {
        memcpy(ret_page, CMSG_DATA(rights), sizeof *ret_page);
    }
    return true;
}

struct supervise_state {
    struct execution execution;
    struct sync_map map;
    struct environment *environment;
    struct environment *hook_environment;
};

/* What programs of the page are started with, and, from the first page on, hooks. NULL:
 * no memory. */
static struct environment *environments_new(struct supervise_state *state,
                                            const char *attach)
{
    bool seeded = state->execution.setup->plan->layout != MODEL_LAYOUT_FIXED;
    if (state->hook_environment == NULL) {
        state->hook_environment = environment_new("", seeded);
    }
    state->execution.hook_environment = state->hook_environment;
    return state->hook_environment == NULL ? NULL : environment_new(attach, seeded);
}

static enum duet_code take_page(struct supervise_state *state, int page_fd,
                                uint64_t nonce, struct duet_error *reterr)
{
    struct sync_map map;
    enum duet_code code = sync_page_map(page_fd, nonce, &map, reterr);
    if (code != DUET_OK) {
        int errnum = errno;
        (void)close(page_fd);
        errno = errnum;
        return code;
    }
    const struct supervisor_setup *setup = state->execution.setup;
    struct sync_attach attach = {.version = SYNC_PAGE_VERSION,
                                 .page_fd = LAUNCH_PAGE_FD,
                                 .bell_fd = LAUNCH_BELL_FD,
                                 .pid = getpid(),
                                 .slot = setup->position,
                                 .nonce = nonce};
    char text[SYNC_ATTACH_BYTES];
    sync_attach_format(&attach, text);
    /* The text has the same length for every position and page. */
    struct environment *environment = environments_new(state, text);
    if (environment == NULL) {
        sync_page_unmap(&map);
        (void)close(page_fd);
        return error_no_memory(reterr);
    }
    /* Held at the numbers that the attach text names, so that /proc/PID/fd/N works for
     * programs whose launcher closed the inherited ones. */
    if (dup3(page_fd, LAUNCH_PAGE_FD, O_CLOEXEC) < 0) {
        int errnum = errno;
        environment_free(environment);
        sync_page_unmap(&map);
        (void)close(page_fd);
        (void)error_set_errno(reterr, DUET_E_SYSTEM, errnum,
                              "cannot hold the shared page");
        errno = errnum;
        return DUET_E_SYSTEM;
    }
    (void)close(page_fd);
    environment_free(state->environment);
    sync_page_unmap(&state->map);
    state->environment = environment;
    state->map = map;
    state->execution.environment = environment;
    state->execution.page_fd = LAUNCH_PAGE_FD;
    state->execution.slot = &state->map.page->slots[setup->position];
    state->execution.peer_slot = &state->map.page->slots[1U - setup->position];
    return DUET_OK;
}

/* Whether it was told. */
static bool send_ready(int socket_fd, enum duet_code code,
                       const struct duet_error *error)
{
    struct supervise_ready ready = {.code = code};
    if (code != DUET_OK) {
        (void)snprintf(ready.message, sizeof ready.message, "%s", error->message);
    }
    return send(socket_fd, &ready, sizeof ready, MSG_NOSIGNAL) == (ssize_t)sizeof ready;
}

/* false: there is no other number for it, and it keeps this one. */
static bool make_way(int *fd)
{
    if (*fd != LAUNCH_PAGE_FD && *fd != LAUNCH_BELL_FD) {
        return true;
    }
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, LAUNCH_BELL_FD + 1);
    *fd = moved >= 0 ? moved : *fd;
    return moved >= 0;
}

/* Takes the two numbers at which programs inherit descriptors, wherever who started
 * duet has let ours begin: what we have there moves. That of the page is held until one
 * comes, or something that is opened before would get it. */
static enum duet_code take_numbers(struct supervisor_setup *setup, int *socket_fd,
                                   struct duet_error *reterr)
{
    int *const ours[] = {socket_fd, &setup->bell_fd, &setup->stdout_fd,
                         &setup->stderr_fds[MODEL_OLD], &setup->stderr_fds[MODEL_NEW]};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (!make_way(ours[i])) {
            return error_set_errno(reterr, DUET_E_SYSTEM, EMFILE,
                                   "cannot set up a supervisor (raise ulimit -n)");
        }
    }
    if (dup3(setup->bell_fd, LAUNCH_BELL_FD, O_CLOEXEC) < 0 ||
        dup3(setup->bell_fd, LAUNCH_PAGE_FD, O_CLOEXEC) < 0) {
        /* EBADF: that number is above the limit */
        return error_set_errno(
            reterr, DUET_E_SYSTEM, errno == EBADF ? EMFILE : errno,
            "cannot set up a supervisor (ulimit -n must be %d or more)",
            LAUNCH_BELL_FD + 1);
    }
    return DUET_OK;
}

static enum duet_code settle(struct supervisor_setup *setup, int *socket_fd,
                             pid_t runner, struct duet_error *reterr)
{
    /* A group of its own: the terminal's signals are for the runner alone. */
    if (setpgid(0, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot set up a supervisor");
    }
    if (getppid() != runner) {
        return error_set(reterr, DUET_E_INTERRUPTED, "the runner is gone");
    }
    enum duet_code code = take_numbers(setup, socket_fd, reterr);
    return code == DUET_OK ? machine_bind_thread(setup->cpus, reterr) : code;
}

/* Of whoever waits at a meeting, in this process or in a child that is not a program
 * yet and shares our memory: this process may wait for that child and see no signal. */
static bool runner_is_gone(void *context)
{
    struct pollfd look = {.fd = *(const int *)context};
    return poll(&look, 1, 0) > 0 && (look.revents & POLLHUP) != 0;
}

_Noreturn void supervise_main(const struct supervisor_setup *setup, int socket_fd,
                              pid_t runner)
{
    struct duet_error error = {0};
    struct supervise_state state = {0};
    struct supervisor_setup own = *setup;
    enum duet_code code = settle(&own, &socket_fd, runner, &error);
    if (code == DUET_OK) {
        code = execution_init(&state.execution, &own, &error);
    }
    struct sync_guard guard = {.orphaned = runner_is_gone, .context = &socket_fd};
    state.execution.guard = &guard;
    if (!send_ready(socket_fd, code, &error)) {
        _exit(1); /* the runner sees the end of the socket */
    }
    struct supervisor_order order;
    int page_fd = -1;
    while (code == DUET_OK && getppid() == runner &&
           receive_order(socket_fd, &order, &page_fd)) {
        struct supervisor_report report = {.execution = order.first};
        if (page_fd >= 0) {
            errno = 0;
            code = take_page(&state, page_fd, order.page_nonce, &error);
        }
        if (code == DUET_OK) {
            execution_order(&state.execution, &order, &report);
        } else {
            report.trouble = SUPERVISOR_NOT_STARTED;
            report.status = code == DUET_E_NOMEM ? ENOMEM : errno != 0 ? errno : EPROTO;
        }
        if (send(socket_fd, &report, sizeof report, MSG_NOSIGNAL) < 0) {
            break;
        }
    }
    /* The other side may have been sent an order that this one was not, when the runner
     * was killed in between: nobody comes to its barrier any more. */
    board_poison(setup->board);
    execution_release(&state.execution);
    _exit(0);
}
