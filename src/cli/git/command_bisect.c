/* duet bisect GOOD [BAD] -- BENCH */
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/git/bench_words.h"
#include "cli/git/bisect_show.h"
#include "cli/interrupt.h"
#include "cli/options/command_option_rows.h"
#include "cli/options/option.h"
#include "cli/options/run_options.h"
#include "cli/terminal_listener.h"
#include "session/git/bisect_search.h"
#include "session/storage.h"

#include <math.h>

enum bisect_option {
    OPTION_BUILD = CLI_OPTION_FIRST,
    OPTION_KEEP,
    OPTION_NO_CACHE,
    OPTION_EFFECT,
    OPTION_TIME_BUDGET,
    OPTION_DEAR_BUILDS,
    OPTION_RESUME
};

/* Between commits that were seen before, it goes back and forth: a line now and then.
 */
static const uint64_t telling_ns = UINT64_C(10000000000);
static const uint64_t default_budget_ns = UINT64_C(1800000000000);

static const struct cli_option bisect_rows[] = {
    {"build", 'b', "CMD", OPTION_BUILD,
     "Run this shell command in each worktree before the measurement; {dir} in it is the "
     "worktree. Default: none, for programs that need no build."},
    {"effect", 0, "P", OPTION_EFFECT,
     "Look for a step of P (such as 3%) or more. Default: what BAD is surely slower by."},
    {"time-budget", 0, "T", OPTION_TIME_BUDGET,
     "Stop after this time, and say which commits are left. Default: 30min."},
    {"dear-builds", 0, NULL, OPTION_DEAR_BUILDS,
     "Measure each commit for longer and build fewer, when builds take long."},
    {"resume", 0, NULL, OPTION_RESUME,
     "Go on with what the same command measured before it was interrupted."},
    {"keep-builds", 0, "N", OPTION_KEEP,
     "Keep the N builds of this repository that were used last. Default: 64."},
    {"no-cache", 0, NULL, OPTION_NO_CACHE,
     "Check out and build again, and keep nothing afterwards."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the answer. Default: 0.99."},
    {"iterations", 'I', "N", CLI_OPTION_SETTING,
     "Do N iterations per run. Default: 1 execution of a command; of a benchmark "
     "program what fits into --run-time."},
    {"run-time", 0, "T", CLI_OPTION_SETTING,
     "End a benchmark program's run after the first iteration that ends later than T. "
     "Default: 25ms."},
    RUN_OPTION_MANNER_ROWS,
    RUN_OPTION_COMMAND_ROWS,
    {"export-json", 0, "FILE", OUTPUT_OPTION_JSON,
     "Write the answer as JSON to FILE ('-': standard output)."},
    {"quiet", 'q', NULL, OUTPUT_OPTION_QUIET, "Print only the answer, no progress."},
    CLI_OPTION_END_ROWS};

struct bisect_command {
    struct run_options run;
    struct bisect_request request;
    uint64_t keep;
    bool fresh;
    uint64_t told_ns; /* the last line; of elapsed time */
    struct text bench;
};

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct bisect_command *bisect = context;
    struct bisect_request *request = &bisect->request;
    switch (id) {
    case OPTION_BUILD:
        request->build = parsed->value;
        return DUET_OK;
    case OPTION_KEEP:
        return parse_whole(parsed->value, "--keep-builds", 0, GIT_CACHE_KEEP_MAX,
                           &bisect->keep, reterr);
    case OPTION_NO_CACHE:
        bisect->fresh = true;
        return DUET_OK;
    case OPTION_EFFECT:
        return parse_change(parsed->value, "--effect", &request->effect, reterr);
    case OPTION_TIME_BUDGET:
        return parse_time_ns(parsed->value, "--time-budget", &request->budget_ns,
                             reterr);
    case OPTION_DEAR_BUILDS:
        request->dear_builds = true;
        return DUET_OK;
    case OPTION_RESUME:
        request->resume = true;
        return DUET_OK;
    default:
        return run_options_take(&bisect->run, parsed, id, reterr);
    }
}

/* ---- The search ---- */

static void tell(void *context, const struct bisect_step *step)
{
    struct bisect_command *bisect = context;
    bool due = step->fresh || step->elapsed_ns - bisect->told_ns >= telling_ns;
    if (bisect->run.output.verbosity > 0 && due && step->at != 0) {
        bisect_show_step(step);
        bisect->told_ns = step->elapsed_ns;
    }
}

static int status_of(enum bisect_end end)
{
    return end == BISECT_FOUND || end == BISECT_GROUP ? CLI_EXIT_OK : CLI_EXIT_UNSURE;
}

static void say_resumable(const struct bisect_command *bisect,
                          const struct bisect_result *result)
{
    if (result->blocks > 0 && bisect->fresh) {
        cli_say("--no-cache keeps no blocks: without it, --resume could go on");
    } else if (result->blocks > 0) {
        cli_say("%zu blocks are kept: the same command with --resume goes on",
                result->blocks);
    }
}

static int search(struct bisect_command *bisect, struct git_cache *cache,
                  const struct session *session)
{
    struct duet_error error = {0};
    struct duet_error wrong = {0};
    struct bisect_result result = {0};
    enum duet_code code =
        bisect_search(&bisect->request, cache, session, &result, &error);
    int status = code == DUET_OK ? status_of(result.end) : cli_fail(&error);
    if (code != DUET_OK) {
        say_resumable(bisect, &result);
    } else if (bisect_show_result(&bisect->run.output, &bisect->request, &result,
                                  &wrong) != DUET_OK) {
        status = cli_fail(&wrong);
    }
    bisect_result_release(&result);
    return status;
}

static int with_session(struct bisect_command *bisect, struct git_cache *cache)
{
    struct duet_error error = {0};
    struct session session = {.cancel_fd = cache->repo->cancel_fd,
                              .listener = terminal_listener(false)};
    enum duet_code code = machine_open(NULL, &session.machine, &error);
    if (code == DUET_OK) {
        code = storage_open(bisect->run.request.store, true, &session.store, &error);
    }
    int status = code == DUET_OK ? search(bisect, cache, &session) : cli_fail(&error);
    storage_close(session.store, session.listener);
    machine_free(session.machine);
    return status;
}

static int with_cache(struct bisect_command *bisect, struct git_repo *repo)
{
    struct duet_error error = {0};
    struct git_cache cache = {0};
    struct interrupt interrupt;
    enum duet_code code = interrupt_open(&interrupt, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    repo->cancel_fd = interrupt.cancel_fd;
    code = git_cache_open(repo, terminal_listener(false), &cache, &error);
    cache.keep = bisect->keep;
    cache.fresh = bisect->fresh;
    int status = code == DUET_OK ? with_session(bisect, &cache) : cli_fail(&error);
    git_cache_close(&cache);
    interrupt_close(&interrupt);
    return status;
}

/* ---- Arguments ---- */

static int parse(const struct cli_command *command, int argc, char **argv,
                 struct bisect_command *bisect)
{
    char **operands = NULL;
    int count = 0;
    int dashes = bench_words_find(argc, argv);
    struct duet_error error;
    bench_words_append(&bisect->bench, argc - dashes - 1, argv + dashes + 1);
    int status = cli_options_parse(command, dashes, argv, take_option, bisect,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count < 1 || count > 2) {
        return cli_usage(
            command, "expected GOOD and perhaps BAD before '--', got %d words", count);
    }
    if (text_failed(&bisect->bench)) {
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    if (bisect->bench.length == 0) {
        return cli_usage(
            command,
            "expected a benchmark behind '--': duet bisect v1.0 --build make -- ./bench");
    }
    if (bisect->fresh && bisect->request.resume) {
        return cli_usage(command,
                         "--resume goes on with what is kept in the cache: leave "
                         "--no-cache out");
    }
    bisect->request.good = operands[0];
    bisect->request.bad = count > 1 ? operands[1] : "HEAD";
    bisect->request.run = &bisect->run.request;
    bisect->request.bench = text_string(&bisect->bench);
    bisect->request.tell = tell;
    bisect->request.context = bisect;
    return bisect_request_settle(&bisect->request, &error) == DUET_OK
               ? -1
               : cli_refuse(command, &error);
}

static int bisect_main(const struct cli_command *command, int argc, char **argv)
{
    struct bisect_command bisect = {
        .keep = 64, .request = {.effect = (double)NAN, .budget_ns = default_budget_ns}};
    struct git_repo repo = {.cancel_fd = -1};
    struct duet_error error = {0};
    run_options_init(&bisect.run);
    int status = parse(command, argc, argv, &bisect);
    if (status < 0) {
        status = output_check(&bisect.run.output, bisect.run.request.store, &error) ==
                             DUET_OK &&
                         git_open(&repo, &error) == DUET_OK
                     ? with_cache(&bisect, &repo)
                     : cli_fail(&error);
    }
    run_request_release(&bisect.run.request);
    git_close(&repo);
    text_release(&bisect.bench);
    return status;
}

const struct cli_command command_bisect = {
    .name = "bisect",
    .measures = true,
    .synopsis = "[OPTIONS] GOOD [BAD] -- BENCH...",
    .summary = "find the commit that made a benchmark slower",
    .description =
        "GOOD is a fast commit and BAD a slow one that came from it (default: "
        "HEAD). BAD is measured against GOOD first. Then commits between them are "
        "built and measured against GOOD, a few blocks at a time, where the next "
        "block tells most, until one commit is left. The commits are those of git "
        "log --first-parent: a merge counts as one.\n\n"
        "The answer holds with --confidence, however often it looked. Where there "
        "is one step and no others, it names the wrong one with at most 1 % "
        "probability. Where no single commit explains what was measured, it says "
        "so. A commit that does not build or whose benchmark fails is left out; "
        "when it cannot be told from its neighbour, both are named.\n\n"
        "Builds are kept as duet git keeps them. What was measured is kept until "
        "the search has ended: --resume goes on with it.\n\n"
        "Exit status: 0 found; 2 wrong usage; 3 unsure: the time is over, BAD is "
        "not surely slower, or there are several steps; 4 GOOD or BAD does not "
        "build, or its benchmark fails; 5 unsuitable machine; 130 interrupted.",
    .options = bisect_rows,
    .examples = CLI_EXAMPLES(
        {"Find the commit since v1.0 that made a benchmark slower:",
         "duet bisect v1.0 --build make -- ./bench"},
        {"Find a step of 5 % or more between two commits, within an hour:",
         "duet bisect v1.0 v1.1 --effect 5% --time-budget 1h --build make -- ./bench"}),
    .operand = "COMMIT",
    .main = bisect_main,
};
