#include "figures/sequential_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MODEL_WIDTH = 10, COUNTED_WIDTH = 22, SHARE_WIDTH = 9, RUNS_WIDTH = 8 };

static double share_pct(uint64_t hits, uint64_t samples)
{
    return 100.0 * (double)hits / (double)samples;
}

/* "0.612 [0.550, 0.679]" */
static void append_counted(struct text *text, uint64_t hits, uint64_t samples,
                           double low, double high)
{
    char shown[64];
    (void)snprintf(shown, sizeof shown, "%.3f [%.3f, %.3f]", share_pct(hits, samples),
                   100.0 * low, 100.0 * high);
    text_append_format(text, "%*s", COUNTED_WIDTH, shown);
}

static void append_runs(struct text *text, double runs)
{
    if (isnan(runs)) {
        text_append_format(text, "%*s", RUNS_WIDTH, "-");
    } else {
        text_append_format(text, "%*.0f", RUNS_WIDTH, runs);
    }
}

static void append_row(struct text *text, const struct study_sequential_cell *cell)
{
    text_append_format(text, "\n%-*s", MODEL_WIDTH,
                       study_sequential_model_name(cell->model));
    if (cell->samples == 0) {
        return;
    }
    uint64_t undecided = cell->samples - cell->wrong - cell->right;
    append_counted(text, cell->wrong, cell->samples, cell->wrong_low, cell->wrong_high);
    append_counted(text, cell->missed, cell->samples, cell->missed_low,
                   cell->missed_high);
    text_append_format(text, "%*.2f%*.2f", SHARE_WIDTH,
                       share_pct(cell->right, cell->samples), SHARE_WIDTH + 2,
                       share_pct(undecided, cell->samples));
    append_runs(text, cell->runs_median);
    append_runs(text, cell->runs_p90);
}

void sequential_table_append(struct text *text,
                             const struct study_sequential_cell *cells,
                             const struct study_sequential_plan *plan)
{
    text_append_format(
        text,
        "Sequential verdicts at %.6g %%, looked for after each coin of %zu "
        "runs; effect %.6g %%, noise %.6g %%\n"
        "(%" PRIu64 " samples a row, %zu iterations a run, seed %" PRIu64
        "; shares in percent, counted ones with their 99 %% "
        "Clopper-Pearson interval)\n\n",
        100.0 * plan->confidence, 2 * plan->blocks, 100.0 * plan->effect,
        100.0 * plan->noise, plan->samples, plan->iterations, plan->seed);
    text_append_format(text, "%-*s%*s%*s%*s%*s%*s%*s", MODEL_WIDTH, "data",
                       COUNTED_WIDTH, "wrong", COUNTED_WIDTH, "missed", SHARE_WIDTH,
                       "right", SHARE_WIDTH + 2, "undecided", RUNS_WIDTH, "median",
                       RUNS_WIDTH, "p90");
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        if (plan->model == STUDY_SEQUENTIAL_MODELS || plan->model == model) {
            append_row(text, &cells[model]);
        }
    }
    text_append_char(text, '\n');
}

static void append_number(struct text *text, double number)
{
    text_append_char(text, ',');
    if (!isnan(number)) {
        text_append_format(text, "%.17g", number);
    }
}

void sequential_table_append_csv(struct text *text,
                                 const struct study_sequential_cell *cells,
                                 const struct study_sequential_plan *plan)
{
    text_append(text,
                "data,confidence,effect,noise,iterations,coin,blocks,samples,wrong,"
                "wrong_low,wrong_high,missed,missed_low,missed_high,right,"
                "runs_median,runs_p90\r\n");
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        const struct study_sequential_cell *cell = &cells[model];
        if (cell->samples == 0) {
            continue;
        }
        text_append_format(text, "%s,%.17g,%.17g,%.17g,%zu,%s,%zu,%" PRIu64 ",%" PRIu64,
                           study_sequential_model_name(cell->model), plan->confidence,
                           plan->effect, plan->noise, plan->iterations,
                           plan->coin_per_run ? "run" : "block", plan->blocks,
                           cell->samples, cell->wrong);
        append_number(text, cell->wrong_low);
        append_number(text, cell->wrong_high);
        text_append_format(text, ",%" PRIu64, cell->missed);
        append_number(text, cell->missed_low);
        append_number(text, cell->missed_high);
        text_append_format(text, ",%" PRIu64, cell->right);
        append_number(text, cell->runs_median);
        append_number(text, cell->runs_p90);
        text_append(text, "\r\n");
    }
}
