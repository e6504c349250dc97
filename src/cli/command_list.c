/* duet list: the experiments in the store */
#include "base/file.h"
#include "base/parse.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/shared_option.h"
#include "cli/terminal.h"
#include "report/columns.h"
#include "report/display.h"
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

/* Names may hold anything, escape sequences too. */
static void append_clean(struct text *text, const char *before, const char *name)
{
    text_append(text, before);
    display_append_clean(text, name, terminal_is_utf8());
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

/* Each but the first with two blanks before its text. */
static const int columns[] = {5, -10, -21, -13, -13, 8, -9, 12, 0};

static void append_head(struct text *text)
{
    columns_append(
        text, columns,
        "id\t  uuid\t  started\t  schedule\t  state\t  runs\t  verdict\t  change\t  name, sides\n");
}

static void append_facts(struct text *text, const struct store_experiment *experiment,
                         const struct store_verdict *verdict)
{
    struct tm local;
    time_t seconds = (time_t)(experiment->started_utc_ms / 1000);
    char when[32];
    char change[32] = "";
    bool dataset = experiment->dataset.trials > 0;
    (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S",
                   localtime_r(&seconds, &local));
    if (verdict->known) {
        (void)snprintf(change, sizeof change, "%+.2f %%",
                       100.0 * (verdict->ratio - 1.0));
    }
    columns_append(text, columns,
                   "%" PRId64 "\t  %.8s\t  %s\t  %s\t  %s\t  %" PRIu64 "\t  %s\t  %s",
                   experiment->id, experiment->uuid, when,
                   dataset ? "data set" : model_schedule_name(experiment->schedule),
                   state_word(experiment->state),
                   dataset ? experiment->dataset.trials : experiment->runs,
                   verdict->known ? model_verdict_name(verdict->verdict) : "-", change);
}

static void append_sides(struct text *text, const struct store_experiment *experiment)
{
    const char *old_name = side_name(experiment, MODEL_OLD);
    const char *new_name = side_name(experiment, MODEL_NEW);
    /* A watch: of one program. */
    bool alone = old_name[0] == '\0' && strcmp(new_name, experiment->name) == 0;
    if (strcmp(old_name, experiment->name) == 0) {
        append_clean(text, "  vs  ", new_name);
    } else if (!alone && (old_name[0] != '\0' || new_name[0] != '\0')) {
        append_clean(text, ": ", old_name);
        append_clean(text, "  vs  ", new_name);
    }
}

static void append_experiment(struct text *text,
                              const struct store_experiment *experiment,
                              const struct store_verdict *verdict)
{
    const struct store_dataset *dataset = &experiment->dataset;
    append_facts(text, experiment, verdict);
    append_clean(text, "  ", experiment->name);
    if (dataset->trials > 0) {
        text_append_format(text,
                           ": %" PRIu64 " benchmark%s, %" PRIu64
                           " environment%s, %" PRIu64 " %s%s",
                           dataset->benchmarks, dataset->benchmarks == 1 ? "" : "s",
                           dataset->environments, dataset->environments == 1 ? "" : "s",
                           dataset->iterations, dataset->paired ? "pair" : "value",
                           dataset->iterations == 1 ? "" : "s");
    } else {
        append_sides(text, experiment);
    }
    text_append_char(text, '\n');
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
    enum duet_code code = DUET_OK;
    if (count == 0) {
        cli_say("'%s' holds no experiment yet", store_path(store));
    }
    for (size_t i = 0; i < count; i++) {
        if (code == DUET_OK) { /* each when it is known: analysing takes a while */
            struct text text = {0};
            const struct store_verdict verdict = verdict_of(request, store, &list[i]);
            if (i == 0) {
                append_head(&text);
            }
            append_experiment(&text, &list[i], &verdict);
            code = file_write_text("-", &text, &error);
        }
        store_experiment_release(&list[i]);
    }
    free(list);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    print_overrides(&request->overrides);
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

static const struct cli_example list_examples[] = {
    {"List the newest ten experiments:", "duet list --limit 10"},
    {"Try another confidence, without keeping the verdicts:",
     "duet list --confidence 0.95"},
    {NULL, NULL}};

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
    .examples = list_examples,
    .main = list_main,
};
