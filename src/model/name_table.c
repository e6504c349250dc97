#include "model/name_table.h"

#include "base/alloc.h"
#include "base/fnv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, NAMES_MAX = 0x7fffffff };
/* A file that says a long part of all names once must not make gigabytes of it. */
enum { BYTES_MAX = 64 << 20 };

static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = fnv_add(FNV_BASIS, name, length);
    return hash ^ hash >> 32U;
}

static bool is_called(const struct model_name_table *table, uint32_t number,
                      const char *name, size_t length)
{
    const char *known = table->names[number];
    return strncmp(known, name, length) == 0 && strlen(known) == length;
}

/* The slot of the name, or the free one where it belongs. */
static size_t slot_of(const struct model_name_table *table, const char *name,
                      size_t length)
{
    size_t mask = table->slot_count - 1;
    size_t slot = (size_t)hash_of(name, length) & mask;
    while (table->slots[slot] != 0 &&
           !is_called(table, table->slots[slot] - 1, name, length)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* At most half of the slots are taken. */
static bool grow_slots(struct model_name_table *table)
{
    size_t wanted = table->slot_count == 0 ? FIRST_SLOTS : 2 * table->slot_count;
    uint32_t *slots = alloc_array(wanted, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->names[i];
        slots[slot_of(table, name, strlen(name))] = (uint32_t)i + 1;
    }
    return true;
}

static bool grow_names(struct model_name_table *table)
{
    size_t wanted = table->capacity == 0 ? FIRST_SLOTS : 2 * table->capacity;
    char **names = alloc_resize(table->names, wanted, sizeof *names);
    if (names == NULL) {
        return false;
    }
    table->names = names;
    table->capacity = wanted;
    return true;
}

static enum duet_code add(struct model_name_table *table, const char *name,
                          size_t length, size_t slot, struct duet_error *reterr)
{
    if (table->count == NAMES_MAX) {
        return error_set(reterr, DUET_E_DOMAIN, "more than %d names", NAMES_MAX);
    }
    if (length > BYTES_MAX - table->bytes) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the names take more than %d MiB: shorten them",
                         BYTES_MAX >> 20);
    }
    char *copy = table->count < table->capacity || grow_names(table)
                     ? alloc_string_n(name, length)
                     : NULL;
    if (copy == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu names",
                         table->count + 1);
    }
    table->names[table->count++] = copy;
    table->bytes += length;
    table->slots[slot] = (uint32_t)table->count;
    return DUET_OK;
}

enum duet_code model_name_table_find(struct model_name_table *table, const char *name,
                                     size_t length, uint32_t *ret_number,
                                     struct duet_error *reterr)
{
    if (table->count > 0 && is_called(table, table->last, name, length)) {
        *ret_number = table->last;
        return DUET_OK;
    }
    if (2 * (table->count + 1) > table->slot_count && !grow_slots(table)) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu names",
                         table->count + 1);
    }
    enum duet_code code = DUET_OK;
    size_t slot = slot_of(table, name, length);
    if (table->slots[slot] == 0) {
        code = add(table, name, length, slot, reterr);
    }
    if (code == DUET_OK) {
        table->last = table->slots[slot] - 1;
        *ret_number = table->last;
    }
    return code;
}

char **model_name_table_take(struct model_name_table *table, size_t *ret_count)
{
    char **names = table->names;
    *ret_count = table->count;
    free(table->slots);
    *table = (struct model_name_table){0};
    return names;
}

void model_name_table_release(struct model_name_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->names[i]);
    }
    free(table->names);
    free(table->slots);
    *table = (struct model_name_table){0};
}
