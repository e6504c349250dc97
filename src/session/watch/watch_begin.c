#include "session/watch/watch_begin.h"

#include "base/alloc.h"
#include "base/version.h"
#include "measure/launch.h"
#include "session/comparison/benchmark.h"
#include "session/placement.h"
#include "session/storage.h"
#include "session/watch/watch_status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void watch_place_init(struct watch_place *place)
{
    *place = (struct watch_place){.lock = {.fd = -1}, .watch = {.open_batch = -1}};
}

void watch_place_release(struct watch_place *place)
{
    store_watch_unlock(&place->lock);
    store_watch_release(&place->watch);
    store_close(place->store);
    machine_free(place->machine);
    free((void *)place->words);
    watch_place_init(place);
}

/* ---- The program and its CPUs ---- */

/* All that may be used, unless the user says: a program is watched as it runs on this
 * machine. */
static enum duet_code place_cpus(const struct machine *machine, const char *cpus,
                                 struct model_plan *plan, struct duet_error *reterr)
{
    if (cpus == NULL) {
        machine_cpus_allowed(machine, &plan->cpus[0]);
        plan->cpus[1].count = 0;
        return DUET_OK;
    }
    struct placement wish = {.cpus = cpus, .per_position = 1, .solo = true};
    return placement_find(machine, &wish, plan->cpus, reterr);
}

/* The plan of a watch whose settings and workload are in place->watch. */
static enum duet_code make_plan(struct watch_place *place, struct duet_error *reterr)
{
    const struct store_watch *watch = &place->watch;
    char *path = NULL;
    enum duet_code code =
        benchmark_words(watch->command, watch->shell, &place->words, reterr);
    if (code == DUET_OK) {
        code = launch_find(place->words[0], &path, reterr);
        free(path);
    }
    if (code != DUET_OK) {
        return code;
    }
    bool printed = watch->watch.pattern != NULL;
    place->plan = (struct model_plan){
        .name = watch->watch.name,
        .schedule = MODEL_SCHEDULE_SEQUENTIAL,
        .seed = watch->seed,
        .timeout_ns = watch->timeout_ns,
        .ignore_failure = watch->ignore_failure,
        .usage = true,
        .shell = watch->shell,
        .input = {.kind = MODEL_STREAM_NULL},
        .output = {.kind = printed ? MODEL_STREAM_PIPE : MODEL_STREAM_NULL},
        .error_output = {.kind = MODEL_STREAM_PIPE}};
    place->plan.sides[MODEL_WATCH_SIDE] =
        (struct model_workload){.name = watch->watch.name,
                                .command = watch->command,
                                .argv = (const char *const *)place->words,
                                .prepare = watch->prepare,
                                .conclude = watch->conclude};
    return place_cpus(place->machine, watch->watch.cpus, &place->plan, reterr);
}

/* ---- A new one ---- */

static enum duet_code lock(struct watch_place *place, struct duet_error *reterr)
{
    int64_t holder = 0;
    enum duet_code code =
        store_watch_lock(place->store, place->watch.id, &place->lock, &holder, reterr);
    if (code == DUET_OK && holder != 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "process %" PRId64 " is at the watch '%s' already: one at a "
                         "time (duet watch --status shows how far it is)",
                         holder, place->watch.watch.name);
    }
    return code;
}

/* As the request says; strings are borrowed from it. */
static void take_request(const struct watch_request *request, const char *folder,
                         struct store_watch *watch)
{
    watch->watch = request->watch;
    watch->watch.folder = folder;
    if (watch->watch.name == NULL) {
        watch->watch.name = request->command;
    }
    watch->command = request->command;
    watch->shell = request->shell;
    watch->prepare = request->prepare;
    watch->conclude = request->conclude;
    watch->timeout_ns = request->timeout_ns;
    watch->ignore_failure = request->ignore_failure;
    watch->seed = request->seed;
    watch->start_utc_ns = watch_now_utc_ns();
}

/* Its experiment and itself in the store; what had begun is marked when it fails. */
static enum duet_code enter(struct watch_place *place, struct duet_error *reterr)
{
    struct store_watch *watch = &place->watch;
    struct model_host host;
    struct model_host_load load;
    machine_describe(place->machine, place->plan.cpus, &host);
    machine_read_load(place->machine, &load);
    enum duet_code code =
        store_experiment_begin(place->store, &place->plan, &host, &load, BASE_VERSION,
                               &watch->experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error error = {0};
    code = store_watch_begin(place->store, watch->experiment, &watch->watch,
                             watch->start_utc_ns, &watch->id, &error);
    if (code == DUET_OK) {
        code = lock(place, &error);
    }
    if (code != DUET_OK) {
        struct duet_error ignored;
        (void)!store_experiment_end(place->store, watch->experiment, STORE_FAILED, NULL,
                                    error.message, &ignored);
        return error_set(reterr, code, "%s", error.message);
    }
    watch->state = STORE_RUNNING;
    watch->started_utc_ms = watch->start_utc_ns / 1000000;
    return DUET_OK;
}

/* Before there is a store: a name that can be none leaves no empty one behind. */
static enum duet_code check_name(const char *name, struct duet_error *reterr)
{
    return name[strspn(name, "0123456789")] != '\0'
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "--name '%s': a name has more than digits, a number means "
                           "an experiment",
                           name);
}

/* Before anything of it is in the store. */
static enum duet_code check_free(struct watch_place *place, struct duet_error *reterr)
{
    const char *name = place->watch.watch.name;
    struct store_watch other = {.open_batch = -1};
    enum duet_code code = store_watch_find(place->store, name, &other, NULL);
    bool taken = code == DUET_OK && other.state != STORE_DONE;
    store_watch_release(&other);
    return taken ? error_set(reterr, DUET_E_USAGE,
                             "there is an unfinished watch '%s': go on with it (duet "
                             "watch --resume '%s'), or give this one another --name",
                             name, name)
                 : DUET_OK;
}

enum duet_code watch_place_begin(const struct watch_request *request,
                                 struct watch_place *place, struct duet_error *reterr)
{
    char *folder = realpath(".", NULL);
    if (folder == NULL) {
        return error_set_errno(reterr, DUET_E_IO, errno,
                               "cannot find out the current folder");
    }
    place->watch.texts[0] = folder;
    take_request(request, folder, &place->watch);
    enum duet_code code = check_name(place->watch.watch.name, reterr);
    if (code == DUET_OK) {
        code = machine_open(NULL, &place->machine, reterr);
    }
    if (code == DUET_OK) {
        code = make_plan(place, reterr);
    }
    if (code == DUET_OK) {
        code = storage_open(request->store, true, &place->store, reterr);
    }
    if (code == DUET_OK) {
        code = check_free(place, reterr);
    }
    return code == DUET_OK ? enter(place, reterr) : code;
}

/* ---- One that is there ---- */

/* A restart of the machine begins elsewhere: back to the folder in which the command
 * means something. The store's path may be relative. */
static enum duet_code change_folder(struct watch_place *place, const char *which,
                                    struct duet_error *reterr)
{
    const char *folder = place->watch.watch.folder;
    char *path = realpath(store_path(place->store), NULL);
    if (path == NULL) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot find '%s' again",
                               store_path(place->store));
    }
    enum duet_code code = DUET_OK;
    store_close(place->store);
    place->store = NULL;
    if (chdir(folder) != 0) {
        code = error_set_errno(reterr, DUET_E_NOT_FOUND, errno,
                               "cannot change to '%s', where the watch began", folder);
    }
    store_watch_release(&place->watch);
    if (code == DUET_OK) {
        code = store_open(path, false, &place->store, reterr);
    }
    if (code == DUET_OK) {
        code = store_watch_find(place->store, which, &place->watch, reterr);
    }
    free(path);
    return code;
}

/* Whether there is anything to go on with, and how far. */
static enum duet_code check_open(const struct watch_request *request,
                                 const struct store_watch *watch, uint64_t *ret_most,
                                 struct duet_error *reterr)
{
    uint64_t most = watch->watch.intervals_max;
    if (watch->state == STORE_DONE && watch->stopped) {
        return error_set(reterr, DUET_E_USAGE,
                         "the watch '%s' is over: its rule has stopped it (duet watch "
                         "--status)",
                         watch->watch.name);
    }
    if (request->intervals_given) {
        most = request->watch.intervals_max;
    } else if (watch->state == STORE_DONE) {
        return error_set(reterr, DUET_E_USAGE,
                         "the watch '%s' is over after %" PRIu64 " intervals: allow it "
                         "more with --max-intervals",
                         watch->watch.name, most);
    }
    *ret_most = most;
    return DUET_OK;
}

enum duet_code watch_place_resume(const struct watch_request *request,
                                  struct watch_place *place, struct duet_error *reterr)
{
    uint64_t most = 0;
    const char *which = request->command;
    enum duet_code code = machine_open(NULL, &place->machine, reterr);
    if (code == DUET_OK) {
        code = storage_open(request->store, false, &place->store, reterr);
    }
    if (code == DUET_OK) {
        code = store_watch_find(place->store, which, &place->watch, reterr);
    }
    if (code == DUET_OK) {
        code = change_folder(place, which, reterr);
    }
    if (code == DUET_OK) {
        code = lock(place, reterr);
    }
    if (code == DUET_OK) {
        code = check_open(request, &place->watch, &most, reterr);
    }
    if (code == DUET_OK) {
        code = make_plan(place, reterr);
    }
    if (code == DUET_OK) {
        place->watch.watch.intervals_max = most;
        place->watch.state = STORE_RUNNING;
        place->watch.message = NULL;
        code = store_watch_resume(place->store, &place->watch, most, reterr);
    }
    return code;
}

enum duet_code watch_place_end(struct watch_place *place, enum store_state state,
                               const char *message, struct duet_error *reterr)
{
    struct model_host_load load;
    machine_read_load(place->machine, &load);
    return store_experiment_end(place->store, place->watch.experiment, state, &load,
                                message, reterr);
}
