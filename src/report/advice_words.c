#include "report/advice_words.h"

#include "report/digits.h"

#include <math.h>

/* From this on nobody waits for it. */
static const double too_long_s = 24.0 * 3600.0;

static void append_limit(struct text *text, const struct model_comparison *comparison)
{
    switch (comparison->advice.limit) {
    case MODEL_LIMIT_NOISE:
        text_append(text, "noise");
        break;
    case MODEL_LIMIT_FEW_RUNS:
        text_append(text, "too few runs");
        break;
    case MODEL_LIMIT_TIME:
        text_append(text, "time: the change is close to a limit");
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
        digits_append_pct(text, fabs(comparison->conditions.cpu_bias));
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

static void append_time(struct text *text, double seconds)
{
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
    text_append_format(text, "; seeing 1 %% takes about %.0f %s at this rate",
                       ceil(shown),
                       hours     ? "h"
                       : minutes ? "min"
                                 : "s");
}

void advice_words_append_limit(struct text *text,
                               const struct model_comparison *comparison)
{
    if (comparison->advice.limit != MODEL_LIMIT_NONE) {
        append_limit(text, comparison);
        append_time(text, comparison->advice.seconds);
    }
}

void advice_words_append_try(struct text *text,
                             const struct model_comparison *comparison)
{
    const struct model_advice *advice = &comparison->advice;
    text_append(text, advice->command[0] != '\0' ? advice->command : advice->options);
}
