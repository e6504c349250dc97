#include "harness/harness_alone.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "base/text.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024, MOST_ITERATIONS = 1000000 };
static const uint64_t default_time_ns = 1000000000U;

/* A variable that is set to nothing counts as not set. In a program that has rights its
 * caller has not (set-user-ID), nothing is taken from the caller's variables. */
static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

enum duet_code harness_alone_init(struct harness_alone *ret_alone, const char *name,
                                  struct duet_error *reterr)
{
    struct harness_alone alone = {.iterations = MOST_ITERATIONS,
                                  .time_ns = default_time_ns};
    const char *iterations = variable(HARNESS_ITERATIONS_VARIABLE);
    const char *time = variable(HARNESS_TIME_VARIABLE);
    const char *list = variable(HARNESS_TIMES_VARIABLE);
    if (time != NULL) {
        enum duet_code code =
            parse_duration_ns(time, HARNESS_TIME_VARIABLE, &alone.time_ns, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    if (iterations != NULL) {
        enum duet_code code = parse_whole(iterations, HARNESS_ITERATIONS_VARIABLE, 1,
                                          UINT64_MAX / 16, &alone.iterations, reterr);
        if (code != DUET_OK) {
            return code;
        }
        if (time == NULL) {
            alone.time_ns = UINT64_MAX;
        }
    }
    alone.list_times = list != NULL && strcmp(list, "0") != 0;
    alone.name = alloc_string(name);
    alone.whole.times_ns = alloc_array(FIRST_CAPACITY, sizeof *alone.whole.times_ns);
    alone.whole.capacity = FIRST_CAPACITY;
    if (alone.name == NULL || alone.whole.times_ns == NULL) {
        harness_alone_release(&alone);
        return error_set(reterr, DUET_E_NOMEM, "no memory for the measured times");
    }
    *ret_alone = alone;
    return DUET_OK;
}

void harness_alone_release(struct harness_alone *alone)
{
    if (alone != NULL) {
        free(alone->name);
        free(alone->whole.times_ns);
        for (size_t i = 0; i < SYNC_REGIONS_MAX; i++) {
            free(alone->parts[i].times_ns);
        }
        *alone = (struct harness_alone){0};
    }
}

/* For one time more. */
static bool make_room(struct harness_alone *alone, struct harness_times *times)
{
    if (times->count < times->capacity) {
        return true;
    }
    uint64_t capacity = times->capacity == 0 ? FIRST_CAPACITY : 2 * times->capacity;
    double *times_ns = alloc_resize(times->times_ns, capacity, sizeof *times_ns);
    if (times_ns == NULL) {
        (void)error_set(&alone->error, DUET_E_NOMEM,
                        "no memory for the times of more than %" PRIu64 " iterations",
                        times->count);
        return false;
    }
    times->times_ns = times_ns;
    times->capacity = capacity;
    return true;
}

bool harness_alone_next(struct harness_alone *alone)
{
    uint64_t now_ns = clock_mono_ns();
    alone->operations = 1;
    alone->took_ns = UINT64_MAX;
    if (alone->opened_ns == 0) {
        alone->opened_ns = now_ns;
        return true;
    }
    uint64_t elapsed_ns = now_ns - alone->opened_ns;
    if (!alone->warm) {
        /* With a number of iterations and no time there is one warm-up iteration. */
        bool timeless = alone->time_ns == UINT64_MAX;
        alone->warm = timeless || elapsed_ns >= alone->time_ns / 10;
        return true;
    }
    /* At least one is measured, however slow the warm-up was. */
    uint64_t count = alone->whole.count;
    if (count > 0 && (count >= alone->iterations || elapsed_ns >= alone->time_ns)) {
        return false;
    }
    return alone->error.code == DUET_OK && make_room(alone, &alone->whole);
}

void harness_alone_begin(struct harness_alone *alone)
{
    harness_regions_begin(&alone->regions);
    alone->start_ns = clock_mono_ns();
}

const char *harness_alone_region(struct harness_alone *alone, const char *name)
{
    bool added = false;
    return harness_regions_enter(&alone->regions, name, clock_mono_ns(), 0, &added);
}

void harness_alone_end(struct harness_alone *alone, uint64_t now_ns)
{
    struct harness_times *whole = &alone->whole;
    double operations = (double)alone->operations;
    harness_regions_leave(&alone->regions, now_ns, 0);
    if (!alone->warm) {
        return;
    }
    if (whole->count < whole->capacity) {
        uint64_t took_ns = now_ns - alone->start_ns;
        took_ns = alone->took_ns < took_ns ? alone->took_ns : took_ns;
        whole->times_ns[whole->count++] = (double)took_ns / operations;
    }
    for (uint32_t i = 0; i < alone->regions.count; i++) {
        const struct harness_visits *visits = &alone->regions.visits[i];
        struct harness_times *part = &alone->parts[i];
        if (visits->any && make_room(alone, part)) {
            part->times_ns[part->count++] = (double)visits->spent_ns / operations;
        }
    }
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Heron's iteration from above; by hand, so that a benchmark need not link libm. */
static double square_root(double x)
{
    if (!(x > 0.0)) {
        return 0.0;
    }
    double root = x > 1.0 ? x : 1.0;
    for (;;) {
        double better = (root + x / root) / 2.0;
        if (!(better < root)) {
            return root;
        }
        root = better;
    }
}

/* The unit in which `ns` has one to three digits before the point, where one does. */
static const char *unit_of(double ns, double *ret_divisor)
{
    static const struct {
        double divisor;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ns >= units[i].divisor) {
            *ret_divisor = units[i].divisor;
            return units[i].name;
        }
    }
    *ret_divisor = 1.0;
    return "ns";
}

/* Sorts the times. */
static void summary_append(struct text *text, const char *name, const char *part,
                           const struct harness_times *times)
{
    double *sorted = times->times_ns;
    uint64_t count = times->count;
    qsort(sorted, count, sizeof *sorted, compare_times);
    double n = (double)count;
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        sum += sorted[i];
    }
    double mean = sum / n;
    double squares = 0.0; /* of differences: two passes lose no digits */
    for (uint64_t i = 0; i < count; i++) {
        double difference = sorted[i] - mean;
        squares += difference * difference;
    }
    double low = sorted[(count - 1) / 2];
    double median = low + (sorted[count / 2] - low) / 2.0;

    double divisor = 1.0;
    const char *unit = unit_of(mean, &divisor);
    double shown = mean / divisor;
    int decimals = shown >= 100.0 ? 1 : shown >= 10.0 ? 2 : 3;
    text_append_format(text, "%s%s%s: %.*f", name, part[0] != '\0' ? ": " : "", part,
                       decimals, shown);
    if (count > 1) {
        double sd = square_root(squares / (n - 1.0));
        text_append_format(text, " \xc2\xb1 %.*f", decimals, sd / divisor);
    }
    text_append_format(
        text, " %s, median %.*f, min %.*f, max %.*f (%" PRIu64 " iteration%s)\n", unit,
        decimals, median / divisor, decimals, sorted[0] / divisor, decimals,
        sorted[count - 1] / divisor, count, count == 1 ? "" : "s");
}

enum duet_code harness_alone_report(struct harness_alone *alone, char **ret_text,
                                    struct duet_error *reterr)
{
    if (alone->error.code != DUET_OK) {
        return error_set(reterr, alone->error.code, "%s", alone->error.message);
    }
    if (alone->whole.count == 0) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "%s: no iteration was measured; call duet_begin() and duet_end() in a "
            "loop over duet_next()",
            alone->name);
    }
    struct text text = {0};
    for (uint64_t i = 0; alone->list_times && i < alone->whole.count; i++) {
        text_append_format(&text, "%.15g\n", alone->whole.times_ns[i]);
    }
    summary_append(&text, alone->name, "", &alone->whole);
    for (uint32_t i = 0; i < alone->regions.count; i++) {
        if (alone->parts[i].count > 0) {
            summary_append(&text, alone->name, alone->regions.names[i],
                           &alone->parts[i]);
        }
    }
    char *string = text_take(&text);
    if (string == NULL) {
        text_release(&text);
        return error_set(reterr, DUET_E_NOMEM, "no memory for the measured times");
    }
    *ret_text = string;
    return DUET_OK;
}
