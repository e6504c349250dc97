#include "study/lab/study_suite.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "formats/suite_file.h"
#include "measure/hook.h"
#include "session/scratch.h"
#include "session/suite/suite_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One benchmark is measured at a time. */
struct study_suite {
    const struct listener *listener;
    struct suite_request request;
    struct suite_folders folders;
    struct scratch scratch;
    struct suite_plan plan;
    bool planned;
    bool begun;
    char *label; /* of its run in the store: `duet suite --resume` must not find it */
    int64_t run;
    struct benchmark_suite part; /* of the benchmark being measured */
};

static enum duet_code find_folders(struct study_suite *suite, const char *path,
                                   struct duet_error *reterr)
{
    char *whole = realpath(path, NULL);
    if (whole == NULL) {
        return error_set_errno(reterr, file_input_code(errno), errno,
                               "cannot open '%s'", path);
    }
    suite->label = alloc_format("duet study: %s", whole);
    const char *slash = strrchr(whole, '/'); /* the path is absolute */
    size_t length = slash == whole ? 1 : (size_t)(slash - whole);
    suite->folders.suite = alloc_string_n(whole, length);
    free(whole);
    enum duet_code code = suite->label == NULL || suite->folders.suite == NULL
                              ? error_no_memory(reterr)
                              : scratch_make(&suite->scratch, reterr);
    suite->folders.scratch = suite->scratch.path;
    return code == DUET_OK
               ? scratch_plain(&suite->scratch, &suite->folders.suite, reterr)
               : code;
}

/* A study compares every program with itself. */
static enum duet_code check_sides(const struct suite_plan *plan,
                                  struct duet_error *reterr)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct model_suite_benchmark *source = plan->entries[i].source;
        if (strcmp(source->commands[MODEL_OLD], source->commands[MODEL_NEW]) != 0) {
            return error_set(
                reterr, DUET_E_USAGE,
                "'%s' compares two programs, and a study compares each with itself: leave it out with --only",
                plan->entries[i].name);
        }
    }
    return DUET_OK;
}

enum duet_code study_suite_open(const char *path, const char **only, size_t only_count,
                                uint64_t seed, const struct listener *listener,
                                struct study_suite **ret_suite,
                                struct duet_error *reterr)
{
    struct study_suite *suite = alloc_array(1, sizeof *suite);
    if (suite == NULL) {
        return error_no_memory(reterr);
    }
    suite->listener = listener;
    run_request_init(&suite->request.base);
    suite->request.path = path;
    suite->request.base.plan.seed = seed;
    suite->request.seed_given = true;
    suite->request.only = only;
    suite->request.only_count = only_count;
    struct model_suite read;
    enum duet_code code = find_folders(suite, path, reterr);
    if (code == DUET_OK) {
        code = formats_suite_read(path, &read, reterr);
    }
    if (code == DUET_OK) {
        code = suite_plan_make(&suite->request, &read, &suite->folders, &suite->plan,
                               reterr);
        suite->planned = code == DUET_OK;
    }
    if (code == DUET_OK) {
        code = check_sides(&suite->plan, reterr);
    }
    if (code == DUET_OK) {
        *ret_suite = suite;
    } else {
        study_suite_free(suite);
    }
    return code;
}

/* `text`: the suite's set-up or clean-up; NULL: nothing. */
static enum duet_code hook(const struct study_suite *suite, const char *text,
                           const char *name, int cancel_fd, struct duet_error *reterr)
{
    const struct suite_plan *plan = &suite->plan;
    if (text == NULL) {
        return DUET_OK;
    }
    char *command = parameter_expand(&plan->options[0].variables[MODEL_OLD], 0, text);
    enum duet_code code = command == NULL
                              ? error_no_memory(reterr)
                              : hook_shell(command, name, NULL, cancel_fd, reterr);
    free(command);
    return code;
}

void study_suite_free(struct study_suite *suite)
{
    struct duet_error unclean;
    if (suite == NULL) {
        return;
    }
    if (suite->begun && hook(suite, suite->plan.suite.cleanup, "suite's cleanup", -1,
                             &unclean) != DUET_OK) {
        listener_warn(suite->listener, "%s", unclean.message);
    }
    if (suite->planned) {
        suite_plan_release(&suite->plan);
    }
    scratch_remove(&suite->scratch, suite->listener);
    run_request_release(&suite->request.base);
    free(suite->folders.suite);
    free(suite->label);
    free(suite);
}

const char *study_suite_name(const struct study_suite *suite)
{
    return suite->plan.suite.name;
}

size_t study_suite_count(const struct study_suite *suite)
{
    return suite->plan.count;
}

const char *study_suite_entry_name(const struct study_suite *suite, size_t entry)
{
    return suite->plan.entries[entry].name;
}

const struct model_cleaning *study_suite_cleaning(const struct study_suite *suite,
                                                  size_t entry)
{
    return &suite->plan.entries[entry].options->analysis.cleaning;
}

enum duet_code study_suite_begin(struct study_suite *suite, struct store *store,
                                 int cancel_fd, struct duet_error *reterr)
{
    enum duet_code code =
        store_suite_begin(store, suite->plan.suite.name, suite->label, suite->plan.seed,
                          suite->plan.count, BASE_VERSION, &suite->run, reterr);
    if (code == DUET_OK) {
        suite->begun = true;
        code = hook(suite, suite->plan.suite.setup, "suite's setup", cancel_fd, reterr);
    }
    return code;
}

enum duet_code study_suite_make(struct study_suite *suite, size_t entry, bool checked,
                                struct benchmark *ret_benchmark,
                                struct run_request *ret_options,
                                struct duet_error *reterr)
{
    struct suite_entry *source = &suite->plan.entries[entry];
    enum duet_code code = suite_entry_make(&suite->plan, source, ret_benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    /* Both sides have one command in the file; what is put in for {side} differs. */
    struct model_plan *plan = &ret_benchmark->plan;
    plan->sides[MODEL_NEW].command = plan->sides[MODEL_OLD].command;
    plan->sides[MODEL_NEW].name = plan->sides[MODEL_OLD].name;
    plan->until = MODEL_UNTIL_FIXED;
    plan->run_time_ns = 0;
    /* Nor may it choose: a suite's usual benchmark is measured until it is decided. */
    plan->choose_schedule = false;
    plan->adapt_run_time = false;
    ret_benchmark->analysis.coin = MODEL_COIN_BLOCK;
    *ret_options = *source->options;
    suite->part =
        (struct benchmark_suite){.run = suite->run,
                                 .definition = source->definition,
                                 .check = source->checked ? &source->check : NULL};
    ret_benchmark->suite = checked ? &suite->part : NULL;
    return DUET_OK;
}
