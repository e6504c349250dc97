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
    alone.times_ns = alloc_array(FIRST_CAPACITY, sizeof *alone.times_ns);
    alone.capacity = FIRST_CAPACITY;
    if (alone.name == NULL || alone.times_ns == NULL) {
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
        free(alone->times_ns);
        *alone = (struct harness_alone){0};
    }
}

static bool make_room(struct harness_alone *alone)
{
    if (alone->count < alone->capacity) {
        return true;
    }
    uint64_t *times_ns =
        alloc_resize(alone->times_ns, 2 * alone->capacity, sizeof *times_ns);
    if (times_ns == NULL) {
        (void)error_set(&alone->error, DUET_E_NOMEM,
                        "no memory for the times of more than %" PRIu64 " iterations",
                        alone->count);
        return false;
    }
    alone->times_ns = times_ns;
    alone->capacity *= 2;
    return true;
}

bool harness_alone_next(struct harness_alone *alone)
{
    uint64_t now_ns = clock_mono_ns();
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
    if (alone->count > 0 &&
        (alone->count >= alone->iterations || elapsed_ns >= alone->time_ns)) {
        return false;
    }
    return make_room(alone);
}

void harness_alone_record(struct harness_alone *alone, uint64_t time_ns)
{
    if (alone->warm && alone->count < alone->capacity) {
        alone->times_ns[alone->count++] = time_ns;
    }
}

static int compare_times(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
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

static void summary_append(struct text *text, const char *name, const uint64_t *sorted,
                           uint64_t count)
{
    double n = (double)count;
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        sum += (double)sorted[i];
    }
    double mean = sum / n;
    double squares = 0.0; /* of differences: two passes lose no digits */
    for (uint64_t i = 0; i < count; i++) {
        double difference = (double)sorted[i] - mean;
        squares += difference * difference;
    }
    uint64_t low = sorted[(count - 1) / 2];
    uint64_t high = sorted[count / 2];
    double median = (double)low + (double)(high - low) / 2.0;

    double divisor = 1.0;
    const char *unit = unit_of(mean, &divisor);
    double shown = mean / divisor;
    int decimals = shown >= 100.0 ? 1 : shown >= 10.0 ? 2 : 3;
    text_append_format(text, "%s: %.*f", name, decimals, shown);
    if (count > 1) {
        double sd = square_root(squares / (n - 1.0));
        text_append_format(text, " \xc2\xb1 %.*f", decimals, sd / divisor);
    }
    text_append_format(
        text, " %s, median %.*f, min %.*f, max %.*f (%" PRIu64 " iteration%s)\n", unit,
        decimals, median / divisor, decimals, (double)sorted[0] / divisor, decimals,
        (double)sorted[count - 1] / divisor, count, count == 1 ? "" : "s");
}

enum duet_code harness_alone_report(struct harness_alone *alone, char **ret_text,
                                    struct duet_error *reterr)
{
    if (alone->error.code != DUET_OK) {
        return error_set(reterr, alone->error.code, "%s", alone->error.message);
    }
    if (alone->count == 0) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            "%s: no iteration was measured; call duet_begin() and duet_end() in a "
            "loop over duet_next()",
            alone->name);
    }
    struct text text = {0};
    for (uint64_t i = 0; alone->list_times && i < alone->count; i++) {
        text_append_format(&text, "%" PRIu64 "\n", alone->times_ns[i]);
    }
    qsort(alone->times_ns, alone->count, sizeof *alone->times_ns, compare_times);
    summary_append(&text, alone->name, alone->times_ns, alone->count);
    char *string = text_take(&text);
    if (string == NULL) {
        text_release(&text);
        return error_set(reterr, DUET_E_NOMEM, "no memory for the measured times");
    }
    *ret_text = string;
    return DUET_OK;
}
