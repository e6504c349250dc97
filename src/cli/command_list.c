/* duet list: the experiments in the store */
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/storage.h"
#include "cli/terminal.h"
#include "report/display.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum list_option { OPTION_STORE = CLI_OPTION_FIRST, OPTION_LIMIT };

static const struct cli_option list_rows[] = {
    {"limit", 0, "N", OPTION_LIMIT, "Show the newest N. Default: all."},
    {"store", 0, "PATH", OPTION_STORE,
     "The database. Default: .duet/results.db in the nearest parent folder that has "
     "one."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

static const char *state_word(enum store_state state)
{
    switch (state) {
    case STORE_RUNNING:
        return "unfinished";
    case STORE_DONE:
        return "done";
    case STORE_INTERRUPTED:
        return "interrupted";
    case STORE_FAILED:
        break;
    }
    return "failed";
}

/* As the user called it, else its command; "" when nothing is known. */
static const char *side_name(const struct store_experiment *experiment,
                             enum model_side side)
{
    const char *name = experiment->names[side];
    if (name == NULL || name[0] == '\0') {
        name = experiment->commands[side];
    }
    return name == NULL ? "" : name;
}

/* Names may hold anything, escape sequences too. */
static void print_clean(const char *before, const char *name, const char *after)
{
    struct text clean = {0};
    display_append_clean(&clean, name, terminal_is_utf8());
    (void)printf("%s%s%s", before, text_string(&clean), after);
    text_release(&clean);
}

static void print_experiment(const struct store_experiment *experiment)
{
    struct tm local;
    time_t seconds = (time_t)(experiment->started_utc_ms / 1000);
    char when[32];
    (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S",
                   localtime_r(&seconds, &local));
    const struct store_dataset *dataset = &experiment->dataset;
    (void)printf("%5" PRId64 "  %.8s  %s  %-11s  %-11s  %6" PRIu64, experiment->id,
                 experiment->uuid, when,
                 dataset->trials > 0 ? "data set"
                                     : model_schedule_name(experiment->schedule),
                 state_word(experiment->state),
                 dataset->trials > 0 ? dataset->trials : experiment->runs);
    print_clean("  ", experiment->name, "");
    if (dataset->trials > 0) {
        (void)printf(": %" PRIu64 " benchmark%s, %" PRIu64 " environment%s, %" PRIu64
                     " %s%s\n",
                     dataset->benchmarks, dataset->benchmarks == 1 ? "" : "s",
                     dataset->environments, dataset->environments == 1 ? "" : "s",
                     dataset->iterations, dataset->paired ? "pair" : "value",
                     dataset->iterations == 1 ? "" : "s");
        return;
    }
    const char *old_name = side_name(experiment, MODEL_OLD);
    const char *new_name = side_name(experiment, MODEL_NEW);
    /* A watch: of one program. */
    bool alone = old_name[0] == '\0' && strcmp(new_name, experiment->name) == 0;
    if (strcmp(old_name, experiment->name) == 0) {
        print_clean("  vs  ", new_name, "\n");
    } else if (!alone && (old_name[0] != '\0' || new_name[0] != '\0')) {
        print_clean(": ", old_name, "");
        print_clean("  vs  ", new_name, "\n");
    } else {
        (void)printf("\n");
    }
}

static int print_all(struct store *store, uint64_t limit)
{
    struct store_experiment *list = NULL;
    size_t count = 0;
    struct duet_error error;
    if (store_experiment_list(store, limit, &list, &count, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    if (count > 0) {
        (void)printf("%5s  %-8s  %-19s  %-11s  %-11s  %6s  %s\n", "id", "uuid",
                     "started", "schedule", "state", "runs", "name, sides");
    } else {
        (void)fprintf(stderr, "duet: '%s' holds no experiment yet\n",
                      store_path(store));
    }
    for (size_t i = 0; i < count; i++) {
        print_experiment(&list[i]);
        store_experiment_release(&list[i]);
    }
    free(list);
    return CLI_EXIT_OK;
}

struct list_request {
    const char *store;
    uint64_t limit;
};

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct list_request *request = context;
    if (id == OPTION_STORE) {
        request->store = parsed->value;
        return DUET_OK;
    }
    return parse_whole(parsed->value, "--limit", 1, INT64_MAX, &request->limit, reterr);
}

static int list_main(const struct cli_command *command, int argc, char **argv)
{
    struct list_request request = {0};
    int status = cli_options_parse_all(command, argc, argv, take_option, &request);
    if (status >= 0) {
        return status;
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = print_all(store, request.limit);
    store_close(store);
    return status;
}

const struct cli_command command_list = {
    .name = "list",
    .synopsis = "[OPTIONS]",
    .summary = "list the experiments in the store, newest first",
    .description =
        "Shows what was measured: id, globally unique id, when, how, how it "
        "ended, finished runs (of an imported data set trials), name and the "
        "two sides.",
    .options = list_rows,
    .main = list_main,
};
