#include "report/advice_words.h"

#include "report/digits.h"

#include <math.h>
#include <string.h>

/* From this on nobody waits for it. */
static const double too_long_s = 24.0 * 3600.0;

/* What one line says of a benchmark, or of several with the same limit. */
struct limited {
    enum model_limit limit;
    size_t count;
    double cpu_bias;     /* the largest */
    double seconds;      /* the most; NaN: none is known */
    const char *options; /* NULL: they differ */
};

static void append_limit(struct text *text, const struct limited *limited)
{
    switch (limited->limit) {
    case MODEL_LIMIT_NOISE:
        text_append(text, "noise");
        break;
    case MODEL_LIMIT_FEW_RUNS:
        text_append(text, "too few runs");
        break;
    case MODEL_LIMIT_TIME:
        text_append(
            text,
            "time: a change of 1 % would have been seen; a smaller one takes longer");
        break;
    case MODEL_LIMIT_OTHERS:
        text_append(text, "other programs on these CPUs");
        break;
    case MODEL_LIMIT_WAITING:
        text_append(
            text,
            "programs that wait: they are on the CPU for the smaller part of their time");
        break;
    case MODEL_LIMIT_CPUS:
        text_append(text, "the CPUs: one is ");
        digits_append_pct(text, limited->cpu_bias);
        text_append(text, " slower than the other");
        break;
    case MODEL_LIMIT_SLOW_ITERATIONS:
        text_append(text, "few slow iterations, in which the sides differ");
        break;
    case MODEL_LIMIT_NONE:
    case MODEL_LIMITS:
        break;
    }
}

static void append_time(struct text *text, const struct limited *limited)
{
    double seconds = limited->seconds;
    if (!isfinite(seconds)) {
        return;
    }
    if (seconds >= too_long_s) {
        text_append(text, "; seeing 1 % takes more than a day at this rate");
        return;
    }
    bool minutes = seconds >= 120.0;
    bool hours = seconds >= 2.0 * 3600.0;
    double shown = hours ? seconds / 3600.0 : minutes ? seconds / 60.0 : seconds;
    text_append_format(text, "; seeing 1 %% takes %s %.0f %s at this rate",
                       limited->count > 1 ? "up to" : "about", ceil(shown),
                       hours     ? "h"
                       : minutes ? "min"
                                 : "s");
}

/* Files of other programs: they have to be measured by these. */
static void append_elsewhere(struct text *text, const struct limited *limited)
{
    bool known = isfinite(limited->seconds); /* then they were measured here */
    if (limited->options != NULL && limited->options[0] == '\0' && !known) {
        text_append(text, "; measure more with the program that wrote the values");
    }
}

static void add(struct limited *limited, const struct model_comparison *comparison)
{
    const struct model_advice *advice = &comparison->advice;
    bool first = limited->count == 0;
    limited->cpu_bias = fmax(limited->cpu_bias, fabs(comparison->conditions.cpu_bias));
    limited->seconds = fmax(limited->seconds, advice->seconds);
    if (first) {
        limited->options = advice->options;
    } else if (limited->options != NULL &&
               strcmp(limited->options, advice->options) != 0) {
        limited->options = NULL;
    }
    limited->count++;
}

void advice_words_append_limit(struct text *text,
                               const struct model_comparison *comparison)
{
    struct limited limited = {.limit = comparison->advice.limit,
                              .seconds = (double)NAN};
    if (limited.limit != MODEL_LIMIT_NONE) {
        add(&limited, comparison);
        append_limit(text, &limited);
        append_time(text, &limited);
        append_elsewhere(text, &limited);
    }
}

void advice_words_append_limits(struct text *text,
                                const struct model_comparison *comparisons,
                                size_t count, enum model_limit limit)
{
    enum { NAMES_MAX = 3 };
    struct text names = {0};
    struct limited limited = {.limit = limit, .seconds = (double)NAN};
    for (size_t i = 0; i < count; i++) {
        if (comparisons[i].advice.limit != limit) {
            continue;
        }
        if (limited.count < NAMES_MAX) {
            text_append(&names, limited.count == 0 ? "" : ", ");
            text_append(&names, comparisons[i].name);
        }
        add(&limited, &comparisons[i]);
    }
    if (limited.count > NAMES_MAX) {
        text_append_format(&names, " and %zu more", limited.count - NAMES_MAX);
    }
    if (limited.count > 0) {
        text_append_format(text, "%s: ", text_string(&names));
        append_limit(text, &limited);
        append_time(text, &limited);
        append_elsewhere(text, &limited);
        if (limited.options != NULL && limited.options[0] != '\0') {
            text_append_format(text, "; try %s", limited.options);
        }
    }
    text->failed = text->failed || names.failed;
    text_release(&names);
}

void advice_words_append_try(struct text *text,
                             const struct model_comparison *comparison)
{
    const struct model_advice *advice = &comparison->advice;
    if (advice->command[0] != '\0') {
        text_append(text, advice->command);
    } else if (advice->options[0] != '\0') {
        text_append_format(text, "duet %s OLD NEW", advice->options);
    }
}
