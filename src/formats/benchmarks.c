#include "formats/benchmarks.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void formats_benchmarks_release(struct formats_benchmarks *benchmarks)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&benchmarks->lists[side]);
        model_name_table_release(&benchmarks->seen[side]);
    }
}

static void note(struct formats_benchmarks *benchmarks, enum model_side side,
                 const char *name)
{
    struct text *list = &benchmarks->lists[side];
    struct model_name_table *seen = &benchmarks->seen[side];
    size_t before = seen->count;
    uint32_t number = 0;
    if (model_name_table_find(seen, name, strlen(name), &number, NULL) != DUET_OK) {
        list->failed = true; /* asked at the end */
    } else if (seen->count > before) {
        text_append_format(list, "%s'%s'", list->length == 0 ? "" : ", ", name);
        benchmarks->counts[side] = seen->count;
    }
}

bool formats_benchmarks_take(struct formats_benchmarks *benchmarks,
                             enum model_side side, const char *name)
{
    char *kept = benchmarks->names[side];
    size_t room = sizeof benchmarks->names[side];
    bool keep = benchmarks->wanted == NULL || strcmp(benchmarks->wanted, name) == 0;
    bool same = benchmarks->counts[side] > 0 && strncmp(kept, name, room - 1) == 0;
    if (!same) { /* values of a benchmark mostly come together */
        note(benchmarks, side, name);
    }
    if (keep && kept[0] == '\0') {
        (void)snprintf(kept, room, "%s", name);
    }
    benchmarks->found[side] = benchmarks->found[side] || keep;
    return keep;
}

enum duet_code formats_benchmarks_check(const struct formats_benchmarks *benchmarks,
                                        struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct text *list = &benchmarks->lists[side];
        const char *name = model_side_name((enum model_side)side);
        if (text_failed(list)) {
            return error_set(reterr, DUET_E_NOMEM, "no memory for benchmarks' names");
        }
        if (benchmarks->wanted == NULL && benchmarks->counts[side] > 1) {
            return error_set(
                reterr, DUET_E_FORMAT,
                "%s holds %zu benchmarks: %.600s; choose one with --benchmark NAME",
                name, benchmarks->counts[side], text_string(list));
        }
        if (benchmarks->wanted != NULL && !benchmarks->found[side] &&
            benchmarks->counts[side] > 0) {
            return error_set(reterr, DUET_E_NOT_FOUND,
                             "%s has no benchmark '%s'; it holds %.600s", name,
                             benchmarks->wanted, text_string(list));
        }
    }
    return DUET_OK;
}

void formats_several_release(struct formats_several *several)
{
    model_name_table_release(&several->names);
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&several->only[side]);
    }
}

/* Which of its names the other side has, too: `shared` by number of the name. */
static enum duet_code find_shared(const struct formats_benchmarks *benchmarks, int side,
                                  bool *shared, struct duet_error *reterr)
{
    const struct model_name_table *mine = &benchmarks->seen[side];
    const struct model_name_table *others = &benchmarks->seen[1 - side];
    struct model_name_table joint = {0};
    enum duet_code code = DUET_OK;
    uint32_t number = 0;
    for (size_t i = 0; i < others->count && code == DUET_OK; i++) {
        code = model_name_table_find(&joint, others->names[i], strlen(others->names[i]),
                                     &number, reterr);
    }
    for (size_t i = 0; i < mine->count && code == DUET_OK; i++) {
        code = model_name_table_find(&joint, mine->names[i], strlen(mine->names[i]),
                                     &number, reterr);
        shared[i] = number < others->count;
    }
    model_name_table_release(&joint);
    return code;
}

static enum duet_code sort_out(const struct formats_benchmarks *benchmarks, int side,
                               struct formats_several *several,
                               struct duet_error *reterr)
{
    const struct model_name_table *mine = &benchmarks->seen[side];
    bool *shared = alloc_array(mine->count, sizeof *shared);
    uint32_t number = 0;
    if (shared == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = find_shared(benchmarks, side, shared, reterr);
    for (size_t i = 0; i < mine->count && code == DUET_OK; i++) {
        struct text *only = &several->only[side];
        if (!shared[i]) {
            text_append_format(only, "%s'%s'", only->length == 0 ? "" : ", ",
                               mine->names[i]);
        } else if (side == MODEL_OLD) {
            code = model_name_table_find(&several->names, mine->names[i],
                                         strlen(mine->names[i]), &number, reterr);
        }
    }
    free(shared);
    return code == DUET_OK && text_failed(&several->only[side])
               ? error_no_memory(reterr)
               : code;
}

enum duet_code formats_benchmarks_several(const struct formats_benchmarks *benchmarks,
                                          struct formats_several *several,
                                          struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool alone = benchmarks->counts[MODEL_OLD] < 2 && benchmarks->counts[MODEL_NEW] < 2;
    if (benchmarks->wanted != NULL || alone) {
        return DUET_OK;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = sort_out(benchmarks, side, several, reterr);
    }
    return code;
}
