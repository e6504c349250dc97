/* Names and their numbers, in the order in which they were first seen. */
#ifndef DUET_MODEL_NAME_TABLE_H
#define DUET_MODEL_NAME_TABLE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Zeroed storage is the empty table. */
struct model_name_table {
    char **names; /* owned */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* number of a name + 1; 0: free */
    size_t slot_count;
    size_t bytes;  /* of all names */
    uint32_t last; /* what was asked for last, which is what comes next, mostly */
};

/* The number of name[0..length), which is added when it is new. Errors: DUET_E_DOMAIN
 * (2^31 names, or 64 MiB of them), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code model_name_table_find(struct model_name_table *table,
                                                   const char *name, size_t length,
                                                   uint32_t *ret_number,
                                                   struct duet_error *reterr);

/* Hands the names over; the table is empty afterwards. */
char **model_name_table_take(struct model_name_table *table, size_t *ret_count);
void model_name_table_release(struct model_name_table *table);

#endif
