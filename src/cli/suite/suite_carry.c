#include "cli/suite/suite_carry.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/options/shared_option.h"
#include "cli/suite/suite_show.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "formats/suite_file.h"
#include "report/columns.h"
#include "report/display.h"
#include "session/scratch.h"
#include "session/suite/suite_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

static enum duet_code add_word(const char ***words, size_t *count, const char *word,
                               struct duet_error *reterr)
{
    const char **grown = alloc_resize((void *)*words, *count + 1, sizeof **words);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    grown[(*count)++] = word;
    *words = grown;
    return DUET_OK;
}

/* A setting is judged once by itself, before it is put over those of the file. */
static enum duet_code take_override(struct suite_request *request, const char *name,
                                    const char *value, struct duet_error *reterr)
{
    enum duet_code code = run_setting_take(&request->base, name, value, reterr);
    struct suite_override *grown =
        code != DUET_OK ? NULL
                        : alloc_resize(request->overrides, request->override_count + 1,
                                       sizeof *grown);
    if (code == DUET_OK && grown == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        grown[request->override_count++] =
            (struct suite_override){.name = name, .value = value};
        request->overrides = grown;
    }
    return code;
}

enum duet_code suite_carry_only(struct suite_command *suite, const char *pattern,
                                struct duet_error *reterr)
{
    struct suite_request *request = &suite->request;
    return add_word(&request->only, &request->only_count, pattern, reterr);
}

enum duet_code suite_carry_set(struct suite_command *suite, enum model_side side,
                               const char *word, struct duet_error *reterr)
{
    struct suite_request *request = &suite->request;
    return add_word(&request->sides[side], &request->side_counts[side], word, reterr);
}

enum duet_code suite_carry_take(struct suite_command *suite,
                                const struct cli_options *parsed, int id,
                                struct duet_error *reterr)
{
    struct suite_request *request = &suite->request;
    enum duet_code code = DUET_OK;
    if (id == SHARED_OPTION_STORE) {
        request->base.store = parsed->value;
        return DUET_OK;
    }
    if (id == SUITE_OPTION_RESUME) {
        request->resume = true;
        return DUET_OK;
    }
    if (id == SUITE_OPTION_TIME_BUDGET) {
        return parse_time_ns(parsed->value, "--time-budget", &request->time_budget_ns,
                             reterr);
    }
    if (baseline_option_take(&suite->baseline, parsed, id, &code, reterr)) {
        return code;
    }
    request->seed_given = request->seed_given || id == SHARED_OPTION_SEED;
    return output_option_take(&suite->output, id, parsed->value, &code, reterr)
               ? code
               : take_override(request, parsed->name, parsed->value, reterr);
}

enum duet_code suite_carry_check(const struct suite_command *suite,
                                 struct duet_error *reterr)
{
    const char *store = suite->request.base.store;
    return suite->request.resume && store != NULL && strcmp(store, "none") == 0
               ? error_set(reterr, DUET_E_USAGE,
                           "--resume needs a store, not --store none")
               : DUET_OK;
}

/* ---- Measuring ---- */

/* The file's absolute path, and its folder; of standard input the current one. */
static enum duet_code find_file(const char *path, char **ret_path, char **ret_folder,
                                struct duet_error *reterr)
{
    bool piped = strcmp(path, "-") == 0;
    char *whole = realpath(piped ? "." : path, NULL);
    if (whole == NULL) {
        return error_set_errno(reterr, file_input_code(errno), errno,
                               "cannot open '%s'", path);
    }
    char *slash = strrchr(whole, '/');
    size_t length = slash == whole ? 1 : (size_t)(slash - whole);
    *ret_folder = piped ? alloc_string(whole) : alloc_string_n(whole, length);
    *ret_path = whole;
    return *ret_folder == NULL ? error_no_memory(reterr) : DUET_OK;
}

enum { NAME_COLUMNS_MAX = 40 };

/* The time, or the number of runs where that is not limited. */
static void append_most(struct text *text, const struct model_plan *plan)
{
    if (plan->budget_ns == MODEL_BUDGET_NONE) {
        text_append_format(text, ", at most %" PRIu64 " run%s", plan->max_runs,
                           plan->max_runs == 1 ? "" : "s");
    } else {
        text_append_format(text, ", at most %.3g s", (double)plan->budget_ns / 1e9);
    }
}

static void append_limit(struct text *text, const struct model_plan *plan)
{
    text_append_format(text, "%s, ", model_schedule_name(plan->schedule));
    if (plan->runs != 0) {
        text_append_format(text, "%" PRIu64 " run%s", plan->runs,
                           plan->runs == 1 ? "" : "s");
    } else if (plan->until == MODEL_UNTIL_FIXED) {
        text_append_format(text, "%.3g s", (double)plan->budget_ns / 1e9);
    } else if (plan->until == MODEL_UNTIL_PRECISION) {
        text_append_format(text, "precision %.3g %%", 100 * plan->precision_ratio);
        append_most(text, plan);
    } else {
        text_append(text, model_until_name(plan->until));
        append_most(text, plan);
    }
    if (plan->iterations > 1) {
        text_append_format(text, " of %" PRIu64 " iterations", plan->iterations);
    }
}

/* A file may hold anything, escape sequences too. */
static void append_clean(struct text *text, const char *before, const char *string)
{
    text_append(text, before);
    display_append_clean(text, string, terminal_is_utf8());
}

static enum duet_code append_entry(const struct suite_plan *plan,
                                   const struct suite_entry *entry, size_t columns,
                                   struct text *text, struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = suite_entry_make(plan, entry, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct text name = {0};
    append_clean(&name, "", entry->name);
    columns_append_cell(text, -(int)columns - 2, "%s", text_string(&name));
    display_drop(text, &name);
    append_limit(text, &benchmark.plan);
    text_append_format(text, "%s\n", entry->checked ? ", checked" : "");
    if (entry->source->description != NULL) {
        append_clean(text, "    ", entry->source->description);
        text_append_char(text, '\n');
    }
    if (entry->differs) {
        append_clean(text, "    old: ", benchmark.commands[MODEL_OLD]);
        append_clean(text, "\n    new: ", benchmark.commands[MODEL_NEW]);
        text_append_char(text, '\n');
    } else {
        append_clean(text, "    ", benchmark.commands[MODEL_OLD]);
        text_append(text, " (against itself)\n");
    }
    benchmark_release(&benchmark);
    return DUET_OK;
}

/* Prints it to standard output. Errors: DUET_E_NOMEM. */
static enum duet_code print_list(const struct suite_plan *plan,
                                 struct duet_error *reterr)
{
    struct text text = {0};
    size_t columns = 0;
    for (size_t i = 0; i < plan->count; i++) {
        size_t length = display_clean_columns(plan->entries[i].name);
        columns = length > columns ? length : columns;
    }
    columns = columns < NAME_COLUMNS_MAX ? columns : NAME_COLUMNS_MAX;
    append_clean(&text, "", plan->suite.name);
    text_append_format(&text, ": %zu benchmark%s\n", plan->count,
                       plan->count == 1 ? "" : "s");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < plan->count && code == DUET_OK; i++) {
        code = append_entry(plan, &plan->entries[i], columns, &text, reterr);
    }
    if (code == DUET_OK && text_failed(&text)) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        (void)fputs(text_string(&text), stdout);
    }
    text_release(&text);
    return code;
}

static int carry_out(const struct suite_command *command,
                     struct model_suite *take_suite,
                     const struct suite_folders *folders, const char *path,
                     int cancel_fd)
{
    const struct suite_request *request = &command->request;
    struct suite_plan plan;
    struct duet_error error = {0};
    enum duet_code code = suite_plan_make(request, take_suite, folders, &plan, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    if (!request->list) {
        status = suite_show_run(request, &plan, &command->output, &command->baseline,
                                path, cancel_fd);
    } else if (print_list(&plan, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    suite_plan_release(&plan);
    return status;
}

/* With a scratch folder, which a signal must not leave behind. */
static int with_scratch(const struct suite_command *command,
                        struct model_suite *take_suite, struct suite_folders *folders,
                        const char *path, int cancel_fd)
{
    struct duet_error error = {0};
    struct scratch scratch = {.fd = -1};
    enum duet_code code = scratch_make(&scratch, &error);
    folders->scratch = scratch.path;
    if (code == DUET_OK) {
        code = scratch_plain(&scratch, &folders->suite, &error);
    }
    int status = code == DUET_OK
                     ? carry_out(command, take_suite, folders, path, cancel_fd)
                     : cli_fail(&error);
    scratch_remove(&scratch, terminal_listener(false));
    return status;
}

/* With a descriptor that tells of signals. */
static int with_signals(const struct suite_command *command,
                        struct model_suite *take_suite, struct suite_folders *folders,
                        const char *path, int cancel_fd)
{
    struct duet_error error = {0};
    struct interrupt interrupt;
    if (cancel_fd >= 0) {
        return with_scratch(command, take_suite, folders, path, cancel_fd);
    }
    if (interrupt_open(&interrupt, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = with_scratch(command, take_suite, folders, path, interrupt.cancel_fd);
    interrupt_close(&interrupt);
    return status;
}

int suite_carry_out(const struct suite_command *command, int cancel_fd)
{
    const struct suite_request *request = &command->request;
    char *path = NULL;
    struct suite_folders folders = {.scratch = "{scratch}"}; /* as a list shows it */
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    struct model_suite suite = {0};
    enum duet_code code = find_file(request->path, &path, &folders.suite, &error);
    /* A terminal or a pipe may be waited for: no signal is caught yet, so one ends it.
     */
    if (code == DUET_OK) {
        code = formats_suite_read(request->path, &suite, &error);
    }
    if (code != DUET_OK) {
        status = cli_fail(&error);
    } else if (request->list) {
        status = carry_out(command, &suite, &folders, path, -1);
    } else {
        status = with_signals(command, &suite, &folders, path, cancel_fd);
    }
    model_suite_release(&suite);
    free(folders.suite);
    free(path);
    return status;
}
