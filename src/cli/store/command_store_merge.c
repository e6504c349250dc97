/* duet store merge FROM... */
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "report/display.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdlib.h>

enum merge_option { OPTION_INTO = CLI_OPTION_FIRST };

static const struct cli_option merge_rows[] = {
    {"into", 0, "PATH", OPTION_INTO,
     "Merge into this file, a new one or one that exists, or a postgresql:// URL. Default: .duet/results.db in "
     "the nearest parent folder that has one."},
    {"store", 0, "PATH", SHARED_OPTION_STORE, "Use this store, the same as --into."},
    CLI_OPTION_END_ROWS};

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    const char **into = context;
    (void)id;
    (void)reterr;
    *into = parsed->value;
    return DUET_OK;
}

/* "a.db: 3 experiments added, 1 has new runs, 2 were there" */
static void append_merged(struct text *text, const char *from,
                          const struct store_merged *merged)
{
    display_append_clean(text, from, true);
    text_append_format(text, ": %" PRIu64 " experiment%s added", merged->added,
                       merged->added == 1 ? "" : "s");
    if (merged->grown > 0) {
        text_append_format(text, ", %" PRIu64 " brought up to date", merged->grown);
    }
    if (merged->known > 0) {
        text_append_format(text, ", %" PRIu64 " here already", merged->known);
    }
    if (merged->apart > 0) {
        text_append_format(
            text,
            "; %" PRIu64
            " left as %s here, since both stores went on with %s: keep that one, too",
            merged->apart, merged->apart == 1 ? "it is" : "they are",
            merged->apart == 1 ? "it" : "them");
    }
    if (merged->measured > 0) {
        text_append_format(text,
                           "; %" PRIu64
                           " left out, since a process measures %s: merge again later",
                           merged->measured, merged->measured == 1 ? "it" : "them");
    }
    text_append_char(text, '\n');
}

static int merge_all(struct store *store, char **from, size_t count)
{
    struct duet_error error;
    struct text text = {0};
    struct storage_merged *list = alloc_array(count, sizeof *list);
    if (list == NULL) {
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    bool all = storage_merge(store, from, count, list);
    for (size_t i = 0; i < count; i++) {
        if (list[i].code == DUET_OK) {
            append_merged(&text, from[i], &list[i].merged);
        }
    }
    if (file_write_text("-", &text, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    for (size_t i = 0; i < count && !all; i++) {
        if (list[i].code != DUET_OK) {
            int failed = cli_fail(&list[i].error);
            status = status == CLI_EXIT_OK ? failed : status;
        }
    }
    free(list);
    return status;
}

static int merge_main(const struct cli_command *command, int argc, char **argv)
{
    const char *into = NULL;
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take, &into, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count == 0) {
        return cli_usage(command, "expected at least one store to merge: FROM...");
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(into, true, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = merge_all(store, operands, (size_t)count);
    store_close(store);
    return status;
}

const struct cli_command command_store_merge = {
    .name = "store merge",
    .synopsis = "[OPTIONS] FROM...",
    .summary = "take the experiments of other stores into one",
    .description =
        "Takes every experiment of the stores FROM with all that belongs to it: measurements, "
        "machine, commits, suite, controls, verdicts. Each is taken once: merging again adds nothing but "
        "what is new. The experiments get new numbers and keep their uuid. FROM stays as it is.\n\n"
        "An experiment that a process measures is left out. One that was interrupted and has gone on since "
        "gets its new runs. A baseline whose name is taken here keeps its experiments of here.\n\n"
        "What was merged is not resumed here: 'duet run --resume' and 'duet watch --resume' go on with it "
        "where it was measured. A FROM that cannot be merged is reported, and the others are merged.",
    .options = merge_rows,
    .examples = CLI_EXAMPLES({"Bring the measurements of two machines together:",
                              "duet store merge a.db b.db --into all.db"},
                             {"Add what a CI job has measured to your own store:",
                              "duet store merge artifact.db"}),
    .operand = "FILE",
    .main = merge_main,
};
