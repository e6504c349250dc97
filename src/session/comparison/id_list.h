/* A list of experiments that grows. */
#ifndef DUET_SESSION_COMPARISON_ID_LIST_H
#define DUET_SESSION_COMPARISON_ID_LIST_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed storage is an empty list; free() its ids. */
struct id_list {
    int64_t *ids;
    size_t count;
    size_t capacity;
};

/* Errors: DUET_E_NOMEM, and the list is as before. */
BASE_MUST_USE enum duet_code id_list_add(struct id_list *list, int64_t id,
                                         struct duet_error *reterr);

bool id_is_among(const int64_t *ids, size_t count, int64_t id);

#endif
