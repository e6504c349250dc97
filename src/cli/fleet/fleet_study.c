#include "cli/fleet/fleet_study.h"

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "session/fleet/fleet_call.h"
#include "session/fleet/fleet_collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fleet_study_execute(const char *whole, const struct model_words *words)
{
    struct duet_error error = {.code = DUET_OK};
    int used = 0;
    char **argv = alloc_array(words->count + 1, sizeof *argv);
    char *first = alloc_string(whole == NULL ? words->list[0] : whole);
    if (argv == NULL || first == NULL) {
        free((void *)argv);
        free(first);
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    for (size_t i = 0; i < words->count; i++) {
        argv[i] = words->list[i];
    }
    char *const name[] = {first, argv[0]};
    const struct cli_command *command = cli_find(whole == NULL ? 1 : 2, name, &used);
    int status = CLI_EXIT_UNSUITABLE;
    if (command == NULL || used != (whole == NULL ? 1 : 2)) {
        (void)error_set(&error, DUET_E_VERSION,
                        "the fleet's plan names 'duet %s %s', which this duet does not "
                        "have: use the copy in the fleet's folder",
                        first, argv[0]);
        status = cli_fail(&error);
    } else {
        status = command->main(command, (int)words->count, argv);
    }
    free((void *)argv);
    free(first);
    return status;
}

/* ---- Collection ---- */

static void say_files(const struct fleet_collection *collection)
{
    for (size_t i = 0; i < collection->doubled.count; i++) {
        cli_say("not counted, its task has another result: %s",
                collection->doubled.list[i]);
    }
    for (size_t i = 0; i < collection->damaged.count; i++) {
        cli_say("refused: %s; remove the file, and 'duet fleet resume' has its task "
                "executed again",
                collection->damaged.list[i]);
    }
    for (size_t i = 0; i < collection->foreign.count; i++) {
        cli_say("not of this fleet: %s", collection->foreign.list[i]);
    }
}

/* Parts of all tasks; else who has none. */
static enum duet_code check_complete(const struct fleet *fleet,
                                     const struct fleet_collection *collection,
                                     struct duet_error *reterr)
{
    struct text missing = {.bytes = NULL};
    struct fleet_survey survey = {.tasks = collection->tasks,
                                  .count = collection->count};
    fleet_survey_list(&survey, ~(1U << MODEL_FLEET_DONE), &missing);
    enum duet_code code =
        missing.length == 0
            ? DUET_OK
            : error_set(
                  reterr, DUET_E_UNSUITABLE,
                  "%zu of %zu tasks have no result yet (%.200s), and the study's "
                  "answer needs all: see 'duet fleet status %s'; 'duet fleet resume "
                  "%s' computes what is missing",
                  collection->count - collection->results, collection->count,
                  text_string(&missing), fleet->path, fleet->path);
    code = text_failed(&missing) ? error_no_memory(reterr) : code;
    text_release(&missing);
    return code;
}

/* The study's own words, behind those that name the parts. */
static enum duet_code make_words(const struct fleet *fleet,
                                 const struct fleet_collection *collection,
                                 struct model_words *words, struct duet_error *reterr)
{
    const struct model_words *own = &fleet->plan.options;
    enum duet_code code = model_words_add(words, own->list[0], reterr);
    for (size_t i = 0; i < collection->chosen.count && code == DUET_OK; i++) {
        const char *path = collection->chosen.list[i];
        char *absolute = realpath(path, NULL);
        code = absolute == NULL
                   ? error_set_errno(reterr, DUET_E_IO, errno, "cannot find '%s'", path)
                   : fleet_words(words, reterr, "--parts", absolute, (char *)NULL);
        free(absolute);
    }
    for (size_t i = 1; i < own->count && code == DUET_OK; i++) {
        code = model_words_add(words, own->list[i], reterr);
    }
    return code;
}

/* Files that the study reads and writes are found from there, as by its tasks. */
static enum duet_code go_to_folder(const struct fleet *fleet, struct duet_error *reterr)
{
    char *folder = fleet_path(fleet, fleet->plan.folder);
    enum duet_code code = folder == NULL ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK && chdir(folder) != 0) {
        code =
            error_set_errno(reterr, DUET_E_IO, errno,
                            "cannot go to '%s', where the study was submitted", folder);
    }
    free(folder);
    return code;
}

static enum duet_code collect_parts(const struct fleet *fleet, const char *const *paths,
                                    size_t path_count, struct model_words *words,
                                    struct duet_error *reterr)
{
    struct interrupt interrupt;
    struct fleet_collection collection = {.tasks = NULL};
    enum duet_code code = interrupt_open(&interrupt, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = fleet_collect(fleet, paths, path_count, NULL, interrupt.cancel_fd,
                         &collection, reterr);
    interrupt_close(&interrupt);
    if (code == DUET_OK) {
        say_files(&collection);
        code = check_complete(fleet, &collection, reterr);
    }
    if (code == DUET_OK) {
        code = make_words(fleet, &collection, words, reterr);
    }
    fleet_collection_release(&collection);
    return code == DUET_OK ? go_to_folder(fleet, reterr) : code;
}

int fleet_study_collect(const struct fleet *fleet, const char *const *paths,
                        size_t path_count)
{
    struct model_words words = {.list = NULL};
    struct duet_error error = {.code = DUET_OK};
    int status = collect_parts(fleet, paths, path_count, &words, &error) != DUET_OK
                     ? cli_fail(&error)
                     : fleet_study_execute("study", &words);
    model_words_release(&words);
    return status;
}
