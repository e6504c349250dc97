#include "cli/watch/watch_option.h"

#include "analysis/plan/timetable.h"
#include "base/parse.h"
#include "cli/shared_option.h"
#include "session/stop_option.h"
#include "session/watch/watch_metric.h"

#include <string.h>
#include <sys/random.h>

void watch_words_init(struct watch_words *words)
{
    *words =
        (struct watch_words){.request = {.watch = {.every_ns = UINT64_C(86400000000000),
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
    if (getrandom(&words->request.seed, sizeof words->request.seed, 0) < 0) {
        words->request.seed = 2;
    }
    words->request.seed >>= 1U; /* a JSON integer */
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
            parse_positive(value, "--executions-per-hour", &watch->per_hour, reterr);
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
    case OPTION_PREPARE:
        request->prepare = value;
        return true;
    case OPTION_CONCLUDE:
        request->conclude = value;
        return true;
    case OPTION_SHELL:
        request->shell = strcmp(value, "default") == 0 ? "/bin/sh" : value;
        return true;
    case OPTION_TIMEOUT:
        *ret_code = parse_duration_ns(value, "--timeout", &request->timeout_ns, reterr);
        return true;
    case OPTION_IGNORE_FAILURE:
        request->ignore_failure = true;
        return true;
    case OPTION_CPUS:
        request->watch.cpus = value;
        return true;
    case OPTION_NAME:
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
        return parse_positive(value, "--loss", &words->loss, reterr);
    case OPTION_FAIL_ON:
        words->fail_unsure = true;
        return strcmp(value, "unsure") == 0
                   ? DUET_OK
                   : error_set(reterr, DUET_E_USAGE,
                               "--fail-on %s: a watch can only be unsure", value);
    case OPTION_JSON:
        words->json = true;
        return DUET_OK;
    case OPTION_QUIET:
        words->quiet = true;
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

enum duet_code watch_words_take(struct watch_words *words,
                                const struct cli_option *rows, int id,
                                const char *value, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (take_rule(words, id, value, &code, reterr) ||
        take_execution(words, id, value, &code, reterr)) {
        for (const struct cli_option *row = rows; row->name != NULL; row++) {
            words->setting = row->id == id ? row->name : words->setting;
        }
        return code;
    }
    return take_rest(words, id, value, reterr);
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
                   : error_set(
                         reterr, DUET_E_USAGE,
                         "--metric throughput: a number that the command prints; say with --pattern how to find it");
    }
    if (strcmp(metric, "time") == 0) {
        bool printed = watch->pattern != NULL;
        watch->metric = printed ? "printed_time" : "time";
        watch->unit = printed ? "" : "ns";
        return DUET_OK;
    }
    if (watch->pattern != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--metric '%s' is a regular expression already: "
                         "leave --pattern out, or take --metric time or throughput",
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
    struct watch_metric metric = {.output_fd = -1};
    if (count != 1) {
        return error_set(
            reterr, DUET_E_USAGE,
            "one command is needed, got %d; quote it: duet watch 'command --option'",
            count);
    }
    enum duet_code code = settle_metric(words, reterr);
    if (code == DUET_OK) {
        code = watch_metric_open(request->watch.pattern, &metric, reterr);
        watch_metric_close(&metric);
    }
    if (code == DUET_OK && request->watch.release != NULL &&
        request->watch.provision == NULL) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "--release without --provision: nothing would be there to release; "
            "for a command after each execution take --conclude");
    }
    if (code == DUET_OK) {
        code =
            analysis_timetable_make(0, request->watch.every_ns, request->watch.per_hour,
                                    request->watch.batch_size, &timetable, reterr);
    }
    return code;
}

enum duet_code watch_words_settle(struct watch_words *words, int count,
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
        return error_set(
            reterr, DUET_E_USAGE,
            "--store none: a watch needs a store, by which it survives a restart");
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
