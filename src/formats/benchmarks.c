#include "formats/benchmarks.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void formats_benchmarks_release(struct formats_benchmarks *benchmarks)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&benchmarks->lists[side]);
    }
}

static void note(struct formats_benchmarks *benchmarks, enum model_side side,
                 const char *name)
{
    struct text *list = &benchmarks->lists[side];
    char *quoted = alloc_format("'%s'", name);
    if (quoted != NULL &&
        (list->length == 0 || strstr(text_string(list), quoted) == NULL)) {
        text_append(list, list->length == 0 ? "" : ", ");
        text_append(list, quoted);
        benchmarks->counts[side]++;
    }
    free(quoted);
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
