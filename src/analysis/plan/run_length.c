#include "analysis/plan/run_length.h"

#include <math.h>

enum { LONGER_AT_MOST = 20 };

static double run_cost_ns(const struct analysis_run_length *length, size_t runs)
{
    return runs == 0
               ? 0.0
               : fmax(0.0, (length->wall_ns - length->iterating_ns) / (double)runs);
}

/* How long iterations took in which both sides executed. */
static enum duet_code add_iterating(struct analysis_run_length *length,
                                    const struct model_run_values *values,
                                    struct duet_error *reterr)
{
    enum { BLOCK = 512 };
    double blocks[MODEL_SIDES][BLOCK];
    double operations[MODEL_SIDES];
    size_t count = values->counts[MODEL_OLD];
    for (size_t at = 0; at < count; at += BLOCK) {
        for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
            operations[side] = model_run_values_operations(values, side);
            enum duet_code code =
                model_run_values_copy(values, side, at, blocks[side], BLOCK, reterr);
            if (code != DUET_OK) {
                return code;
            }
        }
        for (size_t i = 0; i < BLOCK && at + i < count; i++) {
            length->iterating_ns += fmax(blocks[MODEL_OLD][i] * operations[MODEL_OLD],
                                         blocks[MODEL_NEW][i] * operations[MODEL_NEW]);
        }
    }
    return DUET_OK;
}

/* Reckons anew. Where no spread between runs is seen, the longest. */
static void reckon(struct analysis_run_length *length)
{
    struct stats_components components;
    struct duet_error ignored;
    size_t runs = length->ratios.runs;
    if (analysis_log_ratios_components(&length->ratios, &components, &ignored) !=
        DUET_OK) {
        return;
    }
    double iteration_ns = length->iterating_ns / (double)length->iterations;
    double cost_ns = run_cost_ns(length, runs);
    double most_ns = LONGER_AT_MOST * fmax(length->start_ns, cost_ns);
    double best_ns =
        components.between > 0.0
            ? iteration_ns * ceil(sqrt(cost_ns / iteration_ns * components.within /
                                       components.between))
            : most_ns;
    length->found_ns = fmax(iteration_ns, fmin(best_ns, most_ns));
}

enum duet_code analysis_run_length_add(struct analysis_run_length *length,
                                       const struct model_run_values *values,
                                       double wall_ns, struct duet_error *reterr)
{
    if (length->ratios.runs >= ANALYSIS_RUN_LENGTH_RUNS) {
        return DUET_OK;
    }
    enum duet_code code = analysis_log_ratios_add(
        &length->ratios, MODEL_WINSORIZE_FACTOR, values, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = add_iterating(length, values, reterr);
    if (code != DUET_OK) {
        return code;
    }
    length->iterations += values->counts[MODEL_OLD];
    length->wall_ns += wall_ns;
    length->next = length->next == 0 ? ANALYSIS_RUN_LENGTH_PILOT : length->next;
    if (length->ratios.runs == length->next) {
        reckon(length);
        length->next *= 2;
    }
    return DUET_OK;
}

double analysis_run_length_ns(const struct analysis_run_length *length)
{
    if (length->found_ns > 0.0) {
        return length->found_ns;
    }
    return fmax(length->start_ns, run_cost_ns(length, length->ratios.runs));
}

void analysis_run_length_release(struct analysis_run_length *length)
{
    analysis_log_ratios_release(&length->ratios);
}
