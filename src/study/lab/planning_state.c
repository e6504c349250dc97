#include "study/lab/planning_state.h"
#include "base/file.h"

/* No other study's fingerprint goes on with this number. */
static const uint64_t mark = UINT64_C(0x706c616e);

static uint64_t fingerprint_of(const struct planning_answer *answer)
{
    const struct study_planning *planning = answer->planning;
    const double numbers[] = {planning->effect,      planning->confidence,
                              planning->delta_least, planning->found_least,
                              planning->false_most,  planning->instance_cost,
                              planning->trial_cost};
    uint64_t hash = study_fingerprint_data(answer->dataset);
    hash = study_fingerprint_number(hash, mark);
    hash = study_fingerprint_doubles(hash, numbers, sizeof numbers / sizeof numbers[0]);
    hash = study_fingerprint_number(hash, (uint64_t)planning->sampling);
    hash = study_fingerprint_number(hash, (uint64_t)planning->test);
    hash = study_fingerprint_number(hash, planning->draws);
    hash = study_fingerprint_number(hash, planning->replicates);
    return study_fingerprint_number(hash, planning->seed);
}

static bool read_size(FILE *file, size_t *ret_size)
{
    uint64_t number = 0;
    bool there = study_state_number(file, STUDY_SIDE_MAX, &number);
    *ret_size = (size_t)number;
    return there;
}

static bool read_row(const struct planning_answer *answer, FILE *file)
{
    struct planning_row row = {.done = true};
    struct study_planned *planned = &row.planned;
    uint64_t index = 0;
    uint64_t too_few = 0;
    uint64_t found = 0;
    bool right =
        study_state_number(file, answer->dataset->configuration_count - 1, &index) &&
        study_state_number(file, 1, &too_few) && study_state_number(file, 1, &found) &&
        read_size(file, &planned->instances) && read_size(file, &planned->trials) &&
        read_size(file, &planned->iterations) &&
        study_state_double(file, &planned->cost) &&
        study_state_double(file, &planned->found_share) &&
        study_state_double(file, &planned->held_out_found) &&
        study_state_double(file, &planned->held_out_false);
    row.too_few = too_few != 0;
    planned->found = found != 0;
    if (right) {
        answer->rows[index] = row;
    }
    return right;
}

enum duet_code planning_state_begin(struct study_state *state,
                                    const struct planning_answer *answer,
                                    struct duet_error *reterr)
{
    FILE *file = NULL;
    uint64_t count = 0;
    state->fingerprint = fingerprint_of(answer);
    enum duet_code code = study_state_open(state, answer->dataset->configuration_count,
                                           &file, &count, reterr);
    if (code == DUET_OK && file != NULL) {
        bool right = true;
        for (uint64_t i = 0; i < count && right; i++) {
            right = read_row(answer, file);
        }
        if (!right) {
            code = study_state_damaged(state, reterr);
        }
        (void)fclose(file);
    }
    return code;
}

static void append_row(const struct planning_row *row, size_t index, struct text *text)
{
    const struct study_planned *planned = &row->planned;
    text_append_format(text, "%zu %d %d %zu %zu %zu %.17g %.17g %.17g %.17g\n", index,
                       row->too_few, planned->found, planned->instances,
                       planned->trials, planned->iterations, planned->cost,
                       planned->found_share, planned->held_out_found,
                       planned->held_out_false);
}

enum duet_code planning_state_keep(struct study_state *state,
                                   const struct planning_answer *answer, bool now,
                                   struct duet_error *reterr)
{
    struct text text = {0};
    uint64_t done = 0;
    if (!study_state_is_due(state, now)) {
        return DUET_OK;
    }
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        done += answer->rows[c].done;
    }
    study_state_append_head(state, done, &text);
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        if (answer->rows[c].done) {
            append_row(&answer->rows[c], c, &text);
        }
    }
    return file_write_text(state->path, &text, reterr);
}
