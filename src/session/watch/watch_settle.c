#include "session/watch/watch_settle.h"

#include "analysis/plan/timetable.h"
#include "session/watch/watch_metric.h"

#include <string.h>
#include <sys/random.h>

void watch_request_init(struct watch_request *ret_request)
{
    *ret_request =
        (struct watch_request){.watch = {.every_ns = UINT64_C(86400000000000),
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
                                         .intervals_max = 21}};
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) < 0) {
        seed = 2;
    }
    ret_request->seed = seed >> 1U; /* a JSON integer */
}

/* As the store has them. */
static enum duet_code settle_metric(struct model_watch *watch, const char *metric,
                                    struct duet_error *reterr)
{
    metric = metric == NULL ? "time" : metric;
    if (strcmp(metric, "throughput") == 0) {
        watch->metric = "throughput";
        watch->higher_is_better = true;
        return watch->pattern != NULL
                   ? DUET_OK
                   : error_set(reterr, DUET_E_USAGE,
                               "--metric throughput needs --pattern REGEX, which finds "
                               "the number in the command's output");
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
                         "--pattern out, or use --metric time or throughput",
                         metric);
    }
    watch->metric = "printed";
    watch->pattern = metric;
    return DUET_OK;
}

enum duet_code watch_request_settle(struct watch_request *request, const char *metric,
                                    struct duet_error *reterr)
{
    struct model_watch *watch = &request->watch;
    struct analysis_timetable timetable;
    struct watch_metric opened = {.output_fd = -1};
    enum duet_code code = settle_metric(watch, metric, reterr);
    if (code == DUET_OK) {
        code = watch_metric_open(watch->pattern, &opened, reterr);
        watch_metric_close(&opened);
    }
    if (code == DUET_OK && watch->release != NULL && watch->provision == NULL) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "--release needs --provision; to run a command after each execution use "
            "--conclude");
    }
    if (code == DUET_OK) {
        code = analysis_timetable_make(0, watch->every_ns, watch->per_hour,
                                       watch->batch_size, &timetable, reterr);
    }
    return code;
}
