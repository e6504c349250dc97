#include "session/git/git_history.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6 }; /* of a line: hash, tree, label, date, author, subject */

void git_history_release(struct git_history *history)
{
    for (size_t i = 0; i < history->count; i++) {
        git_revision_release(&history->commits[i].revision);
        free(history->commits[i].subject);
        free(history->commits[i].author);
        free(history->commits[i].date);
    }
    free(history->commits);
    *history = (struct git_history){0};
}

/* A line without its end; the fields are cut apart in it. */
static enum duet_code parse_line(char *line, struct git_commit *commit,
                                 struct duet_error *reterr)
{
    char *fields[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, i + 1 < FIELDS ? "\t" : "");
        if (*line == '\t') {
            *line++ = '\0';
        }
    }
    struct git_revision *revision = &commit->revision;
    (void)snprintf(revision->commit, sizeof revision->commit, "%s", fields[0]);
    (void)snprintf(revision->tree, sizeof revision->tree, "%s", fields[1]);
    revision->asked = alloc_string(fields[2]);
    revision->label = alloc_string(fields[2]);
    commit->date = alloc_string(fields[3]);
    commit->author = alloc_string(fields[4]);
    commit->subject = alloc_string(fields[5]);
    return revision->asked != NULL && revision->label != NULL && commit->date != NULL &&
                   commit->author != NULL && commit->subject != NULL
               ? DUET_OK
               : error_no_memory(reterr);
}

/* The commits that git tells with these words are added. */
static enum duet_code add_log(const struct git_repo *repo, const char *const *words,
                              struct git_history *history, struct duet_error *reterr)
{
    struct text output = {0};
    enum duet_code code =
        git_call(repo, &(struct git_words){.words = words}, &output, reterr);
    char *lines = code == DUET_OK ? text_take(&output) : NULL;
    text_release(&output);
    if (code != DUET_OK || lines == NULL) {
        return code != DUET_OK ? code : error_no_memory(reterr);
    }
    size_t capacity = history->count;
    char *rest = lines;
    while (*rest != '\0' && code == DUET_OK) {
        char *line = rest;
        rest += strcspn(rest, "\n");
        if (*rest == '\n') {
            *rest++ = '\0';
        }
        struct git_commit *commits =
            alloc_grow(history->commits, history->count, &capacity, sizeof *commits);
        if (commits == NULL) {
            code = error_no_memory(reterr);
            break;
        }
        history->commits = commits;
        commits[history->count] = (struct git_commit){0};
        code = parse_line(line, &commits[history->count++], reterr);
    }
    free(lines);
    return code;
}

/* Errors: those of git_call() but DUET_E_NOT_FOUND, which is git's no. */
static enum duet_code ask_ancestor(const struct git_repo *repo, const char *from,
                                   const char *to, bool *ret_is,
                                   struct duet_error *reterr)
{
    const char *const words[] = {"merge-base", "--is-ancestor", from, to, NULL};
    struct duet_error error = {0};
    enum duet_code code =
        git_call(repo, &(struct git_words){.words = words}, NULL, &error);
    *ret_is = code == DUET_OK;
    return code == DUET_OK || code == DUET_E_NOT_FOUND
               ? DUET_OK
               : error_set(reterr, code, "%s", error.message);
}

static enum duet_code check_order(const struct git_repo *repo,
                                  const struct git_revision ends[2],
                                  struct duet_error *reterr)
{
    bool is = false;
    bool swapped = false;
    enum duet_code code =
        ask_ancestor(repo, ends[0].commit, ends[1].commit, &is, reterr);
    if (code == DUET_OK && !is) {
        code = ask_ancestor(repo, ends[1].commit, ends[0].commit, &swapped, reterr);
    }
    if (code != DUET_OK || is) {
        return code;
    }
    return error_set(reterr, DUET_E_USAGE, "'%s' is not an ancestor of '%s'%s",
                     ends[0].asked, ends[1].asked,
                     swapped ? "; the reverse is true: give the older one first"
                     : repo->shallow
                         ? ", as far as this shallow clone knows: git fetch --unshallow"
                         : "");
}

static const char format[] = "--format=%H%x09%T%x09%h%x09%as%x09%an%x09%s";

static enum duet_code read_all(const struct git_repo *repo, const char *from,
                               const char *to, struct git_history *history,
                               struct duet_error *reterr)
{
    char *range = alloc_format("%s..%s", from, to);
    const char *const first[] = {"log",  "-1", "--no-show-signature",
                                 format, from, NULL};
    const char *const others[] = {
        "log", "--first-parent", "--reverse", "--no-show-signature", format, range,
        NULL};
    enum duet_code code =
        range == NULL ? error_no_memory(reterr) : add_log(repo, first, history, reterr);
    if (code == DUET_OK) {
        code = add_log(repo, others, history, reterr);
    }
    free(range);
    return code;
}

enum duet_code git_history_whole(const struct git_repo *repo, const char *to,
                                 struct git_history *ret_history,
                                 struct duet_error *reterr)
{
    struct git_revision end = {0};
    struct git_history history = {0};
    enum duet_code code = git_revision_find(repo, to, &end, reterr);
    if (code == DUET_OK) {
        const char *const words[] = {
            "log",  "--first-parent", "--reverse", "--no-show-signature",
            format, end.commit,       NULL};
        code = add_log(repo, words, &history, reterr);
    }
    git_revision_release(&end);
    if (code != DUET_OK) {
        git_history_release(&history);
        return code;
    }
    *ret_history = history;
    return DUET_OK;
}

enum duet_code git_history_find(const struct git_repo *repo, const char *from,
                                const char *to, struct git_history *ret_history,
                                struct duet_error *reterr)
{
    struct git_revision ends[2] = {{0}, {0}};
    struct git_history history = {0};
    enum duet_code code = git_revision_find(repo, from, &ends[0], reterr);
    if (code == DUET_OK) {
        code = git_revision_find(repo, to, &ends[1], reterr);
    }
    if (code == DUET_OK && strcmp(ends[0].commit, ends[1].commit) == 0) {
        code = error_set(reterr, DUET_E_USAGE,
                         "'%s' and '%s' are the same commit: name two different ones",
                         from, to);
    } else if (code == DUET_OK) {
        code = check_order(repo, ends, reterr);
    }
    if (code == DUET_OK) {
        code = read_all(repo, ends[0].commit, ends[1].commit, &history, reterr);
    }
    git_revision_release(&ends[0]);
    git_revision_release(&ends[1]);
    if (code != DUET_OK) {
        git_history_release(&history);
        return code;
    }
    *ret_history = history;
    return DUET_OK;
}
