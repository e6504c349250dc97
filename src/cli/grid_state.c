#include "cli/grid_state.h"

#include "base/text.h"
#include "cli/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t between_writes_ns = UINT64_C(5000000000);

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    return mix(hash, &number, sizeof number);
}

static uint64_t mix_doubles(uint64_t hash, const double *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t fingerprint_of(const struct grid_state *state)
{
    const struct model_dataset *dataset = state->dataset;
    const struct study_grid_plan *plan = state->plan;
    const struct study_detector *detector = &plan->detector;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix_doubles(hash, dataset->values, dataset->value_count);
    hash = mix_doubles(hash, dataset->olds, dataset->value_count);
    for (size_t i = 0; i < dataset->instance_count; i++) {
        hash = mix_number(hash, dataset->instances[i].count);
    }
    for (size_t t = 0; t < dataset->trial_count; t++) {
        hash = mix_number(hash, dataset->trials[t].count);
    }
    hash = mix_number(hash, dataset->configuration_count);
    for (size_t i = 0; i < plan->cell_count; i++) {
        hash = mix_number(hash, (uint64_t)plan->cells[i].sampling);
        hash = mix_number(hash, plan->cells[i].instances);
        hash = mix_number(hash, plan->cells[i].trials);
    }
    hash = mix_doubles(hash, detector->slowdowns, detector->slowdown_count);
    hash = mix_doubles(hash, &detector->confidence, 1);
    hash = mix_doubles(hash, &detector->delta_least, 1);
    hash = mix_doubles(hash, &plan->false_most, 1);
    hash = mix_number(hash, detector->corrected);
    hash = mix_number(hash, detector->replicates);
    hash = mix_number(hash, plan->tests);
    hash = mix_number(hash, plan->draws);
    hash = mix_number(hash, plan->fewest);
    return mix_number(hash, plan->seed);
}

static size_t cells_of(const struct grid_state *state)
{
    return state->dataset->configuration_count * state->plan->cell_count;
}

/* ---- Reading ---- */

static bool read_number(FILE *file, uint64_t most, uint64_t *ret_number)
{
    char word[24];
    char *end = NULL;
    if (fscanf(file, "%23s", word) != 1) {
        return false;
    }
    errno = 0;
    *ret_number = strtoull(word, &end, 10);
    return errno == 0 && *end == '\0' && word[0] != '-' && *ret_number <= most;
}

static bool read_counts(const struct grid_state *state, FILE *file,
                        struct study_grid_cell *cell)
{
    for (int test = 0; test < STUDY_TESTS; test++) {
        for (size_t s = 0; s < state->plan->detector.slowdown_count &&
                           (cell->tests >> (unsigned)test & 1U) != 0;
             s++) {
            uint64_t changed = 0;
            uint64_t faster = 0;
            if (!read_number(file, state->plan->draws, &changed) ||
                !read_number(file, changed, &faster)) {
                return false;
            }
            cell->changed[test][s] = (uint32_t)changed;
            cell->faster[test][s] = (uint32_t)faster;
        }
    }
    return true;
}

static bool read_cells(const struct grid_state *state, FILE *file)
{
    uint64_t count = 0;
    if (!read_number(file, cells_of(state), &count)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = 0;
        uint64_t tests = 0;
        if (!read_number(file, cells_of(state) - 1, &index) ||
            !read_number(file, (1U << STUDY_TESTS) - 1U, &tests)) {
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

static enum duet_code read_state(const struct grid_state *state, FILE *file,
                                 struct duet_error *reterr)
{
    uint64_t fingerprint = 0;
    char magic[32];
    if (fscanf(file, "%31s", magic) != 1 || strcmp(magic, "duet-study-1") != 0 ||
        !read_number(file, UINT64_MAX, &fingerprint)) {
        return error_set(reterr, DUET_E_FORMAT,
                         "'%s' holds no state of a study; name another file for "
                         "--resume",
                         state->path);
    }
    if (fingerprint != state->fingerprint) {
        return error_set(reterr, DUET_E_USAGE,
                         "'%s' belongs to another study, other data or other options; "
                         "remove it, or name another file for --resume",
                         state->path);
    }
    return read_cells(state, file)
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT, "'%s' is damaged; remove it",
                           state->path);
}

enum duet_code grid_state_begin(struct grid_state *state, struct duet_error *reterr)
{
    state->fingerprint = fingerprint_of(state);
    FILE *file = fopen(state->path, "re");
    if (file == NULL) {
        return errno == ENOENT ? DUET_OK
                               : error_set_errno(reterr, DUET_E_IO, errno,
                                                 "opening '%s'", state->path);
    }
    enum duet_code code = read_state(state, file, reterr);
    (void)fclose(file);
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
    text_append_format(&text, "duet-study-1 %" PRIu64 " %zu\n", state->fingerprint,
                       done);
    for (size_t i = 0; i < cells_of(state); i++) {
        if (state->cells[i].done) {
            append_cell(state, i, &text);
        }
    }
    return file_write_text(state->path, &text, reterr);
}

enum duet_code grid_state_keep(struct grid_state *state, bool now,
                               struct duet_error *reterr)
{
    struct timespec clock = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    uint64_t at = (uint64_t)clock.tv_sec * 1000000000U + (uint64_t)clock.tv_nsec;
    if (!now && at - state->kept_ns < between_writes_ns) {
        return DUET_OK;
    }
    state->kept_ns = at;
    return write_state(state, reterr);
}
