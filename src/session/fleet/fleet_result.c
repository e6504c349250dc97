#include "session/fleet/fleet_result.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/sha256.h"
#include "model/name_table.h"
#include "session/comparison/answer.h"
#include "store/store_companion.h"
#include "store/store_older.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASK_DIGITS = 6 };
static const char hexadecimal[] = "0123456789abcdef";

/* ---- Names ---- */

bool fleet_attempt_is_right(const char *attempt)
{
    size_t length = strlen(attempt);
    return length > 0 && length < MODEL_FLEET_ATTEMPT_BYTES &&
           strspn(attempt, "0123456789.abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == length;
}

/* The part of *at before the next `end`, which is skipped; false: it does not fit, or
 * there is none. */
static bool take_part(const char **at, char end, char *ret_part, size_t size)
{
    const char *stop = strchr(*at, end);
    if (stop == NULL || stop == *at || (size_t)(stop - *at) >= size) {
        return false;
    }
    memcpy(ret_part, *at, (size_t)(stop - *at));
    ret_part[stop - *at] = '\0';
    *at = stop + 1;
    return true;
}

bool fleet_result_parse(const char *name, struct fleet_result_name *ret_name)
{
    struct fleet_result_name parsed = {.task = 0};
    char task[TASK_DIGITS + 2];
    const char *at = name;
    const char *ending = NULL;
    bool right = take_part(&at, '-', parsed.id, sizeof parsed.id) &&
                 take_part(&at, '-', task, sizeof task) &&
                 take_part(&at, '-', parsed.attempt, sizeof parsed.attempt) &&
                 strlen(at) > FLEET_RESULT_HASH_DIGITS;
    ending = right ? at + FLEET_RESULT_HASH_DIGITS : "";
    right = strcmp(ending, FLEET_STORE_ENDING) == 0 ||
            strcmp(ending, FLEET_PART_ENDING) == 0;
    if (!right) {
        return false;
    }
    memcpy(parsed.hash, at, FLEET_RESULT_HASH_DIGITS);
    parsed.task = strtoull(task, NULL, 10);
    right = strlen(parsed.id) == FLEET_RESULT_ID_DIGITS &&
            strspn(parsed.id, hexadecimal) == FLEET_RESULT_ID_DIGITS &&
            strspn(task, "0123456789") == strlen(task) && parsed.task >= 1 &&
            parsed.task <= MODEL_FLEET_TASKS_MAX &&
            fleet_attempt_is_right(parsed.attempt) &&
            strspn(parsed.hash, hexadecimal) == FLEET_RESULT_HASH_DIGITS;
    if (right) {
        *ret_name = parsed;
    }
    return right;
}

const char *fleet_result_ending(const struct fleet *fleet)
{
    return fleet->plan.study ? FLEET_PART_ENDING : FLEET_STORE_ENDING;
}

/* ---- Files ---- */

/* Hands the file on piece by piece. */
static enum duet_code each_piece(const char *path,
                                 void (*take)(void *context, const char *bytes,
                                              size_t length),
                                 void *context, struct duet_error *reterr)
{
    char piece[65536];
    ssize_t got = 0;
    int fd = -1;
    enum duet_code code = file_open_plain(path, &fd, reterr);
    if (code != DUET_OK) {
        return DUET_E_IO;
    }
    while ((got = read(fd, piece, sizeof piece)) > 0) {
        take(context, piece, (size_t)got);
    }
    if (got < 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    (void)close(fd);
    return code;
}

static void hash_piece(void *context, const char *bytes, size_t length)
{
    sha256_add(context, bytes, length);
}

enum duet_code fleet_file_hash(const char *path, char ret_hash[65],
                               struct duet_error *reterr)
{
    struct sha256 hash;
    sha256_init(&hash);
    enum duet_code code = each_piece(path, hash_piece, &hash, reterr);
    if (code == DUET_OK) {
        sha256_finish(&hash, ret_hash);
    }
    return code;
}

static void keep_piece(void *context, const char *bytes, size_t length)
{
    text_append_n(context, bytes, length);
}

enum duet_code fleet_result_publish(const struct fleet *fleet, uint64_t task,
                                    const char *attempt, const char *from,
                                    char *ret_name, size_t size,
                                    struct duet_error *reterr)
{
    struct text bytes = {.bytes = NULL};
    struct sha256 hash;
    char digits[SHA256_TEXT_BYTES];
    enum duet_code code = each_piece(from, keep_piece, &bytes, reterr);
    if (code == DUET_OK && text_failed(&bytes)) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        sha256_init(&hash);
        sha256_add(&hash, text_string(&bytes), bytes.length);
        sha256_finish(&hash, digits);
        (void)snprintf(ret_name, size, "%.*s-%0*" PRIu64 "-%s-%.*s%s",
                       FLEET_RESULT_ID_DIGITS, fleet->plan.id, TASK_DIGITS, task,
                       attempt, FLEET_RESULT_HASH_DIGITS, digits,
                       fleet_result_ending(fleet));
        code = fleet_write(fleet, FLEET_RESULTS, ret_name, text_string(&bytes),
                           bytes.length, reterr);
    }
    text_release(&bytes);
    return code;
}

enum duet_code fleet_result_copy(const char *path, char **ret_copy,
                                 struct duet_error *reterr)
{
    struct fleet_result_name name;
    const char *slash = strrchr(path, '/');
    *ret_copy = NULL;
    return fleet_result_parse(slash != NULL ? slash + 1 : path, &name)
               ? store_older_copy(path, ret_copy, reterr)
               : DUET_OK;
}

/* ---- What is in one ---- */

/* The answer that its measurement ended with, or, without one, a new one. */
static enum duet_code answer_ratio(struct store *store,
                                   const struct store_experiment *experiment,
                                   struct model_fleet_ratio *ratio,
                                   struct duet_error *reterr)
{
    struct answer answer = {.drop = 0};
    if (experiment->verdict.known &&
        experiment->verdict.verdict == MODEL_VERDICT_IDENTICAL) {
        ratio->identical = true;
        ratio->log_ratio = 0.0;
        return DUET_OK;
    }
    if (experiment->verdict.known) {
        ratio->log_ratio = log(experiment->verdict.ratio);
        ratio->old_ns = experiment->verdict.old_mean_ns;
        return DUET_OK;
    }
    enum duet_code code = answer_make(store, experiment->id, NULL, &answer, reterr);
    if (code == DUET_OK) {
        ratio->log_ratio = log(answer.comparison.ratio);
        ratio->old_ns = answer.comparison.sides[MODEL_OLD].mean_ns;
        answer_release(&answer);
    }
    return code == DUET_E_TOO_FEW ? DUET_OK : code;
}

/* Few benchmarks have one, and a fleet has many ratios. */
static enum duet_code take_acceptance(struct store *store,
                                      const struct store_experiment *experiment,
                                      struct model_fleet_ratio *ratio,
                                      struct duet_error *reterr)
{
    struct model_acceptance acceptance = {.limit = 0.0};
    enum duet_code code =
        store_acceptance_load(store, experiment->id, &acceptance, reterr);
    if (code != DUET_OK || !(acceptance.limit > 0)) {
        return code;
    }
    ratio->acceptance = alloc_array(1, sizeof *ratio->acceptance);
    if (ratio->acceptance == NULL) {
        return error_no_memory(reterr);
    }
    *ratio->acceptance = acceptance;
    return DUET_OK;
}

static enum duet_code add_ratio(struct store *store,
                                const struct store_experiment *experiment,
                                struct model_fleet_state *state,
                                struct duet_error *reterr)
{
    struct model_fleet_ratio *ratio = &state->ratios[state->ratio_count];
    *ratio = (struct model_fleet_ratio){.name = alloc_string(experiment->name),
                                        .log_ratio = (double)NAN,
                                        .old_ns = (double)NAN};
    if (ratio->name == NULL) {
        return error_no_memory(reterr);
    }
    state->ratio_count++;
    enum duet_code code = take_acceptance(store, experiment, ratio, reterr);
    return code == DUET_OK && experiment->state == STORE_DONE
               ? answer_ratio(store, experiment, ratio, reterr)
               : code;
}

/* names: of those that were taken. */
static enum duet_code take_experiment(struct store *store,
                                      const struct store_experiment *experiment,
                                      struct model_name_table *names,
                                      struct model_fleet_state *state,
                                      struct duet_error *reterr)
{
    enum model_role role = MODEL_ROLE_COMPARISON;
    int64_t of = 0;
    uint32_t number = 0;
    size_t known = names->count;
    if (experiment->dataset.trials > 0 || experiment->region_of != 0) {
        return DUET_OK;
    }
    enum duet_code code =
        store_companion_role(store, experiment->id, &role, &of, reterr);
    if (code == DUET_OK && role == MODEL_ROLE_COMPARISON) {
        code = model_name_table_find(names, experiment->name, strlen(experiment->name),
                                     &number, reterr);
    }
    if (code != DUET_OK || names->count == known) {
        return code;
    }
    const struct model_host *host = &experiment->host;
    if (state->node[0] == '\0') {
        text_copy(state->node, sizeof state->node, host->host_name);
    }
    text_copy(state->cpu_model, sizeof state->cpu_model, host->cpu_model);
    text_copy(state->instance, sizeof state->instance, host->uuid);
    return add_ratio(store, experiment, state, reterr);
}

enum duet_code fleet_result_read(const char *path, struct model_fleet_state *state,
                                 struct duet_error *reterr)
{
    struct store *store = NULL;
    struct store_experiment *list = NULL;
    struct model_name_table names = {.names = NULL};
    size_t count = 0;
    char *copy = NULL;
    enum duet_code code = fleet_result_copy(path, &copy, reterr);
    if (code == DUET_OK) {
        code = store_open(copy != NULL ? copy : path, false, &store, reterr);
    }
    if (code == DUET_OK) {
        code = store_experiment_list(store, &list, &count, reterr);
    }
    if (code == DUET_OK && count == 0) {
        code = error_set(reterr, DUET_E_TOO_FEW, "'%s': nothing was measured into it",
                         path);
    }
    if (code == DUET_OK) {
        state->ratios = alloc_array(count, sizeof *state->ratios);
        code = state->ratios == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) { /* newest first */
        code = take_experiment(store, &list[i], &names, state, reterr);
    }
    model_name_table_release(&names);
    for (size_t i = 0; i < count; i++) {
        store_experiment_release(&list[i]);
    }
    free(list);
    store_close(store);
    store_older_remove(copy);
    return code;
}
