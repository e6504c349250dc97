#include "session/comparison/id_list.h"

#include "base/alloc.h"

enum duet_code id_list_add(struct id_list *list, int64_t id, struct duet_error *reterr)
{
    int64_t *grown = alloc_grow(list->ids, list->count, &list->capacity, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    list->ids = grown;
    grown[list->count++] = id;
    return DUET_OK;
}

bool id_is_among(const int64_t *ids, size_t count, int64_t id)
{
    size_t i = 0;
    while (i < count && ids[i] != id) {
        i++;
    }
    return i < count;
}
