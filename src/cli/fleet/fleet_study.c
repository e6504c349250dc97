#include "cli/fleet/fleet_study.h"

#include "cli/cli.h"
#include "cli/interrupt.h"
#include "session/fleet/fleet_parts.h"

#include <stdlib.h>

int fleet_study_execute(bool study, const struct model_words *words)
{
    char whole[] = "study";
    char *const name[] = {whole, words->list[0]};
    int asked = study ? 2 : 1;
    int used = 0;
    const struct cli_command *command = cli_find(asked, name + 2 - asked, &used);
    if (command == NULL || used != asked) {
        struct duet_error error;
        (void)error_set(&error, DUET_E_VERSION,
                        "the fleet's plan names 'duet study %s', which this duet does "
                        "not have: use the copy in the fleet's folder",
                        words->list[0]);
        return cli_fail(&error);
    }
    return command->main(command, (int)words->count, words->list);
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
                     : fleet_study_execute(true, &words);
    model_words_release(&words);
    return status;
}
