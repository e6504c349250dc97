#include "session/fleet/fleet_submit.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "session/fleet/fleet_call.h"
#include "session/fleet/fleet_result.h"
#include "session/self.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

void fleet_request_release(struct fleet_request *request)
{
    free((void *)request->ship);
    model_fleet_plan_release(&request->plan);
}

static enum duet_code draw(struct model_fleet_plan *plan, struct duet_error *reterr)
{
    uint64_t words[3];
    if (getrandom(words, sizeof words, 0) != (ssize_t)sizeof words) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno, "no random numbers");
    }
    (void)snprintf(plan->id, sizeof plan->id, "%016" PRIx64 "%016" PRIx64, words[0],
                   words[1]);
    plan->seed = plan->seed != 0 ? plan->seed : words[2] >> 1U;
    return DUET_OK;
}

/* ---- Shipping ---- */

/* `path` within the suite's folder, absolute, as a path from there; NULL: it is not. */
static const char *within(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    bool inside = strncmp(path, folder, length) == 0 && path[length] == '/';
    return inside ? path + length + 1 : NULL;
}

/* From within the suite's folder, so that the folders between are made, too. */
static enum duet_code ship_one(const char *folder, const char *word, bool of_study,
                               const char *files, int cancel_fd,
                               struct duet_error *reterr)
{
    char *path = realpath(word, NULL);
    const char *name = path == NULL ? NULL : within(folder, path);
    if (name == NULL) {
        enum duet_code code =
            path == NULL
                ? error_set_errno(reterr, file_input_code(errno), errno,
                                  "cannot ship '%s'", word)
                : error_set(
                      reterr, DUET_E_USAGE,
                      "--ship %s: it is not in the %s folder '%s', from which tasks "
                      "find it: move it there",
                      word, of_study ? "current" : "suite's", folder);
        free(path);
        return code;
    }
    struct model_words words = {.list = NULL};
    enum duet_code code =
        fleet_words(&words, reterr, "env", "-C", folder, "cp", "-R", "-p", "--parents",
                    "--", name, files, (char *)NULL);
    if (code == DUET_OK) {
        code = fleet_call(&words, -1, cancel_fd, NULL, reterr);
    }
    model_words_release(&words);
    free(path);
    return code;
}

static enum duet_code ship(const struct fleet_request *request, const char *folder,
                           const char *files, int cancel_fd, struct duet_error *reterr)
{
    enum duet_code code =
        request->suite == NULL
            ? DUET_OK
            : ship_one(folder, request->suite, false, files, cancel_fd, reterr);
    for (size_t i = 0; i < request->ship_count && code == DUET_OK; i++) {
        code = ship_one(folder, request->ship[i], request->suite == NULL, files,
                        cancel_fd, reterr);
    }
    return code;
}

/* ---- Making ---- */

/* Where the suite is to be found by tasks, and where they run. */
static enum duet_code locate(const struct fleet_request *request, const char *path,
                             struct model_fleet_plan *plan, struct duet_error *reterr)
{
    const char *name = strrchr(path, '/') + 1;
    bool shipped = request->ship_count > 0;
    if (plan->study) {
        shipped = shipped || (plan->engine == MODEL_FLEET_FILES && request->no_data);
    } else {
        plan->suite =
            shipped ? alloc_format("%s/%s", FLEET_FILES, name) : alloc_string(path);
    }
    if (plan->suite == NULL) {
        return error_no_memory(reterr);
    }
    if (shipped) {
        plan->folder = alloc_string(FLEET_FILES);
        return plan->folder == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    plan->folder = realpath(".", NULL);
    return plan->folder == NULL
               ? error_set_errno(reterr, file_input_code(errno), errno,
                                 "cannot find the current folder, where the tasks are "
                                 "to be executed; change to another one")
               : DUET_OK;
}

static enum duet_code complete(struct fleet_request *request, const char *path,
                               struct duet_error *reterr)
{
    struct model_fleet_plan *plan = &request->plan;
    enum duet_code code = draw(plan, reterr);
    if (code == DUET_OK && !plan->study) {
        code = fleet_file_hash(path, plan->suite_sha256, reterr);
    }
    if (code == DUET_OK) {
        code = locate(request, path, plan, reterr);
    }
    plan->created_utc_ms = fleet_now_utc_ms();
    text_copy(plan->version, sizeof plan->version, BASE_VERSION);
    return code;
}

/* The suite's file, absolute. Of a study, which has none, a name in the current folder:
 * only its folder is used. */
static char *anchor(const struct fleet_request *request, struct duet_error *reterr)
{
    const char *word = request->suite != NULL ? request->suite : ".";
    char *path = realpath(word, NULL);
    if (path == NULL) {
        (void)error_set_errno(reterr, file_input_code(errno), errno, "cannot open '%s'",
                              word);
        return NULL;
    }
    if (request->suite != NULL) {
        return path;
    }
    char *study = alloc_format("%s/study", path);
    free(path);
    if (study == NULL) {
        (void)error_no_memory(reterr);
    }
    return study;
}

enum duet_code fleet_create(struct fleet_request *request, int cancel_fd,
                            struct fleet *ret_fleet, struct duet_error *reterr)
{
    char *path = anchor(request, reterr);
    if (path == NULL) {
        return reterr->code;
    }
    char *program = self_path();
    char *files = NULL;
    char *folder = NULL;
    struct fleet fleet = {.path = NULL};
    enum duet_code code = complete(request, path, reterr);
    char *to = request->to != NULL ? alloc_string(request->to)
                                   : alloc_format("fleet-%.8s", request->plan.id);
    if (code == DUET_OK && (program == NULL || to == NULL)) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        code = fleet_make(to, program, &request->plan, &fleet, reterr);
    }
    if (code == DUET_OK && request->ship_count > 0) {
        files = fleet_path(&fleet, FLEET_FILES);
        size_t length = (size_t)(strrchr(path, '/') - path);
        folder = alloc_string_n(path, length > 0 ? length : 1); /* the root: "/" */
        code = files == NULL || folder == NULL
                   ? error_no_memory(reterr)
                   : ship(request, folder, files, cancel_fd, reterr);
    }
    free(path);
    free(program);
    free(files);
    free(folder);
    free(to);
    if (code != DUET_OK) {
        if (fleet.path != NULL) {
            fleet_discard(&fleet, reterr);
        }
        return code;
    }
    *ret_fleet = fleet;
    return DUET_OK;
}
