#include "study/lab/grid_state.h"

#include "base/file.h"

#include <inttypes.h>

static uint64_t fingerprint_of(const struct grid_state *state)
{
    const struct study_grid_plan *plan = state->plan;
    const struct study_detector *detector = &plan->detector;
    uint64_t hash = study_fingerprint_data(state->dataset);
    for (size_t i = 0; i < plan->cell_count; i++) {
        hash = study_fingerprint_number(hash, (uint64_t)plan->cells[i].sampling);
        hash = study_fingerprint_number(hash, plan->cells[i].instances);
        hash = study_fingerprint_number(hash, plan->cells[i].trials);
    }
    hash =
        study_fingerprint_doubles(hash, detector->slowdowns, detector->slowdown_count);
    hash = study_fingerprint_doubles(hash, &detector->confidence, 1);
    hash = study_fingerprint_doubles(hash, &detector->delta_least, 1);
    hash = study_fingerprint_doubles(hash, &plan->false_most, 1);
    hash = study_fingerprint_number(hash, detector->corrected);
    hash = study_fingerprint_number(hash, detector->replicates);
    hash = study_fingerprint_number(hash, plan->tests);
    hash = study_fingerprint_number(hash, plan->draws);
    hash = study_fingerprint_number(hash, plan->fewest);
    return study_fingerprint_number(hash, plan->seed);
}

static size_t cells_of(const struct grid_state *state)
{
    return state->dataset->configuration_count * state->plan->cell_count;
}

/* ---- Reading ---- */

static bool read_counts(const struct grid_state *state, FILE *file,
                        struct study_grid_cell *cell)
{
    for (int test = 0; test < STUDY_TESTS; test++) {
        for (size_t s = 0; s < state->plan->detector.slowdown_count &&
                           (cell->tests >> (unsigned)test & 1U) != 0;
             s++) {
            uint64_t changed = 0;
            uint64_t faster = 0;
            if (!study_state_number(file, state->plan->draws, &changed) ||
                !study_state_number(file, changed, &faster)) {
                return false;
            }
            cell->changed[test][s] = (uint32_t)changed;
            cell->faster[test][s] = (uint32_t)faster;
        }
    }
    return true;
}

static bool read_cells(const struct grid_state *state, FILE *file, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = 0;
        uint64_t tests = 0;
        if (!study_state_number(file, cells_of(state) - 1, &index) ||
            !study_state_number(file, (1U << STUDY_TESTS) - 1U, &tests)) {
            return false;
        }
        struct study_grid_cell cell = {.done = true, .tests = (unsigned)tests};
        if (!read_counts(state, file, &cell)) {
            return false;
        }
        state->cells[index] = cell;
    }
    return true;
}

enum duet_code grid_state_begin(struct grid_state *state, struct duet_error *reterr)
{
    FILE *file = NULL;
    uint64_t count = 0;
    state->kept.fingerprint = fingerprint_of(state);
    enum duet_code code =
        study_state_open(&state->kept, cells_of(state), &file, &count, reterr);
    if (code == DUET_OK && file != NULL) {
        if (!read_cells(state, file, count)) {
            code = study_state_damaged(&state->kept, reterr);
        }
        (void)fclose(file);
    }
    return code;
}

/* ---- Writing ---- */

static void append_cell(const struct grid_state *state, size_t index, struct text *text)
{
    const struct study_grid_cell *cell = &state->cells[index];
    text_append_format(text, "%zu %u", index, cell->tests);
    for (int test = 0; test < STUDY_TESTS; test++) {
        for (size_t s = 0; s < state->plan->detector.slowdown_count &&
                           (cell->tests >> (unsigned)test & 1U) != 0;
             s++) {
            text_append_format(text, " %" PRIu32 " %" PRIu32, cell->changed[test][s],
                               cell->faster[test][s]);
        }
    }
    text_append_char(text, '\n');
}

static enum duet_code write_state(const struct grid_state *state,
                                  struct duet_error *reterr)
{
    struct text text = {0};
    size_t done = 0;
    for (size_t i = 0; i < cells_of(state); i++) {
        done += state->cells[i].done;
    }
    study_state_append_head(&state->kept, done, &text);
    for (size_t i = 0; i < cells_of(state); i++) {
        if (state->cells[i].done) {
            append_cell(state, i, &text);
        }
    }
    return file_write_text(state->kept.path, &text, reterr);
}

enum duet_code grid_state_keep(struct grid_state *state, bool now,
                               struct duet_error *reterr)
{
    return study_state_is_due(&state->kept, now) ? write_state(state, reterr) : DUET_OK;
}
