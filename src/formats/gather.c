#include "formats/gather_private.h"

#include "base/alloc.h"
#include "base/fnv.h"

#include <stdlib.h>
#include <string.h>

enum duet_code formats_gather_new(struct formats_gather **ret_gather,
                                  struct duet_error *reterr)
{
    struct formats_gather *gather = alloc_array(1, sizeof *gather);
    if (gather == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read values");
    }
    *ret_gather = gather;
    return DUET_OK;
}

void formats_gather_choose(struct formats_gather *gather, const char *wanted)
{
    gather->wanted = wanted;
}

void formats_gather_forget(struct gather_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        free(group->slots[i].label);
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(group->slots[i].sides[side].values);
            free(group->slots[i].sides[side].iterations);
        }
    }
    free(group->slots);
    free(group->table);
    *group = (struct gather_group){
        .seen = {group->seen[MODEL_OLD], group->seen[MODEL_NEW]},
        .renamed = {group->renamed[MODEL_OLD], group->renamed[MODEL_NEW]}};
}

void formats_gather_free(struct formats_gather *gather)
{
    if (gather != NULL) {
        for (size_t i = 0; i < gather->names.count; i++) {
            formats_gather_forget(&gather->groups[i]);
        }
        free(gather->groups);
        model_name_table_release(&gather->names);
        free(gather);
    }
}

enum duet_code formats_gather_no_memory(struct duet_error *reterr)
{
    (void)error_set(reterr, DUET_E_NOMEM, "no memory for the values read so far");
    return DUET_E_NOMEM;
}

/* ---- Runs by their labels ---- */

struct label {
    const char *instance;
    size_t instance_length;
    const char *run;
    size_t run_length;
};

static struct label label_of(const char *instance, const char *run)
{
    struct label label = {.instance = instance != NULL ? instance : "",
                          .run = run != NULL ? run : ""};
    label.instance_length = strlen(label.instance);
    label.run_length = strlen(label.run);
    return label;
}

static bool slot_has(const struct gather_slot *slot, const struct label *label)
{
    return slot->label_length == label->instance_length + 1 + label->run_length &&
           memcmp(slot->label, label->instance, label->instance_length) == 0 &&
           slot->label[label->instance_length] == '\n' &&
           memcmp(slot->label + label->instance_length + 1, label->run,
                  label->run_length) == 0;
}

static uint64_t hash_label(const struct label *label)
{
    uint64_t hash = fnv_add(FNV_BASIS, label->instance, label->instance_length);
    return fnv_add(fnv_add(hash, "\n", 1), label->run, label->run_length);
}

/* The label's bucket of the table, where it is or belongs. */
static size_t bucket_of(const struct gather_group *group, const struct label *label)
{
    size_t bucket = (size_t)hash_label(label) & (group->table_size - 1);
    while (group->table[bucket] != 0 &&
           !slot_has(&group->slots[group->table[bucket] - 1], label)) {
        bucket = (bucket + 1) & (group->table_size - 1);
    }
    return bucket;
}

static enum duet_code grow_table(struct gather_group *group, struct duet_error *reterr)
{
    size_t size = group->table_size == 0 ? 4 : 2 * group->table_size;
    size_t *table = alloc_array(size, sizeof *table);
    if (table == NULL) {
        return formats_gather_no_memory(reterr);
    }
    free(group->table);
    group->table = table;
    group->table_size = size;
    for (size_t i = 0; i < group->count; i++) {
        const struct gather_slot *slot = &group->slots[i];
        size_t instance =
            (size_t)((const char *)memchr(slot->label, '\n', slot->label_length) -
                     slot->label);
        struct label label = {slot->label, instance, slot->label + instance + 1,
                              slot->label_length - instance - 1};
        table[bucket_of(group, &label)] = i + 1;
    }
    return DUET_OK;
}

static enum duet_code add_slot(struct gather_group *group, const struct label *label,
                               struct duet_error *reterr)
{
    if (group->count == FORMATS_LABELS_MAX) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "more than %d runs; where each row is a run of its own, call their column 'iteration'",
            FORMATS_LABELS_MAX);
    }
    struct gather_slot *slots =
        alloc_grow(group->slots, group->count, &group->capacity, sizeof *slots);
    if (slots == NULL) {
        return formats_gather_no_memory(reterr);
    }
    group->slots = slots;
    char *text = alloc_format("%s\n%s", label->instance, label->run);
    if (text == NULL) {
        return formats_gather_no_memory(reterr);
    }
    group->slots[group->count] = (struct gather_slot){
        .label = text,
        .label_length = label->instance_length + 1 + label->run_length,
        .order = group->count};
    group->count++;
    return DUET_OK;
}

enum duet_code formats_gather_slot(struct gather_group *group, const char *instance,
                                   const char *run, struct duet_error *reterr)
{
    struct label label = label_of(instance, run);
    if (group->count > 0 && slot_has(&group->slots[group->current], &label)) {
        return DUET_OK;
    }
    enum duet_code code = DUET_OK;
    if (2 * (group->count + 1) > group->table_size) {
        code = grow_table(group, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    size_t bucket = bucket_of(group, &label);
    if (group->table[bucket] == 0) {
        code = add_slot(group, &label, reterr);
        if (code == DUET_OK) {
            group->table[bucket] = group->count;
        }
    }
    if (code == DUET_OK) {
        group->current = group->table[bucket] - 1;
    }
    return code;
}

/* ---- Values ---- */

static enum duet_code reserve(struct gather_column *column, bool with_iterations,
                              struct duet_error *reterr)
{
    if (column->count < column->capacity &&
        (!with_iterations || column->iterations != NULL)) {
        return DUET_OK;
    }
    size_t capacity = column->count < 2 ? 2 : 2 * column->count;
    double *values = alloc_resize(column->values, capacity, sizeof *values);
    if (values == NULL) {
        return formats_gather_no_memory(reterr);
    }
    column->values = values;
    if (with_iterations) {
        uint64_t *iterations =
            alloc_resize(column->iterations, capacity, sizeof *iterations);
        if (iterations == NULL) {
            return formats_gather_no_memory(reterr);
        }
        column->iterations = iterations;
    }
    column->capacity = capacity;
    return DUET_OK;
}

static enum duet_code add_value(struct gather_group *group,
                                const struct formats_record *record,
                                struct duet_error *reterr)
{
    enum duet_code code =
        formats_gather_slot(group, record->instance, record->run, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct gather_slot *slot = &group->slots[group->current];
    struct gather_column *column = &slot->sides[record->side];
    bool first = column->count == 0;
    bool with_iterations = first ? record->has_iteration : column->iterations != NULL;
    code = reserve(column, with_iterations, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (with_iterations) {
        column->iterations[column->count] = record->iteration;
    }
    column->values[column->count++] = record->ns;
    slot->has_block = slot->has_block || record->has_block;
    slot->block = record->has_block ? record->block : slot->block;
    group->has_runs = group->has_runs || record->run != NULL;
    group->has_iterations = group->has_iterations || record->has_iteration;
    group->beside = group->beside || record->beside;
    return DUET_OK;
}

enum duet_code formats_gather_add(struct formats_gather *gather,
                                  const struct formats_record *record,
                                  struct duet_error *reterr)
{
    const char *name = record->benchmark != NULL ? record->benchmark : "";
    size_t count = gather->names.count;
    struct gather_group *groups =
        alloc_grow(gather->groups, count, &gather->capacity, sizeof *groups);
    uint32_t at = 0;
    if (groups == NULL) {
        return formats_gather_no_memory(reterr);
    }
    gather->groups = groups;
    enum duet_code code =
        model_name_table_find(&gather->names, name, strlen(name), &at, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (at == count) {
        groups[at] = (struct gather_group){0};
    }
    groups[at].seen[record->side] = true;
    bool kept =
        gather->wanted == NULL || *name == '\0' || strcmp(gather->wanted, name) == 0;
    return kept ? add_value(&groups[at], record, reterr) : DUET_OK;
}
