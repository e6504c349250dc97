#include "cli/fleet/fleet_study.h"

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "session/fleet/fleet_parts.h"

#include <stdlib.h>

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
        code = fleet_parts_begin(fleet, &collection, words, reterr);
    }
    fleet_collection_release(&collection);
    return code;
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
