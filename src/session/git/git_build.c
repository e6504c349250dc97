#include "session/git/git_build.h"

#include "base/alloc.h"
#include "measure/streams.h"
#include "session/child.h"
#include "session/parameter.h"
#include "sync/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 50, SHOWN_LINES = 8 };

/* One build. */
struct build {
    struct worktree *worktree;
    struct child child;
    int log_fd;
    bool ended;
};

struct building {
    struct git_cache *cache;
    const char *command;
    struct build *builds;
    size_t count;
    size_t ended;
    uint64_t began_ns;
    bool failed; /* one of them, as `error` says */
    struct duet_error error;
};

static char *expand(const char *command, const char *folder)
{
    struct parameter_list list = {0};
    char *text = NULL;
    if (parameter_add_values(&list, "dir", &folder, 1, NULL) == DUET_OK) {
        text = parameter_expand(&list, 0, command);
    }
    parameter_list_release(&list);
    return text;
}

static enum duet_code start(const struct building *all, struct build *build,
                            struct duet_error *reterr)
{
    const char *const settings[] = {NULL};
    char *command = expand(all->command, build->worktree->folder);
    const char *const argv[] = {"sh", "-c", command, NULL};
    enum duet_code code = DUET_OK;
    build->log_fd = open(build->worktree->log,
                         O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (command == NULL) {
        code = error_no_memory(reterr);
    } else if (build->log_fd < 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot write to '%s'",
                               build->worktree->log);
    } else {
        const struct child_words words = {.path = "/bin/sh",
                                          .argv = argv,
                                          .settings = settings,
                                          .folder = build->worktree->folder,
                                          .output_fd = build->log_fd,
                                          .error_fd = build->log_fd};
        code = child_start(&words, &build->child, reterr);
    }
    free(command);
    return code;
}

static void note_failed(struct building *all, const struct build *build, int status)
{
    struct stream_tail tail = {0};
    off_t size = lseek(build->log_fd, 0, SEEK_END);
    off_t from = size > STREAMS_TAIL_BYTES / 4 ? size - STREAMS_TAIL_BYTES / 4 : 0;
    const struct git_revision *revision = build->worktree->revision;
    (void)lseek(build->log_fd, from, SEEK_SET);
    stream_tail_read(&tail, build->log_fd);
    const char *lines = stream_tail_lines(&tail, SHOWN_LINES);
    bool renamed = strcmp(revision->asked, revision->label) != 0;
    all->failed = true;
    (void)error_set(
        &all->error, DUET_E_WORKLOAD,
        "the build of %s%s%s%s ended with status %d; its output is in %s%s%s",
        revision->asked, renamed ? " (" : "", renamed ? revision->label : "",
        renamed ? ")" : "",
        WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
        build->worktree->log, lines[0] != '\0' ? "; its last lines:\n" : "", lines);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid;
}

/* Takes the end of a build; `cancel_fd`: readable, it and all of it is killed. */
static void finish(struct building *all, struct build *build, int cancel_fd)
{
    int status = 0;
    bool ended = child_wait(&build->child, cancel_fd, &status) == HOOK_ENDED;
    build->ended = true;
    all->ended++;
    if (ended && status != 0 && !all->failed) {
        note_failed(all, build, status);
    } else if (ended && status == 0 &&
               worktree_keep(all->cache, build->worktree, &all->error) != DUET_OK) {
        all->failed = true;
    }
}

static void show(const struct building *all)
{
    const struct listener *listener = all->cache->listener;
    if (listener->progress == NULL) {
        return;
    }
    struct text name = {0};
    text_append(&name, "building");
    for (size_t i = 0; i < all->count; i++) {
        if (all->builds[i].child.pid != 0) {
            text_append_char(&name, ' ');
            text_append(&name, all->builds[i].worktree->revision->label);
        }
    }
    const struct session_progress progress = {
        .name = text_string(&name),
        .done_ratio = (double)all->ended / (double)all->count,
        .runs = all->ended,
        .runs_goal = all->count,
        .units = "builds",
        .elapsed_ns = clock_mono_ns() - all->began_ns,
        .left_ns = (double)NAN,
        .ratio = (double)NAN,
        .low = (double)NAN,
        .high = (double)NAN};
    listener->progress(listener->context, &progress);
    text_release(&name);
}

/* Starts what may run now; returns how many do. */
static size_t start_some(struct building *all, size_t jobs)
{
    size_t running = 0;
    for (size_t i = 0; i < all->count; i++) {
        running += all->builds[i].child.pid != 0;
    }
    for (size_t i = 0; i < all->count && running < jobs; i++) {
        struct build *build = &all->builds[i];
        if (build->ended || build->child.pid != 0 || all->failed) {
            continue;
        }
        if (start(all, build, &all->error) != DUET_OK) {
            all->failed = true;
            build->ended = true;
        } else {
            running++;
        }
    }
    return running;
}

static enum duet_code run_all(struct building *all, struct duet_error *reterr)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct pollfd cancel = {.fd = all->cache->repo->cancel_fd, .events = POLLIN};
    bool cancelled = false;
    while (!cancelled && start_some(all, cpus > 0 ? (size_t)cpus : 1) > 0) {
        show(all);
        cancelled = poll(&cancel, 1, LOOK_MS) > 0;
        for (size_t i = 0; i < all->count; i++) {
            struct build *build = &all->builds[i];
            bool over = build->child.pid != 0 && has_ended(build->child.pid);
            if (over) { /* what it left in its group; it still has its number */
                (void)kill(-build->child.pid, SIGKILL);
            }
            if (over || (cancelled && build->child.pid != 0)) {
                finish(all, build, over ? -1 : cancel.fd);
            }
        }
    }
    if (all->cache->listener->progress != NULL) {
        all->cache->listener->progress(all->cache->listener->context, NULL);
    }
    if (cancelled) {
        return error_set(reterr, DUET_E_INTERRUPTED,
                         "interrupted while building; finished builds are kept");
    }
    return !all->failed ? DUET_OK
                        : error_set(reterr, all->error.code, "%s", all->error.message);
}

enum duet_code git_build_all(struct git_cache *cache, const char *command,
                             struct worktree *worktrees, size_t count,
                             struct duet_error *reterr)
{
    struct building all = {.cache = cache,
                           .command = command,
                           .builds = alloc_array(count, sizeof *all.builds),
                           .began_ns = clock_mono_ns()};
    enum duet_code code = all.builds == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (!worktrees[i].built && command == NULL) {
            code = worktree_keep(cache, &worktrees[i], reterr);
        } else if (!worktrees[i].built) {
            all.builds[all.count++] =
                (struct build){.worktree = &worktrees[i], .log_fd = -1};
        }
    }
    if (code == DUET_OK && all.count > 0) {
        code = run_all(&all, reterr);
    }
    for (size_t i = 0; i < all.count; i++) {
        if (all.builds[i].log_fd >= 0) {
            (void)close(all.builds[i].log_fd);
        }
    }
    free(all.builds);
    return code;
}
