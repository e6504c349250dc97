#include "session/git/git_call.h"

#include "base/alloc.h"
#include "measure/launch.h"
#include "session/child.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 60 };

/* What git leaves to its hooks about the repository that they belong to. */
static const char *const own_variables[] = {
    "GIT_DIR",    "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
    "GIT_PREFIX", "GIT_CONFIG",    "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE"};

/* No hook, no daemon that watches files, no part of the files only, no clean-up in the
 * background; paths and subjects as they are in every other output. */
static const char *const before[] = {"git",
                                     "-c",
                                     "core.hooksPath=/dev/null",
                                     "-c",
                                     "core.fsmonitor=false",
                                     "-c",
                                     "core.sparseCheckout=false",
                                     "-c",
                                     "gc.auto=0",
                                     "-c",
                                     "maintenance.auto=false",
                                     "-c",
                                     "core.quotePath=false",
                                     "-c",
                                     "i18n.logOutputEncoding=UTF-8",
                                     "-c",
                                     "advice.addEmbeddedRepo=false"};
enum { BEFORE = sizeof before / sizeof before[0] };

static void trim_end(struct text *text)
{
    while (text->length > 0 && strchr("\r\n", text->bytes[text->length - 1]) != NULL) {
        text->bytes[--text->length] = '\0';
    }
}

/* What is wrong: the first line that begins with "fatal: ", without that, or the last
 * line. */
static enum duet_code refused(struct text *said, int status, struct duet_error *reterr)
{
    trim_end(said);
    const char *line = strrchr(text_string(said), '\n');
    line = line != NULL ? line + 1 : text_string(said);
    const char *first = strstr(text_string(said), "fatal: ");
    line = first != NULL ? first + strlen("fatal: ") : line;
    int length = (int)strcspn(line, "\n");
    return length > 0 ? error_set(reterr, DUET_E_NOT_FOUND, "%.*s", length, line)
                      : error_set(reterr, DUET_E_NOT_FOUND, "git ended with status %d",
                                  WIFEXITED(status) ? WEXITSTATUS(status)
                                                    : 128 + WTERMSIG(status));
}

static enum duet_code run(const struct git_repo *repo, const struct child_words *words,
                          struct text *ret_output, struct duet_error *reterr)
{
    struct child child;
    int status = 0;
    enum duet_code code = child_start(words, &child, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (child_wait(&child, repo->cancel_fd, &status) != HOOK_ENDED) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    struct text said = {0};
    if (status != 0) {
        child_output_read(words->error_fd, SIZE_MAX, &said);
        code = refused(&said, status, reterr);
    } else if (ret_output != NULL) {
        child_output_read(words->output_fd, SIZE_MAX, ret_output);
        trim_end(ret_output);
        code = text_failed(ret_output) ? error_no_memory(reterr) : DUET_OK;
    }
    text_release(&said);
    return code;
}

static enum duet_code find_git(char **ret_path, struct duet_error *reterr)
{
    return launch_find("git", ret_path, NULL) == DUET_OK
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_UNSUITABLE,
                     "there is no git in PATH: install it (Debian: apt-get install git), "
                     "or build both versions yourself and compare them: duet OLD NEW");
}

enum duet_code git_call(const struct git_repo *repo, const struct git_words *call,
                        struct text *ret_output, struct duet_error *reterr)
{
    const char *argv[BEFORE + WORDS_MAX + 1] = {NULL};
    char *path = NULL;
    char *index =
        call->index != NULL ? alloc_format("GIT_INDEX_FILE=%s", call->index) : NULL;
    const char *settings[] = {"LC_ALL=C",
                              "GIT_TERMINAL_PROMPT=0",
                              "GIT_OPTIONAL_LOCKS=0",
                              "GIT_PAGER=cat",
                              index,
                              NULL};
    struct child_words words = {.argv = argv,
                                .settings = settings,
                                .folder = call->folder,
                                .output_fd = memfd_create("duet-git", MFD_CLOEXEC),
                                .error_fd = memfd_create("duet-git", MFD_CLOEXEC)};
    memcpy((void *)argv, (const void *)before, sizeof before);
    for (size_t i = 0; i < WORDS_MAX && call->words[i] != NULL; i++) {
        argv[BEFORE + i] = call->words[i];
    }
    enum duet_code code = find_git(&path, reterr);
    if (code == DUET_OK && call->index != NULL && index == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK && (words.output_fd < 0 || words.error_fd < 0)) {
        code = error_set_errno(reterr, DUET_E_SYSTEM, errno, "cannot run git");
    }
    if (code == DUET_OK) {
        words.path = path;
        code = run(repo, &words, ret_output, reterr);
    }
    for (int i = 0; i < 2; i++) {
        int fd = i == 0 ? words.output_fd : words.error_fd;
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    free(index);
    free(path);
    return code;
}

/* ---- The repository ---- */

/* The answer to one question to `git rev-parse`, a path as a rule; free(). */
static enum duet_code ask(const struct git_repo *repo, const char *question,
                          const char *more, char **ret_answer,
                          struct duet_error *reterr)
{
    const char *words[] = {"rev-parse", question, more, NULL};
    struct text answer = {0};
    enum duet_code code =
        git_call(repo, &(struct git_words){.words = words}, &answer, reterr);
    char *taken = code == DUET_OK ? text_take(&answer) : NULL;
    text_release(&answer);
    if (code == DUET_OK && taken == NULL) {
        return error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        *ret_answer = taken;
    }
    return code;
}

/* The same from every folder of the repository. Git before 2.31 has no option for it.
 */
static enum duet_code make_absolute(char **path, struct duet_error *reterr)
{
    char *whole = realpath(*path, NULL);
    if (whole == NULL && (*path)[0] != '/') { /* an index that is not there yet */
        char *here = realpath(".", NULL);
        whole = here != NULL ? alloc_format("%s/%s", here, *path) : NULL;
        free(here);
    }
    if (whole != NULL) {
        free(*path);
        *path = whole;
    }
    return (*path)[0] == '/' ? DUET_OK
                             : error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                               "cannot find the current folder");
}

static enum duet_code no_repository(const struct duet_error *said,
                                    struct duet_error *reterr)
{
    if (said->code != DUET_E_NOT_FOUND) {
        return error_set(reterr, said->code, "%s", said->message);
    }
    if (strstr(said->message, "not a git repository") != NULL) {
        return error_set(
            reterr, DUET_E_USAGE,
            "this folder is in no git repository: go to one with cd, or compare two programs: duet OLD NEW");
    }
    bool foreign = strstr(said->message, "dubious ownership") != NULL ||
                   strstr(said->message, "safe.directory") != NULL;
    return error_set(
        reterr, DUET_E_USAGE, "git cannot use this repository: %s%s", said->message,
        foreign
            ? "; if you trust its owner: git config --global --add safe.directory FOLDER"
            : "");
}

static enum duet_code find_folders(struct git_repo *repo, struct duet_error *reterr)
{
    char *shallow = NULL;
    enum duet_code code = ask(repo, "--git-common-dir", NULL, &repo->common, reterr);
    if (code == DUET_OK) {
        code = make_absolute(&repo->common, reterr);
    }
    if (code == DUET_OK) {
        code = ask(repo, "--git-path", "index", &repo->index, reterr);
    }
    if (code == DUET_OK) {
        code = make_absolute(&repo->index, reterr);
    }
    if (code == DUET_OK) {
        code = ask(repo, "--is-shallow-repository", NULL, &shallow, reterr);
        repo->shallow = code == DUET_OK && strcmp(shallow, "true") == 0;
    }
    if (code == DUET_OK) {
        struct duet_error bare;
        code = ask(repo, "--show-toplevel", NULL, &repo->top, &bare);
        code = code == DUET_OK || code == DUET_E_NOT_FOUND
                   ? DUET_OK
                   : error_set(reterr, code, "%s", bare.message);
    }
    free(shallow);
    return code;
}

enum duet_code git_open(struct git_repo *ret_repo, struct duet_error *reterr)
{
    struct git_repo repo = {.cancel_fd = -1};
    struct duet_error said = {0};
    if (find_folders(&repo, &said) != DUET_OK) {
        git_close(&repo);
        return no_repository(&said, reterr);
    }
    for (size_t i = 0; i < sizeof own_variables / sizeof own_variables[0]; i++) {
        /* banned-ok: for all that will be started; no thread yet */
        (void)unsetenv(own_variables[i]);
    }
    *ret_repo = repo;
    return DUET_OK;
}

void git_close(struct git_repo *repo)
{
    free(repo->common);
    free(repo->top);
    free(repo->index);
    *repo = (struct git_repo){.cancel_fd = -1};
}
