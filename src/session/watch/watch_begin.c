#include "session/watch/watch_begin.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "measure/launch.h"
#include "session/comparison/benchmark.h"
#include "session/cpu_choice.h"
#include "session/storage.h"
#include "session/watch/watch_status.h"
#include "store/postgresql/remote_url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void watch_site_init(struct watch_site *site)
{
    *site = (struct watch_site){.lock = {.fd = -1}, .watch = {.open_batch = -1}};
}

void watch_site_release(struct watch_site *site)
{
    store_watch_unlock(&site->lock);
    store_watch_release(&site->watch);
    store_close(site->store);
    machine_free(site->machine);
    free((void *)site->words);
    watch_site_init(site);
}

/* A watch goes on for days, over restarts of the machine: it works on a file, which no
 * network takes away from it. */
static enum duet_code open_site(struct watch_site *site, const char *store, bool create,
                                struct duet_error *reterr)
{
    if (store != NULL && remote_is_url(store)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "duet watch needs a store that is a file: name one with --store, and add what it holds to PostgreSQL "
            "with duet store merge FILE --into URL, as often as you like");
    }
    return storage_open(store, create, &site->store, reterr);
}

/* ---- The program and its CPUs ---- */

/* All that may be used, unless the user says: a program is watched as it runs on this
 * machine. */
static enum duet_code find_cpus(const struct machine *machine, const char *cpus,
                                struct model_plan *plan, struct duet_error *reterr)
{
    if (cpus == NULL) {
        machine_cpus_allowed(machine, &plan->cpus[0]);
        plan->cpus[1].count = 0;
        return DUET_OK;
    }
    struct cpu_choice wish = {.cpus = cpus, .per_position = 1, .solo = true};
    return cpu_choice_find(machine, &wish, plan->cpus, reterr);
}

/* The plan of a watch whose settings and workload are in site->watch. */
static enum duet_code make_plan(struct watch_site *site, struct duet_error *reterr)
{
    const struct store_watch *watch = &site->watch;
    char *path = NULL;
    if (watch->command == NULL) { /* of a store that is damaged */
        return error_set(reterr, DUET_E_FORMAT,
                         "store '%s' has no command of the watch '%s': begin a new one",
                         store_path(site->store), watch->watch.name);
    }
    enum duet_code code =
        benchmark_words(watch->command, watch->shell, &site->words, reterr);
    if (code == DUET_OK) {
        code = launch_find(site->words[0], &path, reterr);
        free(path);
    }
    if (code != DUET_OK) {
        return code;
    }
    bool printed = watch->watch.pattern != NULL;
    site->plan = (struct model_plan){
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
    site->plan.sides[MODEL_WATCH_SIDE] =
        (struct model_workload){.name = watch->watch.name,
                                .command = watch->command,
                                .argv = (const char *const *)site->words,
                                .prepare = watch->prepare,
                                .conclude = watch->conclude};
    return find_cpus(site->machine, watch->watch.cpus, &site->plan, reterr);
}

/* ---- A new one ---- */

static enum duet_code lock(struct watch_site *site, struct duet_error *reterr)
{
    int64_t holder = 0;
    enum duet_code code =
        store_watch_lock(site->store, site->watch.id, &site->lock, &holder, reterr);
    if (code == DUET_OK && holder != 0) {
        char name[STORE_WATCH_HOLDER_BYTES];
        store_watch_holder_name(holder, name);
        return error_set(reterr, DUET_E_USAGE,
                         "watch '%s' is already running (%s); see how far it is: duet "
                         "watch --status",
                         site->watch.watch.name, name);
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
static enum duet_code enter(struct watch_site *site, struct duet_error *reterr)
{
    struct store_watch *watch = &site->watch;
    struct model_host host;
    struct model_host_load load;
    machine_describe(site->machine, site->plan.cpus, &host);
    machine_read_load(site->machine, &load);
    enum duet_code code =
        store_experiment_begin(site->store, &site->plan, &host, &load, BASE_VERSION,
                               &watch->experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error error = {0};
    code = store_watch_begin(site->store, watch->experiment, &watch->watch,
                             watch->start_utc_ns, &watch->id, &error);
    if (code == DUET_OK) {
        code = lock(site, &error);
    }
    if (code != DUET_OK) {
        struct duet_error ignored;
        (void)!store_experiment_end(site->store, watch->experiment, STORE_FAILED, NULL,
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
    if (name[0] == '\0') {
        return error_set(reterr, DUET_E_USAGE,
                         "a watch needs a COMMAND and a --name that are not empty");
    }
    return name[strspn(name, "0123456789")] != '\0'
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_USAGE,
                     "--name '%s': a number means an experiment; choose a name with "
                     "letters",
                     name);
}

/* Before anything of it is in the store. */
static enum duet_code check_free(struct watch_site *site, struct duet_error *reterr)
{
    const char *name = site->watch.watch.name;
    struct store_watch other = {.open_batch = -1};
    enum duet_code code = store_watch_find(site->store, name, &other, NULL);
    bool taken = code == DUET_OK && other.state != STORE_DONE && !other.merged;
    store_watch_release(&other);
    if (!taken) {
        return DUET_OK;
    }
    struct text word = {0};
    text_append_quoted(&word, name);
    code =
        text_failed(&word)
            ? error_no_memory(reterr)
            : error_set(
                  reterr, DUET_E_USAGE,
                  "there is an unfinished watch '%s': go on with it (duet watch --resume %s), "
                  "or give this one another --name",
                  name, text_string(&word));
    text_release(&word);
    return code;
}

enum duet_code watch_site_begin(const struct watch_request *request,
                                struct watch_site *site, struct duet_error *reterr)
{
    char *folder = realpath(".", NULL);
    if (folder == NULL) {
        return error_set_errno(
            reterr, file_input_code(errno), errno,
            "cannot find the current folder, where the command is to "
            "be executed; change to another one");
    }
    site->watch.texts[0] = folder;
    take_request(request, folder, &site->watch);
    enum duet_code code = check_name(site->watch.watch.name, reterr);
    if (code == DUET_OK) {
        code = machine_open(NULL, &site->machine, reterr);
    }
    if (code == DUET_OK) {
        code = make_plan(site, reterr);
    }
    if (code == DUET_OK) {
        code = open_site(site, request->store, true, reterr);
    }
    if (code == DUET_OK) {
        code = check_free(site, reterr);
    }
    return code == DUET_OK ? enter(site, reterr) : code;
}

/* ---- One that is there ---- */

/* A restart of the machine begins elsewhere: back to the folder in which the command
 * means something. The store's path may be relative. */
static enum duet_code change_folder(struct watch_site *site, const char *which,
                                    struct duet_error *reterr)
{
    const char *folder = site->watch.watch.folder;
    char *path = realpath(store_path(site->store), NULL);
    if (path == NULL) {
        return error_set_errno(reterr, DUET_E_IO, errno, "cannot find '%s' again",
                               store_path(site->store));
    }
    enum duet_code code = DUET_OK;
    store_close(site->store);
    site->store = NULL;
    if (chdir(folder) != 0) {
        code = error_set_errno(reterr, DUET_E_NOT_FOUND, errno,
                               "cannot change to '%s', where the watch began", folder);
    }
    store_watch_release(&site->watch);
    if (code == DUET_OK) {
        code = store_open(path, false, &site->store, reterr);
    }
    if (code == DUET_OK) {
        code = store_watch_find(site->store, which, &site->watch, reterr);
    }
    free(path);
    return code;
}

/* How far it is now that nobody else works on it: it may have gone on since it was
 * found. */
static enum duet_code read_again(struct watch_site *site, struct duet_error *reterr)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%" PRId64, site->watch.experiment);
    store_watch_release(&site->watch);
    return store_watch_find(site->store, number, &site->watch, reterr);
}

/* Whether there is anything to go on with, and how far. */
static enum duet_code check_open(const struct watch_request *request,
                                 const struct store_watch *watch, uint64_t *ret_most,
                                 struct duet_error *reterr)
{
    uint64_t most = watch->watch.intervals_max;
    if (watch->merged) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the watch '%s' was merged from another store: resume it there, or begin a new one here",
            watch->watch.name);
    }
    if (watch->state == STORE_DONE && watch->stopped) {
        return error_set(
            reterr, DUET_E_USAGE,
            "the watch '%s' is over: its rule has stopped it (duet watch --status)",
            watch->watch.name);
    }
    if (request->intervals_given) {
        most = request->watch.intervals_max;
    } else if (watch->state == STORE_DONE) {
        return error_set(reterr, DUET_E_USAGE,
                         "the watch '%s' is over after %" PRIu64
                         " interval%s: allow it more with --max-intervals",
                         watch->watch.name, most, most == 1 ? "" : "s");
    }
    *ret_most = most;
    return DUET_OK;
}

enum duet_code watch_site_resume(const struct watch_request *request,
                                 struct watch_site *site, struct duet_error *reterr)
{
    uint64_t most = 0;
    const char *which = request->command;
    enum duet_code code = machine_open(NULL, &site->machine, reterr);
    if (code == DUET_OK) {
        code = open_site(site, request->store, false, reterr);
    }
    if (code == DUET_OK) {
        code = store_watch_find(site->store, which, &site->watch, reterr);
    }
    if (code == DUET_OK) {
        code = change_folder(site, which, reterr);
    }
    if (code == DUET_OK) {
        code = lock(site, reterr);
    }
    if (code == DUET_OK) {
        code = read_again(site, reterr);
    }
    if (code == DUET_OK) {
        code = check_open(request, &site->watch, &most, reterr);
    }
    if (code == DUET_OK) {
        code = make_plan(site, reterr);
    }
    if (code == DUET_OK) {
        site->watch.watch.intervals_max = most;
        site->watch.state = STORE_RUNNING;
        site->watch.message = NULL;
        code = store_watch_resume(site->store, &site->watch, most, reterr);
    }
    return code;
}

enum duet_code watch_site_end(struct watch_site *site, enum store_state state,
                              const char *message, struct duet_error *reterr)
{
    struct model_host_load load;
    machine_read_load(site->machine, &load);
    return store_experiment_end(site->store, site->watch.experiment, state, &load,
                                message, reterr);
}
