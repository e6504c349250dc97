#include "session/git/git_stamp.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void git_stamp_release(struct model_revision *stamp)
{
    free(stamp->repository);
    free(stamp->subject);
    *stamp = (struct model_revision){0};
}

/* Of a time that no calendar has: unknown. */
static int64_t ms_of(const char *seconds)
{
    int64_t value = strtoll(seconds, NULL, 10);
    return value > INT64_MIN / 1000 && value < INT64_MAX / 1000 ? 1000 * value : 0;
}

/* "HASH<tab>SECONDS<tab>SUBJECT", cut apart in place. */
static enum duet_code parse(char *line, struct model_revision *stamp,
                            struct duet_error *reterr)
{
    char *seconds = strchr(line, '\t');
    char *subject = seconds != NULL ? strchr(seconds + 1, '\t') : NULL;
    if (subject == NULL) {
        return error_set(reterr, DUET_E_INTERNAL, "git log printed '%s'", line);
    }
    *seconds++ = '\0';
    *subject++ = '\0';
    (void)snprintf(stamp->commit, sizeof stamp->commit, "%s", line);
    stamp->committed_utc_ms = ms_of(seconds);
    stamp->subject = alloc_string(subject);
    return stamp->subject != NULL ? DUET_OK : error_no_memory(reterr);
}

enum duet_code git_stamp_read(const struct git_repo *repo,
                              const struct git_revision *revision,
                              struct model_revision *ret_stamp,
                              struct duet_error *reterr)
{
    struct model_revision stamp = {.changed = revision->changed};
    struct text output = {0};
    char *words = alloc_format("%s%s", revision->commit, revision->changed ? "~1" : "");
    const char *const log[] = {
        "log", "-1", "--no-show-signature", "--format=%H%x09%ct%x09%s", words, NULL};
    enum duet_code code =
        words == NULL
            ? error_no_memory(reterr)
            : git_call(repo, &(struct git_words){.words = log}, &output, reterr);
    char *line = code == DUET_OK ? text_take(&output) : NULL;
    if (code == DUET_OK) {
        code = line == NULL ? error_no_memory(reterr) : parse(line, &stamp, reterr);
    }
    if (code == DUET_OK) {
        (void)snprintf(stamp.tree, sizeof stamp.tree, "%s", revision->tree);
        stamp.repository = alloc_string(repo->top != NULL ? repo->top : repo->common);
        code = stamp.repository != NULL ? DUET_OK : error_no_memory(reterr);
    }
    text_release(&output);
    free(line);
    free(words);
    if (code != DUET_OK) {
        git_stamp_release(&stamp);
        return code;
    }
    *ret_stamp = stamp;
    return DUET_OK;
}
