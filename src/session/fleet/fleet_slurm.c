#include "session/fleet/fleet_slurm.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "session/fleet/fleet_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The scripts are the same for every fleet: what differs comes as their arguments. */
static const char task_script[] =
    "#!/bin/sh\n"
    "exec \"$1/" FLEET_PROGRAM "\" fleet task \"$1\" \"$SLURM_ARRAY_TASK_ID\"\n";
static const char collect_script[] =
    "#!/bin/sh\nexec \"$1/" FLEET_PROGRAM "\" fleet collect \"$1\"\n";
#define TASK_SCRIPT "task.sh"
#define COLLECT_SCRIPT "collect.sh"

/* ---- Submitting ---- */

/* "12" or "12;cluster". */
static enum duet_code take_job(const char *answer, char ret_job[32],
                               struct duet_error *reterr)
{
    size_t digits = strspn(answer, "0123456789");
    if (digits == 0 || digits >= 32) {
        return error_set(reterr, DUET_E_WORKLOAD,
                         "sbatch gave no number of a job, but '%.100s'", answer);
    }
    memcpy(ret_job, answer, digits);
    ret_job[digits] = '\0';
    return DUET_OK;
}

static enum duet_code begin(const struct fleet *fleet, const char *script,
                            const char *text, struct model_words *words,
                            char **ret_path, struct duet_error *reterr)
{
    enum duet_code code = fleet_write(fleet, NULL, script, text, strlen(text), reterr);
    *ret_path = fleet_path(fleet, script);
    if (code == DUET_OK && *ret_path == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        code = fleet_words(words, reterr, "sbatch", "--parsable", "--nodes=1",
                           "--ntasks=1", (char *)NULL);
    }
    for (size_t i = 0; i < fleet->plan.sbatch.count && code == DUET_OK; i++) {
        code = model_words_add(words, fleet->plan.sbatch.list[i], reterr);
    }
    return code;
}

static enum duet_code add_format(struct model_words *words, struct duet_error *reterr,
                                 char *take_word)
{
    enum duet_code code = take_word == NULL ? error_no_memory(reterr)
                                            : model_words_add(words, take_word, reterr);
    free(take_word);
    return code;
}

/* "--output=FOLDER/logs/NAME", where Slurm replaces what follows a % in the name, but
 * not in the folder. */
static enum duet_code add_log(const struct fleet *fleet, const char *name,
                              struct model_words *words, struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    text_append(&text, "--output=");
    for (const char *at = fleet->path; *at != '\0'; at++) {
        text_append(&text, *at == '%' ? "%" : "");
        text_append_char(&text, *at);
    }
    text_append_format(&text, "/%s/%s", FLEET_LOGS, name);
    return add_format(words, reterr, text_take(&text));
}

/* What the fleet relies on comes behind the user's words, so that it wins. */
static enum duet_code submit(const struct fleet *fleet, struct model_words *words,
                             const char *path, int cancel_fd, char ret_job[32],
                             struct duet_error *reterr)
{
    struct text answer = {.bytes = NULL};
    enum duet_code code =
        add_format(words, reterr, alloc_format("--chdir=%s", fleet->path));
    if (code == DUET_OK) {
        code = fleet_words(words, reterr, path, fleet->path, (char *)NULL);
    }
    if (code == DUET_OK) {
        code = fleet_call(words, -1, cancel_fd, &answer, reterr);
    }
    if (code == DUET_OK) {
        code = take_job(text_string(&answer), ret_job, reterr);
    }
    text_release(&answer);
    return code;
}

static enum duet_code submit_tasks(const struct fleet *fleet, const char *array,
                                   int cancel_fd, char ret_job[32],
                                   struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    char *path = NULL;
    uint64_t limit = fleet->plan.limit;
    enum duet_code code = begin(fleet, TASK_SCRIPT, task_script, &words, &path, reterr);
    if (code == DUET_OK) {
        code =
            add_format(&words, reterr,
                       limit == 0 ? alloc_format("--array=%s", array)
                                  : alloc_format("--array=%s%%%" PRIu64, array, limit));
    }
    if (code == DUET_OK) {
        code = add_format(&words, reterr,
                          alloc_format("--job-name=duet-%s", fleet->plan.id));
    }
    if (code == DUET_OK) {
        code = fleet_words(&words, reterr, "--requeue", "--open-mode=append",
                           (char *)NULL);
    }
    if (code == DUET_OK && !fleet->plan.study) { /* nothing else is to run there */
        code = model_words_add(&words, "--exclusive", reterr);
    }
    if (code == DUET_OK) {
        code = add_log(fleet, "%A_%a.log", &words, reterr);
    }
    if (code == DUET_OK) {
        code = submit(fleet, &words, path, cancel_fd, ret_job, reterr);
    }
    free(path);
    model_words_release(&words);
    return code;
}

static enum duet_code submit_collection(const struct fleet *fleet,
                                        const char *array_job, int cancel_fd,
                                        struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    char *path = NULL;
    char job[32];
    enum duet_code code =
        begin(fleet, COLLECT_SCRIPT, collect_script, &words, &path, reterr);
    if (code == DUET_OK) {
        code = add_format(&words, reterr,
                          alloc_format("--dependency=afterany:%s", array_job));
    }
    if (code == DUET_OK) {
        code = add_format(&words, reterr,
                          alloc_format("--job-name=duet-collect-%s", fleet->plan.id));
    }
    if (code == DUET_OK) {
        code = add_log(fleet, "collect-%j.log", &words, reterr);
    }
    if (code == DUET_OK) {
        code = model_words_add(&words, "--kill-on-invalid-dep=yes", reterr);
    }
    if (code == DUET_OK) {
        code = submit(fleet, &words, path, cancel_fd, job, reterr);
    }
    free(path);
    model_words_release(&words);
    return code;
}

/* An array whose results nobody would collect is cancelled; an interruption does not
 * keep it from that. By its number: earlier arrays of the fleet have the same name. */
static enum duet_code take_back(const struct fleet *fleet, const char *job,
                                const struct duet_error *wrong,
                                struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    struct duet_error error = {.code = DUET_OK};
    enum duet_code code = fleet_words(&words, &error, "scancel", job, (char *)NULL);
    if (code == DUET_OK) {
        code = fleet_call(&words, -1, -1, NULL, &error);
    }
    model_words_release(&words);
    return code == DUET_OK
               ? error_set(reterr, wrong->code,
                           "%s; job %s, the tasks, was cancelled: go on with duet "
                           "fleet resume %s",
                           wrong->message, job, fleet->path)
               : error_set(reterr, wrong->code,
                           "%s; job %s, the tasks, could not be cancelled (%s): type "
                           "scancel %s",
                           wrong->message, job, error.message, job);
}

enum duet_code fleet_slurm_submit(const struct fleet *fleet, const char *array,
                                  int cancel_fd, char ret_job[32],
                                  struct duet_error *reterr)
{
    char job[32];
    struct duet_error wrong;
    enum duet_code code = submit_tasks(fleet, array, cancel_fd, job, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (submit_collection(fleet, job, cancel_fd, &wrong) != DUET_OK) {
        return take_back(fleet, job, &wrong, reterr);
    }
    text_copy(ret_job, sizeof job, job);
    return DUET_OK;
}

/* ---- Looking ---- */

enum liveness { GONE, PENDING, ALIVE };

static enum liveness liveness_of(const char *state)
{
    static const char *const gone[] = {"COMPLETED", "CANCELLED",   "FAILED",
                                       "TIMEOUT",   "NODE_FAIL",   "PREEMPTED",
                                       "BOOT_FAIL", "DEADLINE",    "OUT_OF_MEMORY",
                                       "REVOKED",   "SPECIAL_EXIT"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        if (strcmp(state, gone[i]) == 0) {
            return GONE;
        }
    }
    return strcmp(state, "PENDING") == 0 || strncmp(state, "REQUEUE", 7) == 0 ? PENDING
                                                                              : ALIVE;
}

/* The next word of a line, which ends at a blank; "" at the end of the line. */
static char *next_word(char **at)
{
    char *word = *at;
    size_t length = strcspn(word, " ");
    *at = word + length + (word[length] == ' ');
    word[length] = '\0';
    return word;
}

/* What squeue's lines come to for one task. */
struct job_state {
    enum liveness life;
    char reason[96]; /* why it waits; "": for none that Slurm says */
};

static void take_line(char *line, struct job_state *jobs, size_t count,
                      struct fleet_survey *survey)
{
    uint64_t index = 0;
    struct duet_error ignored;
    (void)next_word(&line); /* the array */
    const char *number = next_word(&line);
    const char *state = next_word(&line);
    const char *node = next_word(&line);
    if (*state == '\0' ||
        parse_whole(number, "index", 1, count, &index, &ignored) != DUET_OK) {
        return;
    }
    enum liveness life = liveness_of(state);
    struct job_state *job = &jobs[index - 1];
    job->life = life > job->life ? life : job->life;
    if (life == PENDING) {
        text_copy(job->reason, sizeof job->reason,
                  strcmp(line, "None") == 0 ? "" : line);
    }
    struct model_fleet_state *task = &survey->tasks[index - 1];
    if (life == ALIVE && task->node[0] == '\0') {
        text_copy(task->node, sizeof task->node, node);
    }
}

static void settle_task(const struct job_state *job, size_t index,
                        struct fleet_survey *survey)
{
    struct model_fleet_state *task = &survey->tasks[index];
    if (task->phase == MODEL_FLEET_DONE) {
        return;
    }
    if (job->life == ALIVE) {
        fleet_survey_set(survey, index, MODEL_FLEET_RUNNING);
    } else if (job->life == PENDING) {
        fleet_survey_set(survey, index, MODEL_FLEET_WAITING);
        text_copy(task->message, sizeof task->message, job->reason);
    } else if (task->phase != MODEL_FLEET_FAILED) {
        fleet_survey_set(survey, index, MODEL_FLEET_LOST);
    }
}

enum duet_code fleet_slurm_take(const char *answer, struct fleet_survey *survey,
                                struct duet_error *reterr)
{
    struct job_state *jobs = alloc_array(survey->count, sizeof *jobs);
    if (jobs == NULL) {
        return error_no_memory(reterr);
    }
    while (*answer != '\0') {
        char line[256];
        size_t length = strcspn(answer, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)length, answer);
        take_line(line, jobs, survey->count, survey);
        answer += length + (answer[length] == '\n');
    }
    for (size_t i = 0; i < survey->count; i++) {
        settle_task(&jobs[i], i, survey);
    }
    free(jobs);
    return DUET_OK;
}

enum duet_code fleet_slurm_look(const struct fleet *fleet, int cancel_fd,
                                struct fleet_survey *survey, struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    struct text answer = {.bytes = NULL};
    enum duet_code code =
        fleet_words(&words, reterr, "squeue", "--noheader", "--array", "--states=all",
                    "--format=%F %K %T %N %r", (char *)NULL);
    if (code == DUET_OK) {
        code =
            add_format(&words, reterr, alloc_format("--name=duet-%s", fleet->plan.id));
    }
    if (code == DUET_OK) {
        code = fleet_call(&words, -1, cancel_fd, &answer, reterr);
    }
    if (code == DUET_OK) {
        code = fleet_slurm_take(text_string(&answer), survey, reterr);
    }
    text_release(&answer);
    model_words_release(&words);
    return code;
}

enum duet_code fleet_slurm_cancel(const struct fleet *fleet, int cancel_fd,
                                  struct duet_error *reterr)
{
    struct model_words words = {.list = NULL};
    enum duet_code code = fleet_words(&words, reterr, "scancel", (char *)NULL);
    if (code == DUET_OK) {
        code =
            add_format(&words, reterr, alloc_format("--name=duet-%s", fleet->plan.id));
    }
    if (code == DUET_OK) {
        code = fleet_call(&words, -1, cancel_fd, NULL, reterr);
    }
    model_words_release(&words);
    return code;
}
