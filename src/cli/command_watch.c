/* duet watch CMD: a performance test that goes on until its result is known */
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/option.h"
#include "cli/run_option_rows.h"
#include "cli/shared_option.h"
#include "cli/stop_option.h"
#include "cli/storage.h"
#include "cli/watch_derive.h"
#include "cli/watch_request.h"
#include "cli/watch_status.h"

#include <string.h>
#include <sys/random.h>

enum watch_option {
    OPTION_EVERY = CLI_OPTION_FIRST,
    OPTION_PER_HOUR,
    OPTION_BATCH,
    OPTION_RULE,
    OPTION_STATISTIC,
    OPTION_ERROR,
    OPTION_CONFIDENCE,
    OPTION_REPLICATES,
    OPTION_INTERVALS,
    OPTION_METRIC,
    OPTION_PATTERN,
    OPTION_PROVISION,
    OPTION_RELEASE,
    OPTION_ATTEMPTS,
    OPTION_RETRY,
    OPTION_RESUME,
    OPTION_STATUS,
    OPTION_DERIVE,
    OPTION_LOSS,
    OPTION_FAIL_ON,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_VERBOSE
};

static const struct cli_option watch_rows[] = {
    {"every", 0, "T", OPTION_EVERY, "Length of an interval. Default: 1d."},
    {"executions-per-hour", 0, "X", OPTION_PER_HOUR,
     "How often the command is executed. Default: 4."},
    {"batch", 0, "N", OPTION_BATCH,
     "Executions that follow one another directly, so that a machine is rented less "
     "often. Default: 1, at equal distances."},
    {"rule", 0, "RULE", OPTION_RULE,
     "What says that it is enough: metior, metior-artifact, basicbt, cov, pt4cloud, "
     "steady. Default: metior."},
    {"statistic", 0, "WHICH", OPTION_STATISTIC,
     "The result: mean, or a percentile such as p90. Default: mean."},
    {"error", 0, "P", OPTION_ERROR, "By how much the result may be off. Default: 3%."},
    {"confidence", 0, "P", OPTION_CONFIDENCE, "How sure that must be. Default: 0.95."},
    {"replicates", 0, "N", OPTION_REPLICATES, "Bootstrap replicates. Default: 1000."},
    {"max-intervals", 0, "N", OPTION_INTERVALS,
     "Give up after so many intervals; 0: never. Default: 21."},
    {"metric", 0, "time|throughput|REGEX", OPTION_METRIC,
     "What is known afterwards: the time of an execution (the default), or a number "
     "that the command prints: a POSIX extended regular expression whose first "
     "parentheses hold it."},
    {"pattern", 0, "REGEX", OPTION_PATTERN,
     "With --metric time or throughput: the command prints it, and this finds it."},
    {"provision", 0, "CMD", OPTION_PROVISION,
     "Shell command before each batch, to rent what it needs."},
    {"release", 0, "CMD", OPTION_RELEASE,
     "Shell command after each batch, whatever happened in it."},
    {"attempts", 0, "N", OPTION_ATTEMPTS,
     "How often these two are tried before the watch ends. Default: 3."},
    {"retry-after", 0, "T", OPTION_RETRY, "Between two attempts. Default: 10s."},
    {"prepare", 'p', "CMD", RUN_OPTION_PREPARE,
     "Shell command before every execution, untimed."},
    {"conclude", 'C', "CMD", RUN_OPTION_CONCLUDE,
     "Shell command after every execution, untimed."},
    {"shell", 'S', "SHELL", RUN_OPTION_SHELL,
     "Run the command by this shell ('default': /bin/sh); its start is then measured, "
     "too. Default: none."},
    {"timeout", 0, "T", RUN_OPTION_TIMEOUT,
     "Kill an execution that takes longer, and end the watch. Default: none."},
    {"ignore-failure", 'i', NULL, RUN_OPTION_IGNORE_FAILURE,
     "Count executions whose exit status is not 0, too."},
    {"cpus", 0, "A", RUN_OPTION_CPUS,
     "The CPUs for the command: a number, a range 0-3 or a list 0+2. Default: all."},
    {"name", 0, "NAME", RUN_OPTION_NAME, "Name the watch. Default: the command."},
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "For all that is random. Default: drawn, and kept."},
    {"resume", 0, NULL, OPTION_RESUME,
     "Go on with the watch of that name (or number); without one, with the only one "
     "that is not over."},
    {"status", 0, NULL, OPTION_STATUS,
     "Show all watches of the store, or the one of that name (or number)."},
    {"derive", 0, "SERIES", OPTION_DERIVE,
     "Instead, find --every and --executions-per-hour from a first series (a file, a "
     "number a line, or a folder of them), executed --executions-per-hour."},
    {"loss", 0, "X", OPTION_LOSS,
     "With --derive: how much of its autocorrelation a series may lose by thinning. "
     "Default: 0.1."},
    {"fail-on", 0, "unsure", OPTION_FAIL_ON,
     "Exit with 3 when --max-intervals ends it. Default: with 0."},
    {"json", 0, NULL, OPTION_JSON,
     "Print the answer, or the status, as JSON "
     "(docs/schema/duet-watch-1.schema.json)."},
    {"quiet", 'q', NULL, OPTION_QUIET, "No progress."},
    {"verbose", 'v', NULL, OPTION_VERBOSE, "A line for each execution."},
    {"store", 0, "PATH", SHARED_OPTION_STORE,
     "The database that keeps everything. Default: .duet/results.db in the nearest "
     "parent folder that has one, else in this one."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

/* What of a command line is for what: a watch that goes on keeps its settings. */
struct watch_words {
    struct watch_request request;
    const char *metric; /* --metric; NULL: not given */
    bool status;
    const char *series; /* --derive; NULL: none */
    double loss;
    bool per_hour_given;
    const char *setting; /* one that was given; NULL: none */
};

static enum duet_code take_positive(const char *value, const char *option,
                                    double *ret_number, struct duet_error *reterr)
{
    double number = 0.0;
    enum duet_code code = parse_number(value, option, &number, reterr);
    if (code == DUET_OK && !(number > 0.0)) {
        return error_set(reterr, DUET_E_USAGE, "%s %s: it must be above 0", option,
                         value);
    }
    if (code == DUET_OK) {
        *ret_number = number;
    }
    return code;
}

/* When the rule is asked, and what. */
static bool take_rule(struct watch_words *words, int id, const char *value,
                      enum duet_code *ret_code, struct duet_error *reterr)
{
    struct model_watch *watch = &words->request.watch;
    enum analysis_stop_rule rule;
    struct stats_statistic statistic;
    *ret_code = DUET_OK;
    switch (id) {
    case OPTION_EVERY:
        *ret_code = parse_duration_ns(value, "--every", &watch->every_ns, reterr);
        return true;
    case OPTION_PER_HOUR:
        words->per_hour_given = true;
        *ret_code =
            take_positive(value, "--executions-per-hour", &watch->per_hour, reterr);
        return true;
    case OPTION_BATCH:
        *ret_code =
            parse_whole(value, "--batch", 1, 1000000, &watch->batch_size, reterr);
        return true;
    case OPTION_RULE:
        watch->rule = value;
        *ret_code = stop_option_rule(value, "--rule", &rule, reterr);
        return true;
    case OPTION_STATISTIC:
        watch->statistic = value;
        *ret_code = stop_option_statistic(value, "--statistic", &statistic, reterr);
        return true;
    case OPTION_ERROR:
        *ret_code = stop_option_error(value, "--error", &watch->error, reterr);
        return true;
    case OPTION_CONFIDENCE:
        *ret_code =
            stop_option_error(value, "--confidence", &watch->confidence, reterr);
        return true;
    case OPTION_REPLICATES:
        *ret_code = parse_whole(value, "--replicates", 100, 1000000, &watch->replicates,
                                reterr);
        return true;
    default:
        return false;
    }
}

/* What is executed, and around it. */
static bool take_execution(struct watch_words *words, int id, const char *value,
                           enum duet_code *ret_code, struct duet_error *reterr)
{
    struct watch_request *request = &words->request;
    *ret_code = DUET_OK;
    switch (id) {
    case OPTION_METRIC:
        words->metric = value;
        return true;
    case OPTION_PATTERN:
        request->watch.pattern = value;
        return true;
    case OPTION_PROVISION:
        request->watch.provision = value;
        return true;
    case OPTION_RELEASE:
        request->watch.release = value;
        return true;
    case OPTION_ATTEMPTS:
        *ret_code =
            parse_whole(value, "--attempts", 1, 1000, &request->watch.attempts, reterr);
        return true;
    case OPTION_RETRY:
        *ret_code =
            parse_duration_ns(value, "--retry-after", &request->watch.retry_ns, reterr);
        return true;
    case RUN_OPTION_PREPARE:
        request->prepare = value;
        return true;
    case RUN_OPTION_CONCLUDE:
        request->conclude = value;
        return true;
    case RUN_OPTION_SHELL:
        request->shell = strcmp(value, "default") == 0 ? "/bin/sh" : value;
        return true;
    case RUN_OPTION_TIMEOUT:
        *ret_code = parse_duration_ns(value, "--timeout", &request->timeout_ns, reterr);
        return true;
    case RUN_OPTION_IGNORE_FAILURE:
        request->ignore_failure = true;
        return true;
    case RUN_OPTION_CPUS:
        request->watch.cpus = value;
        return true;
    case RUN_OPTION_NAME:
        request->watch.name = value;
        return true;
    case SHARED_OPTION_SEED:
        *ret_code = parse_whole(value, "--seed", 0, INT64_MAX, &request->seed, reterr);
        return true;
    default:
        return false;
    }
}

/* What is no setting of the watch. */
static enum duet_code take_rest(struct watch_words *words, int id, const char *value,
                                struct duet_error *reterr)
{
    struct watch_request *request = &words->request;
    switch (id) {
    case OPTION_INTERVALS:
        request->intervals_given = true;
        return parse_whole(value, "--max-intervals", 0, 1000000,
                           &request->watch.intervals_max, reterr);
    case OPTION_RESUME:
        request->resume = true;
        return DUET_OK;
    case OPTION_STATUS:
        words->status = true;
        return DUET_OK;
    case OPTION_DERIVE:
        words->series = value;
        return DUET_OK;
    case OPTION_LOSS:
        return take_positive(value, "--loss", &words->loss, reterr);
    case OPTION_FAIL_ON:
        request->fail_unsure = true;
        return strcmp(value, "unsure") == 0
                   ? DUET_OK
                   : error_set(reterr, DUET_E_USAGE,
                               "--fail-on %s: a watch can only be unsure", value);
    case OPTION_JSON:
        request->json = true;
        return DUET_OK;
    case OPTION_QUIET:
        request->quiet = true;
        return DUET_OK;
    case OPTION_VERBOSE:
        request->verbose = true;
        return DUET_OK;
    case SHARED_OPTION_STORE:
        request->store = value;
        return DUET_OK;
    default:
        return error_set(reterr, DUET_E_INTERNAL, "option %d is in no table", id);
    }
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct watch_words *words = context;
    enum duet_code code = DUET_OK;
    if (take_rule(words, id, parsed->value, &code, reterr) ||
        take_execution(words, id, parsed->value, &code, reterr)) {
        for (const struct cli_option *row = watch_rows; row->name != NULL; row++) {
            words->setting = row->id == id ? row->name : words->setting;
        }
        return code;
    }
    return take_rest(words, id, parsed->value, reterr);
}

/* --metric and --pattern as the store has them. */
static enum duet_code settle_metric(struct watch_words *words,
                                    struct duet_error *reterr)
{
    struct model_watch *watch = &words->request.watch;
    const char *metric = words->metric == NULL ? "time" : words->metric;
    if (strcmp(metric, "throughput") == 0) {
        watch->metric = "throughput";
        watch->higher_is_better = true;
        return watch->pattern != NULL
                   ? DUET_OK
                   : error_set(reterr, DUET_E_USAGE,
                               "--metric throughput: a number that the command prints; "
                               "say with --pattern how to find it");
    }
    if (strcmp(metric, "time") == 0) {
        bool printed = watch->pattern != NULL;
        watch->metric = printed ? "printed_time" : "time";
        watch->unit = printed ? "" : "ns";
        return DUET_OK;
    }
    if (watch->pattern != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--metric '%s' is a regular expression already: leave "
                         "--pattern out, or take --metric time or throughput",
                         metric);
    }
    watch->metric = "printed";
    watch->pattern = metric;
    return DUET_OK;
}

static enum duet_code settle_new(struct watch_words *words, int count,
                                 struct duet_error *reterr)
{
    const struct watch_request *request = &words->request;
    struct analysis_timetable timetable;
    if (count != 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "one command is needed, got %d; quote it: duet watch 'command "
                         "--option'",
                         count);
    }
    enum duet_code code = settle_metric(words, reterr);
    if (code == DUET_OK && request->watch.release != NULL &&
        request->watch.provision == NULL) {
        code = error_set(reterr, DUET_E_USAGE,
                         "--release without --provision: nothing would be there to "
                         "release; for a command after each execution take --conclude");
    }
    if (code == DUET_OK) {
        code =
            analysis_timetable_make(0, request->watch.every_ns, request->watch.per_hour,
                                    request->watch.batch_size, &timetable, reterr);
    }
    return code;
}

static enum duet_code check_words(struct watch_words *words, int count,
                                  struct duet_error *reterr)
{
    const struct watch_request *request = &words->request;
    bool derives = words->series != NULL;
    if ((request->resume && words->status) || (request->resume && derives) ||
        (words->status && derives)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--resume, --status and --derive: one of them at a time");
    }
    if (!derives && request->store != NULL && strcmp(request->store, "none") == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--store none: a watch needs a store, by which it survives a "
                         "restart");
    }
    if ((request->resume || words->status) && words->setting != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s: a watch keeps the settings that it began with",
                         words->setting);
    }
    if ((request->resume || words->status) && count > 1) {
        return error_set(reterr, DUET_E_USAGE, "one watch at a time, got %d names",
                         count);
    }
    if (derives && count > 0) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--derive executes no command, and takes one series or folder");
    }
    return request->resume || words->status || derives
               ? DUET_OK
               : settle_new(words, count, reterr);
}

static int show_status(const struct watch_request *request)
{
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request->store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = request->command != NULL
                     ? watch_status_show(store, request->command, request->json)
                     : watch_status_show_all(store, request->json);
    store_close(store);
    return status;
}

static int watch_main(const struct cli_command *command, int argc, char **argv)
{
    struct watch_words words = {
        .request = {.watch = {.every_ns = UINT64_C(86400000000000),
                              .per_hour = 4.0,
                              .batch_size = 1,
                              .rule = "metior",
                              .statistic = "mean",
                              .error = 0.03,
                              .confidence = 0.95,
                              .replicates = 1000,
                              .unit = "",
                              .attempts = 3,
                              .retry_ns = UINT64_C(10000000000),
                              .intervals_max = 21}},
        .loss = 0.1};
    struct watch_request *request = &words.request;
    struct duet_error error;
    char **operands = NULL;
    int count = 0;
    if (getrandom(&request->seed, sizeof request->seed, 0) < 0) {
        request->seed = 2;
    }
    request->seed >>= 1U; /* a JSON integer */
    int status =
        cli_options_parse(command, argc, argv, take, &words, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (check_words(&words, count, &error) != DUET_OK) {
        return cli_usage(command, "%s", error.message);
    }
    request->command = count > 0 ? operands[0] : NULL;
    if (words.series != NULL) {
        double per_hour = words.per_hour_given ? request->watch.per_hour : 0.0;
        return watch_derive(words.series, per_hour, words.loss, request->json);
    }
    return words.status ? show_status(request) : watch_session_run(request);
}

const struct cli_command command_watch = {
    .name = "watch",
    .synopsis = "[OPTIONS] COMMAND|NAME",
    .summary = "execute a command for days, until its performance is known",
    .description =
        "On a machine whose speed changes over hours and days, a performance that was "
        "measured in a minute is none. This executes the command a few times an hour "
        "and, after each interval, asks a stop rule whether the result would still "
        "change (Metior: He et al. 2021). It then prints the result with its error. "
        "With "
        "--resume and --status, NAME is a watch that has begun.\n"
        "\n"
        "Each execution is in the store as soon as it has ended. After an "
        "interruption, "
        "a crash or a restart of the machine --resume goes on, in the folder where the "
        "watch began; executions that were due meanwhile are skipped, and that is "
        "said. docs/watch.md tells more.\n"
        "\n"
        "Exit status: 0 the result is known, or --max-intervals are over; 2 wrong "
        "usage, no such watch, or another process is at it; 3 --max-intervals are over "
        "and --fail-on names unsure; 4 the command failed or did not print the number, "
        "or --provision or --release failed in all attempts; 5 this machine cannot do "
        "it; 130 interrupted.",
    .options = watch_rows,
    .main = watch_main,
};
