/* duet list: the experiments in the store */
#include "base/parse.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/shared_option.h"
#include "cli/terminal.h"
#include "session/comparison/answers.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum list_option { OPTION_LIMIT = CLI_OPTION_FIRST };

static const struct cli_option list_rows[] = {
    {"limit", 0, "N", OPTION_LIMIT, "Show the newest N. Default: all."},
    ANALYSIS_OPTION_ROWS,
    SHARED_OPTION_STORE_READ_ROW,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct list_request {
    struct model_analysis analysis; /* only to check the options */
    struct analysis_overrides overrides;
    const char *store;
    uint64_t limit;
};

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

/* What the stored analysis came to, or now comes to: made anew where options change it
 * or another duet has made it, and then kept unless they do. */
static struct store_verdict verdict_of(const struct list_request *request,
                                       struct store *store,
                                       const struct store_experiment *experiment)
{
    const struct store_verdict *kept = &experiment->verdict;
    struct store_verdict verdict = {.known = false};
    struct answer answer;
    struct duet_error ignored;
    if (!experiment->has_analysis || experiment->runs == 0 ||
        experiment->state == STORE_RUNNING) {
        return verdict;
    }
    if (kept->known && request->overrides.count == 0 &&
        strcmp(kept->duet_version, BASE_VERSION) == 0) {
        return *kept;
    }
    if (answers_recall(store, &experiment->id, 1, &request->overrides, &answer,
                       &ignored) != DUET_OK) {
        return verdict; /* `duet show` tells why */
    }
    verdict = (struct store_verdict){.known = true,
                                     .verdict = answer.comparison.verdict,
                                     .ratio = answer.comparison.ratio};
    if (request->overrides.count == 0) { /* a store may be read-only */
        (void)!store_comparison_save(store, experiment->id, &answer.comparison,
                                     BASE_VERSION, &ignored);
    }
    answer_release(&answer);
    return verdict;
}

static void print_verdict(const struct store_verdict *verdict)
{
    char change[32] = "";
    if (verdict->known) {
        (void)snprintf(change, sizeof change, "%+.2f %%",
                       100.0 * (verdict->ratio - 1.0));
    }
    (void)printf("  %-7s  %10s",
                 verdict->known ? model_verdict_name(verdict->verdict) : "-", change);
}

static void print_experiment(const struct list_request *request, struct store *store,
                             const struct store_experiment *experiment)
{
    struct tm local;
    time_t seconds = (time_t)(experiment->started_utc_ms / 1000);
    char when[32];
    (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S",
                   localtime_r(&seconds, &local));
    const struct store_dataset *dataset = &experiment->dataset;
    const struct store_verdict verdict = verdict_of(request, store, experiment);
    (void)printf("%5" PRId64 "  %.8s  %s  %-11s  %-11s  %6" PRIu64, experiment->id,
                 experiment->uuid, when,
                 dataset->trials > 0 ? "data set"
                                     : model_schedule_name(experiment->schedule),
                 state_word(experiment->state),
                 dataset->trials > 0 ? dataset->trials : experiment->runs);
    print_verdict(&verdict);
    terminal_print_clean("  ", experiment->name, "");
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
        terminal_print_clean("  vs  ", new_name, "\n");
    } else if (!alone && (old_name[0] != '\0' || new_name[0] != '\0')) {
        terminal_print_clean(": ", old_name, "");
        terminal_print_clean("  vs  ", new_name, "\n");
    } else {
        (void)printf("\n");
    }
}

/* Which options the verdicts are by, in place of what is stored. */
static void print_overrides(const struct analysis_overrides *overrides)
{
    for (size_t i = 0; i < overrides->count; i++) {
        (void)printf("%s --%s %s", i == 0 ? "\nanalysed with" : ",",
                     overrides->items[i].name, overrides->items[i].value);
    }
    if (overrides->count > 0) {
        (void)printf(" instead of what is stored\n");
    }
}

static int print_all(const struct list_request *request, struct store *store)
{
    struct store_experiment *list = NULL;
    size_t count = 0;
    struct duet_error error;
    if (store_experiment_list(store, request->limit, &list, &count, &error) !=
        DUET_OK) {
        return cli_fail(&error);
    }
    if (count > 0) {
        (void)printf("%5s  %-8s  %-19s  %-11s  %-11s  %6s  %-7s  %10s  %s\n", "id",
                     "uuid", "started", "schedule", "state", "runs", "verdict",
                     "change", "name, sides");
    } else {
        cli_say("'%s' holds no experiment yet", store_path(store));
    }
    for (size_t i = 0; i < count; i++) {
        print_experiment(request, store, &list[i]);
        store_experiment_release(&list[i]);
    }
    print_overrides(&request->overrides);
    free(list);
    return CLI_EXIT_OK;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct list_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .overrides = &request->overrides,
                                          .store = &request->store};
    enum duet_code code = DUET_OK;
    if (id == OPTION_LIMIT) {
        return parse_whole(parsed->value, "--limit", 1, INT64_MAX, &request->limit,
                           reterr);
    }
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

static int list_main(const struct cli_command *command, int argc, char **argv)
{
    struct list_request request = {.analysis = model_analysis_default()};
    int status = cli_options_parse_all(command, argc, argv, take_option, &request);
    if (status >= 0) {
        return status;
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = print_all(&request, store);
    store_close(store);
    return status;
}

const struct cli_command command_list = {
    .name = "list",
    .synopsis = "[OPTIONS]",
    .summary = "list the experiments in the store, newest first",
    .description =
        "Shows what was measured: id, globally unique id, when, how, how it ended, "
        "finished runs (of an imported data set trials), the verdict with the change, "
        "name and the two sides. The verdict is that of 'duet run' and 'duet show'; "
        "options of the analysis try another one without keeping it.",
    .options = list_rows,
    .main = list_main,
};
