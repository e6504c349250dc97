#include "cli/watch/watch_option.h"

#include "base/parse.h"
#include "session/stop_option.h"
#include "session/watch/watch_settle.h"

#include <string.h>

void watch_words_init(struct watch_words *words)
{
    *words = (struct watch_words){.loss = 0.1};
    watch_request_init(&words->request);
}

#define AT struct watch_words
const struct field watch_fields[] = {
    FIELD_FLAG("--resume", AT, request.resume),
    FIELD_FLAG("--status", AT, status),
    FIELD_TEXT("--derive", AT, series),
    FIELD_DOUBLE("--loss", FIELD_IS_POSITIVE, AT, loss),
    FIELD_FLAG("--json", AT, json),
    FIELD_FLAG("--quiet", AT, quiet),
    FIELD_FLAG("--verbose", AT, request.verbose),
    FIELD_TEXT("--store", AT, request.store),
    FIELD_END};

static const struct field settings[] = {
    FIELD_DURATION("--every", AT, request.watch.every_ns),
    FIELD_DOUBLE("--executions-per-hour", FIELD_IS_POSITIVE, AT,
                 request.watch.per_hour),
    FIELD_DOUBLE("--error", FIELD_IS_SHARE, AT, request.watch.error),
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, AT, request.watch.confidence),
    FIELD_WHOLE("--batch", AT, request.watch.batch_size, 1, 1000000),
    FIELD_WHOLE("--replicates", AT, request.watch.replicates, 100, 1000000),
    FIELD_TEXT("--metric", AT, metric),
    FIELD_TEXT("--pattern", AT, request.watch.pattern),
    FIELD_TEXT("--provision", AT, request.watch.provision),
    FIELD_TEXT("--release", AT, request.watch.release),
    FIELD_WHOLE("--attempts", AT, request.watch.attempts, 1, 1000),
    FIELD_DURATION_OR_0("--retry-after", AT, request.watch.retry_ns),
    FIELD_TEXT("--prepare", AT, request.prepare),
    FIELD_TEXT("--conclude", AT, request.conclude),
    FIELD_DURATION("--timeout", AT, request.timeout_ns),
    FIELD_FLAG("--ignore-failure", AT, request.ignore_failure),
    FIELD_TEXT("--cpus", AT, request.watch.cpus),
    FIELD_TEXT("--name", AT, request.watch.name),
    FIELD_WHOLE("--seed", AT, request.seed, 0, INT64_MAX),
    FIELD_END};
#undef AT

static enum duet_code take_fail_on(struct watch_words *words, const char *value,
                                   struct duet_error *reterr)
{
    words->fail_unsure = true;
    return strcmp(value, "unsure") == 0
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "--fail-on %s: a watch takes only unsure", value);
}

enum duet_code watch_words_take(void *context, struct cli_options *parsed, int id,
                                struct duet_error *reterr)
{
    struct watch_words *words = context;
    struct watch_request *request = &words->request;
    struct model_watch *watch = &request->watch;
    const char *value = parsed->value;
    enum analysis_stop_rule rule;
    struct stats_statistic statistic;
    enum duet_code code = DUET_OK;
    if (id == OPTION_FAIL_ON) {
        return take_fail_on(words, value, reterr);
    }
    if (id == OPTION_INTERVALS) {
        request->intervals_given = true;
        return parse_whole(value, "--max-intervals", 0, 1000000, &watch->intervals_max,
                           reterr);
    }
    const char *executing = words->executing;
    words->setting = parsed->name;
    words->executing = parsed->name;
    switch (id) {
    case OPTION_RULE:
        watch->rule = value;
        return stop_option_rule(value, "--rule", &rule, reterr);
    case OPTION_STATISTIC:
        watch->statistic = value;
        return stop_option_statistic(value, "--statistic", &statistic, reterr);
    case OPTION_SHELL:
        request->shell = strcmp(value, "default") == 0 ? "/bin/sh" : value;
        return DUET_OK;
    default:
        if (strcmp(parsed->name, "executions-per-hour") == 0) {
            words->per_hour_given = true;
            words->executing = executing;
        }
        (void)field_take(settings, words, parsed->name, value, &code, reterr);
        return code;
    }
}

static enum duet_code settle_new(struct watch_words *words, int count,
                                 struct duet_error *reterr)
{
    return count == 1
               ? watch_request_settle(&words->request, words->metric, reterr)
               : error_set(reterr, DUET_E_USAGE,
                           "expected one COMMAND, got %d words; quote it: duet watch "
                           "'command --option'",
                           count);
}

enum duet_code watch_words_settle(struct watch_words *words, int count,
                                  struct duet_error *reterr)
{
    const struct watch_request *request = &words->request;
    bool derives = words->series != NULL;
    if ((request->resume && words->status) || (request->resume && derives) ||
        (words->status && derives)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--resume, --status and --derive: give only one of them");
    }
    if (!derives && request->store != NULL && strcmp(request->store, "none") == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--store none: a watch needs a store to survive a restart");
    }
    if ((request->resume || words->status) && words->setting != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s: a watch keeps its original settings; leave this out",
                         words->setting);
    }
    if ((request->resume || words->status) && count > 1) {
        return error_set(reterr, DUET_E_USAGE, "expected one watch, got %d names",
                         count);
    }
    if (derives && words->executing != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s: --derive executes no command; leave this out",
                         words->executing);
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
