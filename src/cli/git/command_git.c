/* duet git [BASE [HEAD]] -- BENCH */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/git/bench_words.h"
#include "cli/git/git_front.h"
#include "cli/interrupt.h"
#include "cli/options/command_option_rows.h"
#include "cli/options/option.h"
#include "cli/options/run_carry.h"
#include "cli/suite/suite_carry.h"
#include "cli/terminal_listener.h"
#include "report/quote.h"
#include "session/comparison/answer_done.h"
#include "session/git/git_sides.h"
#include "session/scratch.h"
#include "session/storage.h"
#include "session/suite/benchmark_list.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option git_rows[] = {
    {"build", 'b', "CMD", GIT_OPTION_BUILD,
     "Run this shell command in each worktree before the measurement; {dir} in it is the "
     "worktree. Default: none, for programs that need no build."},
    GIT_OPTION_CACHE_ROWS,
    {"suite", 0, "FILE", GIT_OPTION_SUITE,
     "Measure the benchmarks of this file (as duet suite does) instead of BENCH, each in the "
     "worktrees; {build} and {dir} in it are the worktree."},
    {"only", 0, "PATTERN", GIT_OPTION_ONLY,
     "With --suite: measure only benchmarks whose name matches the pattern. May be "
     "repeated."},
    SUITE_OPTION_RESUME_ROW,
    SUITE_OPTION_TIME_BUDGET_ROW,
    RUN_OPTION_AMOUNT_ROWS,
    RUN_OPTION_MANNER_ROWS,
    RUN_OPTION_CARE_ROWS,
    RUN_OPTION_COMMAND_ROWS,
    RUN_OPTION_ANSWER_ROWS,
    BASELINE_OPTION_ROWS,
    RUN_OPTION_EXIT_CODES_ROW,
    CLI_OPTION_END_ROWS};

struct git_command {
    struct run_options run;
    struct suite_command suite; /* takes the options in place of `run` ... */
    bool is_suite;              /* ... where --suite is among them */
    struct git_sides_request sides;
    const struct git_front *front; /* NULL: none; else is_suite */
    const char *name;              /* of the command */
    struct text build;             /* of `front` */
    char *suite_path;              /* likewise, owned */
    uint64_t keep;
    bool fresh;
    struct text bench; /* its words, as a command line */
    int speed;         /* what the comparisons say, for --exit-codes git-bisect */
};

/* A suite's file names commands, hooks and parameters. */
static enum duet_code take_of_suite(struct git_command *git, struct cli_options *parsed,
                                    int id, struct duet_error *reterr)
{
    if (id == RUN_OPTION_PARAMETER_LIST || id == RUN_OPTION_PARAMETER_SCAN ||
        id == RUN_OPTION_STEP || id == RUN_OPTION_EXIT_CODES) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s does not go with --suite: its file says what to measure",
                         parsed->name);
    }
    return suite_carry_take(&git->suite, parsed, id, reterr);
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct git_command *git = context;
    switch (id) {
    case GIT_OPTION_BUILD:
        git->sides.build = parsed->value;
        return DUET_OK;
    case GIT_OPTION_KEEP:
        return parse_whole(parsed->value, "--keep-builds", 0, GIT_CACHE_KEEP_MAX,
                           &git->keep, reterr);
    case GIT_OPTION_NO_CACHE:
        git->fresh = true;
        return DUET_OK;
    case GIT_OPTION_SUITE:
        git->suite.request.path = parsed->value;
        return DUET_OK;
    case GIT_OPTION_ONLY:
        return suite_carry_only(&git->suite, parsed->value, reterr);
    case SUITE_OPTION_RESUME:
    case SUITE_OPTION_TIME_BUDGET:
        return suite_carry_take(&git->suite, parsed, id, reterr);
    default:
        return git->is_suite ? take_of_suite(git, parsed, id, reterr)
                             : run_options_take(&git->run, parsed, id, reterr);
    }
}

/* ---- Measuring ---- */

/* The sides' names, folders and {dir}. `name`: free(). */
static enum duet_code settle_sides(struct git_command *git,
                                   const struct git_sides *sides, char **ret_name,
                                   struct duet_error *reterr)
{
    struct run_request *request = &git->run.request;
    enum duet_code code = DUET_OK;
    request->revisions = sides->stamps;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        const char *folder = git_sides_folder(sides, (enum model_side)side);
        request->commands[side] = text_string(&git->bench);
        request->folders[side] = folder;
        if (request->names[side] == NULL) {
            request->names[side] = sides->revisions[side].label;
        }
        code =
            parameter_add_values(&request->variables[side], "dir", &folder, 1, reterr);
    }
    if (code == DUET_OK && request->name == NULL) {
        *ret_name = alloc_format("%s %s..%s", text_string(&git->bench),
                                 sides->revisions[MODEL_OLD].label,
                                 sides->revisions[MODEL_NEW].label);
        request->name = *ret_name;
        request->benchmark = text_string(&git->bench);
        code = *ret_name == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    return code;
}

/* The worktrees are what the suite's {build} and {dir} stand for, and where its
 * commands run. */
static int carry_suite(struct git_command *git, const struct git_sides *sides,
                       int cancel_fd)
{
    struct duet_error error = {0};
    struct suite_command *suite = &git->suite;
    suite->request.base.revisions = sides->stamps;
    char *words[MODEL_SIDES] = {NULL, NULL};
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        const char *folder = git_sides_folder(sides, (enum model_side)side);
        suite->request.folders[side] = folder;
        words[side] = alloc_format("dir=%s", folder);
        code = words[side] == NULL
                   ? error_no_memory(&error)
                   : suite_carry_set(suite, (enum model_side)side, folder, &error);
        if (code == DUET_OK) {
            code = suite_carry_set(suite, (enum model_side)side, words[side], &error);
        }
    }
    int status = code == DUET_OK ? suite_carry_out(suite, cancel_fd) : cli_fail(&error);
    free(words[MODEL_OLD]);
    free(words[MODEL_NEW]);
    return status;
}

/* What the front-end's script has found in both worktrees is the suite. */
static enum duet_code take_found(struct git_command *git, const struct git_sides *sides,
                                 const struct listener *listener,
                                 struct duet_error *reterr)
{
    struct benchmark_lists lists = {.suite = git->name, .hint = git->front->hint};
    char *paths[MODEL_SIDES] = {NULL, NULL};
    for (int side = 0; side < MODEL_SIDES; side++) {
        paths[side] = alloc_format("%s/" GIT_FRONT_LIST,
                                   git_sides_folder(sides, (enum model_side)side));
        lists.paths[side] = paths[side];
        lists.labels[side] = sides->revisions[side].label;
    }
    git->suite_path = alloc_format("%s/%s.yaml", git->sides.scratch, git->name);
    enum duet_code code =
        paths[MODEL_OLD] == NULL || paths[MODEL_NEW] == NULL || git->suite_path == NULL
            ? error_no_memory(reterr)
            : benchmark_list_suite(&lists, git->suite_path, listener, reterr);
    git->suite.request.path = git->suite_path;
    free(paths[MODEL_OLD]);
    free(paths[MODEL_NEW]);
    return code;
}

/* As duet run does. */
static int carry_run(struct git_command *git, const struct git_sides *sides,
                     int cancel_fd)
{
    struct duet_error error = {0};
    char *name = NULL;
    enum duet_code code = settle_sides(git, sides, &name, &error);
    int status = code == DUET_OK ? run_carry_out(&git->run, cancel_fd, &git->speed)
                                 : cli_fail(&error);
    free(name);
    return status;
}

/* A report that says why there is no answer, where one was asked for. There is no
 * experiment that a store could take. */
static void export_failure(const struct git_command *git, const char *reason)
{
    struct output_options output = git->is_suite ? git->suite.output : git->run.output;
    const char *name = git->is_suite                   ? git->suite.request.path
                       : git->run.request.name != NULL ? git->run.request.name
                                                       : text_string(&git->bench);
    struct duet_error error = {0};
    struct answer answer = {0};
    output.store = NULL;
    if (!output_has_export(&output) && !ci_export_wanted(&output.ci)) {
        return;
    }
    enum duet_code code = failed_answer(NULL, 0, name, reason, &answer, &error);
    if (code == DUET_OK) {
        code = output_answers(&output, NULL, &answer, 1, &error);
        answer_release(&answer);
    }
    if (code != DUET_OK) {
        cli_say("%s", error.message);
    }
}

/* The commit of a baseline is measured again, beside the other one. */
static enum duet_code take_base(struct git_command *git, char **ret_commit,
                                struct duet_error *reterr)
{
    struct baseline_options *baseline =
        git->is_suite ? &git->suite.baseline : &git->run.baseline;
    struct run_request *request =
        git->is_suite ? &git->suite.request.base : &git->run.request;
    struct store *store = NULL;
    if (baseline->with == NULL) {
        return DUET_OK;
    }
    enum duet_code code = storage_open(request->store, false, &store, reterr);
    if (code == DUET_OK) {
        code = baseline_commit(store, baseline->with, ret_commit, reterr);
    }
    store_close(store);
    baseline->with = NULL;
    git->sides.revisions[MODEL_OLD] = *ret_commit;
    return code;
}

static int measure(struct git_command *git, struct git_cache *cache)
{
    struct duet_error error = {0};
    struct git_sides sides = {0};
    char *commit = NULL;
    int cancel_fd = cache->repo->cancel_fd;
    int status = CLI_EXIT_OK;
    enum duet_code code = take_base(git, &commit, &error);
    if (code == DUET_OK) {
        code = git_sides_open(cache, &git->sides, &sides, &error);
    }
    if (code == DUET_OK && git->front != NULL) {
        code = take_found(git, &sides, cache->listener, &error);
    }
    if (code != DUET_OK) {
        status = cli_fail(&error);
        if (code == DUET_E_WORKLOAD) {
            export_failure(git, error.message);
        }
    } else {
        status = git->is_suite ? carry_suite(git, &sides, cancel_fd)
                               : carry_run(git, &sides, cancel_fd);
    }
    run_request_release(&git->run.request);
    git_sides_close(cache, &sides);
    free(commit);
    return status;
}

static int with_cache(struct git_command *git, struct git_repo *repo)
{
    struct duet_error error = {0};
    struct git_cache cache = {0};
    struct scratch scratch = {.fd = -1};
    struct interrupt interrupt;
    const struct listener *listener = terminal_listener(git->run.output.verbosity > 0);
    enum duet_code code = interrupt_open(&interrupt, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    repo->cancel_fd = interrupt.cancel_fd;
    code = scratch_make(&scratch, &error);
    if (code == DUET_OK) {
        code = git_cache_open(repo, listener, &cache, &error);
    }
    cache.keep = git->keep;
    cache.fresh = git->fresh;
    git->sides.scratch = scratch.path;
    int status = code == DUET_OK ? measure(git, &cache) : cli_fail(&error);
    git_cache_close(&cache);
    scratch_remove(&scratch, listener);
    interrupt_close(&interrupt);
    return status;
}

/* ---- Arguments ---- */

/* Whether --suite is given, in full or shortened: that decides how the other options
 * are taken. Of a word too short to mean it alone the parser tells. */
static bool asks_for_suite(int argc, char **argv)
{
    bool asked = false;
    for (int i = 1; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        asked = asked ||
                (length > strlen("--") && strncmp(argv[i], "--suite", length) == 0);
    }
    return asked;
}

static void append_word(struct text *text, const char *word)
{
    text_append_char(text, ' ');
    quote_append_shell(text, word);
}

/* The front-end's build command, from words that cannot be revisions, since they begin
 * with a dot, and those behind "--". Returns how many revisions there are. */
static int take_words(struct git_command *git, char **operands, int count, int more,
                      char **behind)
{
    int revisions = 0;
    while (revisions < count && operands[revisions][0] != '.') {
        revisions++;
    }
    text_append(&git->build, "set --");
    for (int i = revisions; i < count; i++) {
        append_word(&git->build, operands[i]);
    }
    for (int i = 0; i < more; i++) {
        append_word(&git->build, behind[i]);
    }
    text_append_format(&git->build, "\n%s", git->front->script);
    git->sides.build = text_string(&git->build);
    git->suite.request.path = git->name; /* until there is a file */
    return revisions;
}

static int parse(const struct cli_command *command, int argc, char **argv,
                 struct git_command *git)
{
    char **operands = NULL;
    int count = 0;
    int dashes = bench_words_find(argc, argv);
    struct duet_error error;
    run_options_init(&git->run);
    run_request_init(&git->suite.request.base);
    git->is_suite = git->front != NULL || asks_for_suite(dashes, argv);
    if (git->front == NULL) {
        bench_words_append(&git->bench, argc - dashes - 1, argv + dashes + 1);
    }
    int status =
        cli_options_parse(command, dashes, argv, take_option, git, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (git->front != NULL) {
        count = take_words(git, operands, count, argc - dashes - 1, argv + dashes + 1);
    }
    if (count > MODEL_SIDES) {
        return cli_usage(
            command, "expected BASE and HEAD, got %d words before '--'; %s behind it",
            count,
            git->front == NULL ? "the benchmark stands" : "packages and options stand");
    }
    if (git->is_suite && git->bench.length > 0) {
        return cli_usage(command, "take either --suite or a benchmark behind '--'");
    }
    if (text_failed(&git->bench)) {
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    if (!git->is_suite && git->bench.length == 0) {
        return cli_usage(
            command,
            "expected a benchmark behind '--': duet git main --build make -- ./bench");
    }
    if (git->fresh && git->suite.request.resume) {
        return cli_usage(command,
                         "--resume goes on with builds that are kept: leave --no-cache "
                         "out");
    }
    if (git->is_suite && suite_carry_check(&git->suite, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    if (!git->is_suite && run_request_settle(&git->run.request, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    bool has_base = git->is_suite ? git->suite.baseline.with != NULL
                                  : git->run.baseline.with != NULL;
    if (has_base && count > 1) {
        return cli_usage(command, "--baseline is BASE: leave '%s' out", operands[0]);
    }
    for (int i = 0; i < count; i++) {
        git->sides.revisions[has_base ? MODEL_NEW : i] = operands[i];
    }
    return -1;
}

/* Before anything is built. */
static enum duet_code check_output(const struct git_command *git,
                                   struct duet_error *reterr)
{
    return git->is_suite
               ? output_check(&git->suite.output, git->suite.request.base.store, reterr)
               : output_check(&git->run.output, git->run.request.store, reterr);
}

int git_front_main(const struct cli_command *command, int argc, char **argv,
                   const struct git_front *front)
{
    struct git_command git = {.suite = {.output = {.verbosity = 1}},
                              .front = front,
                              .name = command->name,
                              .keep = GIT_CACHE_KEEP,
                              .speed = EXIT_CODES_FAST};
    struct git_repo repo = {.cancel_fd = -1};
    struct duet_error error = {0};
    int status = parse(command, argc, argv, &git);
    bool help = status == CLI_EXIT_OK;
    if (status < 0) {
        status =
            check_output(&git, &error) == DUET_OK && git_open(&repo, &error) == DUET_OK
                ? with_cache(&git, &repo)
                : cli_fail(&error);
    }
    run_request_release(&git.run.request);
    suite_request_release(&git.suite.request);
    git_close(&repo);
    text_release(&git.bench);
    text_release(&git.build);
    free(git.suite_path);
    if (help || !(git.run.git_bisect || exit_codes_asked(argc, argv))) {
        return status;
    }
    return exit_codes_of(cli_finish(status), git.speed);
}

static int git_main(const struct cli_command *command, int argc, char **argv)
{
    return git_front_main(command, argc, argv, NULL);
}

const struct cli_command command_git = {
    .name = "git",
    .measures = true,
    .synopsis = "[OPTIONS] [BASE [HEAD]] (-- BENCH... | --suite FILE)",
    .summary = "build two commits, and compare them",
    .description =
        "Checks two revisions out, each into a folder of its own, builds both and "
        "compares BENCH in the one with BENCH in the other, as duet run does. BASE "
        "and HEAD are what git takes for a commit. Without HEAD the working tree is "
        "measured, with its uncommitted changes and with untracked files that are "
        "not ignored. Without BASE it is compared with the commit where it left the "
        "main branch (origin/HEAD, main or master). On that branch itself it is "
        "compared with the commit before HEAD.\n\n"
        "BENCH runs in the worktree, and {dir} in it is the worktree's path. One "
        "word behind -- is a command line; several are a command's words. With "
        "--suite FILE all benchmarks of the file are measured instead, in the "
        "worktrees.\n\n"
        "Builds are kept in $XDG_CACHE_HOME/duet/git (else ~/.cache/duet/git) and "
        "used again for the same files, the same build command and the same CC, "
        "CFLAGS and their like. The repository stays as it is: neither its index "
        "nor its list of worktrees changes.\n\n"
        "Exit status: as of duet run; 4 also when a build fails, of which the last "
        "lines and the log's path are shown; 5 when there is no git.",
    .options = git_rows,
    .examples = CLI_EXAMPLES(
        {"Compare the working tree with the commit where it left the main branch:",
         "duet git --build make -- ./bench"},
        {"Compare two commits, and exit with 1 when the second is surely slower:",
         "duet git v1.0 v1.1 --build make --fail-on slower -- ./bench --size 10"},
        {"Compare all benchmarks of a suite's file:",
         "duet git main --build make --suite bench.yaml"}),
    .operand = "CMD",
    .main = git_main,
};
