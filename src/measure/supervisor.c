/* The runner's side of a supervisor: starting, ordering, stopping. */
#include "measure/supervisor.h"

#include "measure/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_GRACE_MS = 2000 };

/* Of a supervisor's start, a second each: so many looks find it stopped by a signal, or
 * just not started. A CPU that many want may get to it late. */
enum { LOOK_MS = 1000, LOOKS_STOPPED = 5, LOOKS_MOST = 120 };

/* Until it has told something, or has ended. */
static enum duet_code wait_told(const struct supervisor *supervisor, unsigned position,
                                int cancel_fd, struct duet_error *reterr)
{
    struct pollfd events[] = {{.fd = supervisor->socket_fd, .events = POLLIN},
                              {.fd = cancel_fd, .events = POLLIN}};
    int stopped = 0;
    for (int looks = 0; looks < LOOKS_MOST && stopped < LOOKS_STOPPED;) {
        int some = poll(events, sizeof events / sizeof events[0], LOOK_MS);
        if (some < 0 && errno != EINTR) {
            return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                   "cannot wait for a supervisor process");
        }
        if (some == 0) {
            looks++;
            stopped = supervisor_is_stopped(supervisor) ? stopped + 1 : 0;
        } else if (some > 0 && events[0].revents != 0) {
            return DUET_OK;
        } else if (some > 0) {
            return error_set(reterr, DUET_E_INTERRUPTED,
                             "interrupted while a supervisor started");
        }
    }
    return stopped == LOOKS_STOPPED
               ? error_set(
                     reterr, DUET_E_SYSTEM,
                     "the supervisor of position %u was stopped by a signal at its start",
                     position)
               : error_set(reterr, DUET_E_SYSTEM,
                           "the supervisor of position %u did not start within %d s: "
                           "other programs keep its CPU busy; stop them, or choose "
                           "other CPUs (--cpus)",
                           position, LOOKS_MOST * LOOK_MS / 1000);
}

static enum duet_code wait_ready(struct supervisor *supervisor,
                                 const struct supervisor_setup *setup,
                                 struct duet_error *reterr)
{
    struct supervise_ready ready;
    unsigned position = setup->position;
    enum duet_code code = wait_told(supervisor, position, setup->cancel_fd, reterr);
    if (code != DUET_OK) {
        supervisor_stop(supervisor);
        return code;
    }
    ssize_t n = recv(supervisor->socket_fd, &ready, sizeof ready, 0);
    if (n == (ssize_t)sizeof ready && ready.code == DUET_OK) {
        return DUET_OK;
    }
    supervisor_stop(supervisor);
    if (n != (ssize_t)sizeof ready) {
        return error_set(reterr, DUET_E_SYSTEM,
                         "the supervisor of position %u died at its start", position);
    }
    return error_set(reterr, ready.code, "%s", ready.message);
}

enum duet_code supervisor_start(const struct supervisor_setup *setup,
                                struct supervisor *ret_supervisor,
                                struct duet_error *reterr)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot talk to a supervisor process");
    }
    pid_t runner = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        int errnum = errno;
        (void)close(sockets[0]);
        (void)close(sockets[1]);
        return error_set_start(reterr, errnum, "cannot start a supervisor process");
    }
    if (pid == 0) {
        (void)close(sockets[0]);
        supervise_main(setup, sockets[1], runner);
    }
    (void)close(sockets[1]);
    struct supervisor supervisor = {.pid = pid, .socket_fd = sockets[0]};
    enum duet_code code = wait_ready(&supervisor, setup, reterr);
    if (code == DUET_OK) {
        *ret_supervisor = supervisor;
    }
    return code;
}

enum duet_code supervisor_order(const struct supervisor *supervisor,
                                const struct supervisor_order *order, int page_fd,
                                struct duet_error *reterr)
{
    struct supervisor_order copy = *order;
    struct iovec part = {.iov_base = &copy, .iov_len = sizeof copy};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (page_fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof page_fd);
        memcpy(CMSG_DATA(rights), &page_fd, sizeof page_fd);
    }
    if (sendmsg(supervisor->socket_fd, &message, MSG_NOSIGNAL) !=
        (ssize_t)sizeof copy) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "supervisor process %d does not respond",
                               (int)supervisor->pid);
    }
    return DUET_OK;
}

enum duet_code supervisor_report(const struct supervisor *supervisor,
                                 struct supervisor_report *ret_report,
                                 struct duet_error *reterr)
{
    struct supervisor_report report;
    ssize_t n = recv(supervisor->socket_fd, &report, sizeof report, 0);
    if (n != (ssize_t)sizeof report) {
        return error_set(reterr, DUET_E_SYSTEM,
                         "supervisor process %d is gone (killed from outside?)",
                         (int)supervisor->pid);
    }
    *ret_report = report;
    return DUET_OK;
}

bool supervisor_is_stopped(const struct supervisor *supervisor)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)supervisor->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid == supervisor->pid;
}

void supervisor_kill(const struct supervisor *supervisor)
{
    (void)kill(supervisor->pid, SIGKILL);
}

void supervisor_cancel(const struct supervisor *supervisor)
{
    (void)kill(supervisor->pid, SIGTERM);
}

void supervisor_stop(struct supervisor *supervisor)
{
    if (supervisor->pid <= 0) {
        return;
    }
    /* End of file ends its loop; SIGTERM ends what it waits for. */
    (void)shutdown(supervisor->socket_fd, SHUT_WR);
    (void)kill(supervisor->pid, SIGTERM);
    struct pollfd gone = {.fd = supervisor->socket_fd, .events = 0};
    while (poll(&gone, 1, STOP_GRACE_MS) < 0 && errno == EINTR) {
    }
    if ((gone.revents & POLLHUP) == 0) {
        (void)kill(supervisor->pid, SIGKILL);
    }
    (void)close(supervisor->socket_fd);
    while (waitpid(supervisor->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    supervisor->pid = 0;
}
