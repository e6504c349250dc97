#include "formats/gather_private.h"

#include "base/alloc.h"

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

void formats_gather_forget(struct formats_gather *gather)
{
    for (size_t i = 0; i < gather->count; i++) {
        free(gather->slots[i].label);
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(gather->slots[i].sides[side].values);
            free(gather->slots[i].sides[side].iterations);
        }
    }
    free(gather->slots);
    free(gather->table);
    *gather = (struct formats_gather){0};
}

void formats_gather_free(struct formats_gather *gather)
{
    if (gather != NULL) {
        formats_gather_forget(gather);
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

static struct label label_of(const struct formats_record *record)
{
    struct label label = {.instance = record->instance != NULL ? record->instance : "",
                          .run = record->run != NULL ? record->run : ""};
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

/* FNV-1a (Fowler, Noll and Vo). */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_label(const struct label *label)
{
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), label->instance,
                               label->instance_length);
    return hash_bytes(hash_bytes(hash, "\n", 1), label->run, label->run_length);
}

/* The place of the label in the table, where it is or belongs. */
static size_t place_of(const struct formats_gather *gather, const struct label *label)
{
    size_t place = (size_t)hash_label(label) & (gather->table_size - 1);
    while (gather->table[place] != 0 &&
           !slot_has(&gather->slots[gather->table[place] - 1], label)) {
        place = (place + 1) & (gather->table_size - 1);
    }
    return place;
}

static enum duet_code grow_table(struct formats_gather *gather,
                                 struct duet_error *reterr)
{
    size_t size = gather->table_size == 0 ? 64 : 2 * gather->table_size;
    size_t *table = alloc_array(size, sizeof *table);
    if (table == NULL) {
        return formats_gather_no_memory(reterr);
    }
    free(gather->table);
    gather->table = table;
    gather->table_size = size;
    for (size_t i = 0; i < gather->count; i++) {
        const struct gather_slot *slot = &gather->slots[i];
        size_t instance =
            (size_t)((const char *)memchr(slot->label, '\n', slot->label_length) -
                     slot->label);
        struct label label = {slot->label, instance, slot->label + instance + 1,
                              slot->label_length - instance - 1};
        table[place_of(gather, &label)] = i + 1;
    }
    return DUET_OK;
}

static enum duet_code add_slot(struct formats_gather *gather, const struct label *label,
                               struct duet_error *reterr)
{
    if (gather->count == FORMATS_LABELS_MAX) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "more than %d runs; where each row is a run of its own, call their column 'iteration'",
            FORMATS_LABELS_MAX);
    }
    struct gather_slot *slots =
        alloc_grow(gather->slots, gather->count, &gather->capacity, sizeof *slots);
    if (slots == NULL) {
        return formats_gather_no_memory(reterr);
    }
    gather->slots = slots;
    char *text = alloc_format("%s\n%s", label->instance, label->run);
    if (text == NULL) {
        return formats_gather_no_memory(reterr);
    }
    gather->slots[gather->count] = (struct gather_slot){
        .label = text,
        .label_length = label->instance_length + 1 + label->run_length,
        .order = gather->count};
    gather->count++;
    return DUET_OK;
}

static enum duet_code find_slot(struct formats_gather *gather,
                                const struct formats_record *record,
                                struct duet_error *reterr)
{
    struct label label = label_of(record);
    if (gather->count > 0 && slot_has(&gather->slots[gather->current], &label)) {
        return DUET_OK;
    }
    enum duet_code code = DUET_OK;
    if (2 * (gather->count + 1) > gather->table_size) {
        code = grow_table(gather, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    size_t place = place_of(gather, &label);
    if (gather->table[place] == 0) {
        code = add_slot(gather, &label, reterr);
        if (code == DUET_OK) {
            gather->table[place] = gather->count;
        }
    }
    if (code == DUET_OK) {
        gather->current = gather->table[place] - 1;
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

enum duet_code formats_gather_add(struct formats_gather *gather,
                                  const struct formats_record *record,
                                  struct duet_error *reterr)
{
    enum duet_code code = find_slot(gather, record, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct gather_slot *slot = &gather->slots[gather->current];
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
    gather->has_runs = gather->has_runs || record->run != NULL;
    gather->has_iterations = gather->has_iterations || record->has_iteration;
    gather->beside = gather->beside || record->beside;
    return DUET_OK;
}
