#include "study/grid/study_groups.h"

#include "base/alloc.h"

#include <stdlib.h>

const char *const study_sampling_names[STUDY_SAMPLINGS + 1] = {
    [STUDY_SAMPLING_INSTANCES] = "ibs",
    [STUDY_SAMPLING_TRIALS] = "tbs",
    [STUDY_SAMPLING_PAIRS] = "pairs",
};

const char *study_sampling_name(enum study_sampling sampling)
{
    return (unsigned)sampling < STUDY_SAMPLINGS ? study_sampling_names[sampling]
                                                : "unknown";
}

static size_t trials_needed(const struct study_cell *cell)
{
    return cell->sampling == STUDY_SAMPLING_TRIALS ? 2 * cell->trials : cell->trials;
}

bool study_cell_fits(const struct study_subject *subject, const struct study_cell *cell)
{
    size_t needed = cell->sampling == STUDY_SAMPLING_INSTANCES ? 2 * cell->instances
                                                               : cell->instances;
    size_t eligible = 0;
    for (size_t i = 0; i < subject->nested.units; i++) {
        eligible += study_subject_trials(subject, i) >= trials_needed(cell);
    }
    return eligible >= needed &&
           (cell->sampling != STUDY_SAMPLING_PAIRS || subject->logs != NULL);
}

enum duet_code study_groups_init(const struct study_subject *subject, size_t instances,
                                 size_t trials, struct study_groups *ret_groups,
                                 struct duet_error *reterr)
{
    size_t drawn = instances * trials;
    size_t shuffled = subject->nested.units + subject->trials;
    size_t *memory =
        alloc_array(2 * (instances + 1) + 6 * drawn + shuffled, sizeof *memory);
    if (memory == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for groups of %zu trials",
                         drawn);
    }
    *ret_groups = (struct study_groups){.memory = memory};
    struct study_group *both[2] = {&ret_groups->test, &ret_groups->control};
    for (int g = 0; g < 2; g++) {
        both[g]->firsts = memory;
        both[g]->offsets = memory + instances + 1;
        both[g]->counts = both[g]->offsets + drawn;
        memory = both[g]->counts + drawn;
    }
    ret_groups->scratch = memory;
    ret_groups->order = memory + 2 * drawn;
    return DUET_OK;
}

void study_groups_release(struct study_groups *groups)
{
    free(groups->memory);
    *groups = (struct study_groups){0};
}

/* The first `wanted` of order[0..count) become a random choice of them. */
static void choose(struct random_stream *stream, size_t *order, size_t count,
                   size_t wanted)
{
    for (size_t i = 0; i < wanted; i++) {
        size_t other = i + random_below(stream, (uint32_t)(count - i));
        size_t chosen = order[other];
        order[other] = order[i];
        order[i] = chosen;
    }
}

static void begin_group(struct study_group *group)
{
    group->count = 0;
    group->nested = (struct stats_nested){
        .firsts = group->firsts, .offsets = group->offsets, .counts = group->counts};
    group->firsts[0] = 0;
}

static void add_trial(struct study_group *group, size_t offset, size_t count)
{
    size_t *end = &group->firsts[group->nested.units + 1];
    group->offsets[*end] = offset;
    group->counts[*end] = count;
    ++*end;
    group->count += count;
}

static void begin_instance(struct study_group *group)
{
    group->firsts[group->nested.units + 1] = group->firsts[group->nested.units];
}

/* trials[0..count): trials of the subject. */
static void add_instance(const struct study_subject *subject, struct study_group *group,
                         const size_t *trials, size_t count)
{
    begin_instance(group);
    for (size_t t = 0; t < count; t++) {
        add_trial(group, subject->nested.offsets[trials[t]],
                  subject->nested.counts[trials[t]]);
    }
    group->nested.units++;
}

static void add_pairs(const struct study_subject *subject, struct random_stream *stream,
                      struct study_groups *groups, const size_t *trials, size_t count)
{
    begin_instance(&groups->test);
    begin_instance(&groups->control);
    for (size_t t = 0; t < count; t++) {
        size_t offset = subject->nested.offsets[trials[t]];
        size_t values = subject->nested.counts[trials[t]];
        size_t swapped = random_below(stream, 2) * subject->count;
        add_trial(&groups->test, offset + swapped, values);
        add_trial(&groups->control, offset + subject->count - swapped, values);
    }
    groups->test.nested.units++;
    groups->control.nested.units++;
}

void study_groups_draw(const struct study_subject *subject,
                       const struct study_cell *cell, struct random_stream *stream,
                       struct study_groups *groups)
{
    size_t *instances = groups->order;
    size_t *trials = groups->order + subject->nested.units;
    size_t needed = trials_needed(cell);
    bool apart = cell->sampling == STUDY_SAMPLING_INSTANCES;
    size_t wanted = apart ? 2 * cell->instances : cell->instances;
    size_t eligible = 0;
    for (size_t i = 0; i < subject->nested.units; i++) {
        if (study_subject_trials(subject, i) >= needed) {
            instances[eligible++] = i;
        }
    }
    choose(stream, instances, eligible, wanted);
    begin_group(&groups->test);
    begin_group(&groups->control);
    for (size_t i = 0; i < wanted; i++) {
        size_t first = subject->nested.firsts[instances[i]];
        size_t count = study_subject_trials(subject, instances[i]);
        for (size_t t = 0; t < count; t++) {
            trials[t] = first + t;
        }
        choose(stream, trials, count, needed);
        if (cell->sampling == STUDY_SAMPLING_PAIRS) {
            add_pairs(subject, stream, groups, trials, cell->trials);
        } else if (apart) {
            add_instance(subject,
                         i < cell->instances ? &groups->test : &groups->control, trials,
                         cell->trials);
        } else {
            add_instance(subject, &groups->test, trials, cell->trials);
            add_instance(subject, &groups->control, trials + cell->trials,
                         cell->trials);
        }
    }
}
