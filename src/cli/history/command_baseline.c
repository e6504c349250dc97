/* duet baseline [NAME [ID...]] */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/history/history_words.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/terminal.h"
#include "report/columns.h"
#include "session/history/baseline_keep.h"
#include "session/storage.h"
#include "store/store_baseline.h"

#include <inttypes.h>
#include <stdio.h>

enum baseline_option { OPTION_DELETE = CLI_OPTION_FIRST };

static const struct cli_option baseline_rows[] = {
    {"delete", 'd', NULL, OPTION_DELETE,
     "Remove the baseline NAME. Its experiments stay in the store."},
    SHARED_OPTION_STORE_READ_ROW,
    CLI_OPTION_END_ROWS};

struct baseline_command {
    const char *store;
    bool remove;
};

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct baseline_command *baseline = context;
    const struct shared_options shared = {.store = &baseline->store};
    enum duet_code code = DUET_OK;
    if (id == OPTION_DELETE) {
        baseline->remove = true;
    } else {
        (void)shared_option_take(&shared, parsed, id, &code, reterr);
    }
    return code;
}

/* ---- What it does ---- */

static void append_row(struct text *text, const struct store_baseline *baseline,
                       size_t name_width)
{
    enum {
        EXPERIMENT_WIDTH = 10,
        DATE_WIDTH = -12,
        MODEL_WIDTH = 30,
        COMMIT_SHOWN = 7
    };
    char date[DAY_MOMENT_BYTES];
    bool unicode = terminal_is_utf8();
    history_date(baseline->saved_utc_ms, false, date);
    columns_append_name(text, name_width, baseline->name);
    columns_append_cell(text, EXPERIMENT_WIDTH, "%" PRId64, baseline->experiment);
    text_append(text, "  ");
    columns_append_cell(text, DATE_WIDTH, "%s", date);
    columns_append_name(text, MODEL_WIDTH,
                        *baseline->cpu_model != '\0' ? baseline->cpu_model : "-");
    display_append_name(text, baseline->benchmark, 0, unicode);
    text_append(text, ": ");
    if (*baseline->commit != '\0') {
        char commit[COMMIT_SHOWN + 1];
        (void)snprintf(commit, sizeof commit, "%.*s", COMMIT_SHOWN, baseline->commit);
        display_append_clean(text, commit, unicode);
        text_append(text, baseline->changed ? "+changes " : " ");
        display_append_name(text, baseline->subject, 0, unicode);
    } else {
        display_append_name(text, baseline->label, 0, unicode);
    }
    text_append_char(text, '\n');
}

static enum duet_code list_all(struct store *store, struct duet_error *reterr)
{
    enum { NAME_LEAST = 10, NAME_MOST = 24, GAP = 2, MODEL_WIDTH = 30 };
    struct store_baseline *list = NULL;
    size_t count = 0;
    size_t width = NAME_LEAST;
    struct text text = {0};
    enum duet_code code = store_baselines_load(store, NULL, &list, &count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < count; i++) {
        size_t columns = GAP + display_clean_columns(list[i].name);
        width = columns > width ? columns : width;
    }
    width = width > NAME_MOST ? NAME_MOST : width;
    if (count > 0) {
        columns_append_cell(&text, -(int)width, "name");
        text_append(&text, "experiment  saved       ");
        columns_append_cell(&text, -MODEL_WIDTH, "CPU model");
        text_append(&text, "benchmark: new side\n");
    } else {
        cli_say("'%s' has no baseline yet: duet ... --save-baseline NAME",
                store_path(store));
    }
    for (size_t i = 0; i < count; i++) {
        append_row(&text, &list[i], width);
    }
    store_baselines_release(list, count);
    return file_write_text("-", &text, reterr);
}

static enum duet_code carry_out(const struct baseline_command *baseline,
                                struct store *store, char **words, size_t count,
                                struct duet_error *reterr)
{
    if (count == 0) {
        return list_all(store, reterr);
    }
    return baseline->remove
               ? baseline_drop(store, words[0], reterr)
               : baseline_keep(store, words[0], words + 1, count - 1, reterr);
}

static int baseline_main(const struct cli_command *command, int argc, char **argv)
{
    struct baseline_command baseline = {.store = NULL};
    struct store *store = NULL;
    struct duet_error error = {0};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &baseline, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (baseline.remove && count != 1) {
        return cli_usage(command, "--delete takes one NAME, got %d words", count);
    }
    if (!baseline.remove && count == 1) {
        return cli_usage(
            command,
            "'%s' would be a new baseline's name: name its experiments, as in "
            "'duet baseline %s last'; 'duet baseline' alone lists baselines",
            operands[0], operands[0]);
    }
    enum duet_code code = storage_open(baseline.store, false, &store, &error);
    if (code == DUET_OK) {
        code = carry_out(&baseline, store, operands, (size_t)count, &error);
    }
    store_close(store);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

const struct cli_command command_baseline = {
    .name = "baseline",
    .synopsis = "[OPTIONS] [NAME [ID...]]",
    .summary = "list, save and delete baselines",
    .description =
        "A baseline is a name for stored experiments. Option --baseline of 'duet compare', 'duet run', "
        "'duet suite' and 'duet git' compares later ones with their new sides. Option --save-baseline makes one "
        "of what is measured. This command makes one of the experiments ID (as in 'duet show').\n"
        "\n"
        "A name has one experiment for each benchmark and CPU model; a newer one takes the place of the older. "
        "'duet prune' keeps baselines.",
    .options = baseline_rows,
    .examples =
        CLI_EXAMPLES({"List the baselines:", "duet baseline"},
                     {"Make the newest experiment a baseline, and delete it again:",
                      "duet baseline main last && duet baseline --delete main"}),
    .operand = "NAME",
    .main = baseline_main,
};
