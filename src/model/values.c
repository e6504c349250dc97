#include "model/comparison.h"
#include "model/finding.h"
#include "model/pilot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void model_run_values_release(struct model_run_values *values)
{
    if (values != NULL) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(values->values[side]);
            free(values->idle[side]);
            values->values[side] = NULL;
            values->idle[side] = NULL;
            values->counts[side] = 0;
        }
    }
}

void model_values_release(struct model_values *values)
{
    if (values != NULL) {
        for (size_t i = 0; i < values->run_count; i++) {
            model_run_values_release(&values->runs[i]);
        }
        free(values->runs);
        *values = (struct model_values){0};
    }
}

void model_pilot_release(struct model_pilot *pilot)
{
    model_values_release(&pilot->values);
    *pilot = (struct model_pilot){0};
}

bool model_comparison_is_measured(const struct model_comparison *comparison)
{
    return comparison->verdict != MODEL_VERDICT_FAILED &&
           comparison->verdict != MODEL_VERDICT_IDENTICAL;
}

double model_comparison_pairing_gain(const struct model_comparison *comparison)
{
    bool known =
        isfinite(comparison->interval.low) || isfinite(comparison->interval.high);
    return known && comparison->paired_width > 0
               ? comparison->shuffled_width / comparison->paired_width
               : (double)NAN;
}

const char *model_comparison_command(const struct model_comparison *comparison,
                                     enum model_side side)
{
    const char *command = comparison->commands[side];
    return command != NULL && *command != '\0' ? command : comparison->side_names[side];
}

void model_comparison_warn(struct model_comparison *comparison,
                           enum model_warning_kind kind, const char *format, ...)
{
    if (comparison->warning_count == MODEL_WARNINGS_MAX) {
        return;
    }
    struct model_warning *warning = &comparison->warnings[comparison->warning_count++];
    warning->kind = kind;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(warning->text, sizeof warning->text, format, args);
    va_end(args);
}

void model_probe_release(struct model_probe *probe)
{
    free(probe->skew_ns);
    for (int cpu = 0; cpu < MODEL_PROBE_CPUS; cpu++) {
        free(probe->times_ns[cpu]);
    }
    *probe = (struct model_probe){0};
}
