/* What the parts of the gather share: adding values, matching benchmarks, making runs.
 */
#ifndef DUET_FORMATS_GATHER_PRIVATE_H
#define DUET_FORMATS_GATHER_PRIVATE_H

#include "formats/gather.h"
#include "model/name_table.h"

/* One side's values in a run. */
struct gather_column {
    double *values;
    uint64_t *iterations; /* as many; NULL: the file does not say */
    size_t count;
    size_t capacity;
};

/* The values of one label. */
struct gather_slot {
    char *label; /* instance, '\n', run */
    size_t label_length;
    size_t order; /* of appearance */
    uint64_t number;
    bool has_block;
    uint64_t block;
    struct gather_column sides[MODEL_SIDES];
};

/* The values of one benchmark. */
struct gather_group {
    struct gather_slot *slots;
    size_t count;
    size_t capacity;
    size_t *table; /* slot index + 1 by hash of the label; 0: empty */
    size_t table_size;
    size_t current; /* slot of the last record: files come in stretches */
    bool has_runs;
    bool has_iterations;
    bool beside;
    bool seen[MODEL_SIDES];           /* also when its values are not kept */
    const char *renamed[MODEL_SIDES]; /* what it took over was called so; borrowed */
};

struct formats_gather {
    const char *wanted;            /* NULL: all */
    struct model_name_table names; /* of the groups */
    struct gather_group *groups;   /* one a name */
    size_t capacity;
};

/* Leaves an empty group, with its names. */
void formats_gather_forget(struct gather_group *group);
/* The slot of a label of `from` in `to`, which is made when it is not there:
 * to->current. Errors: as formats_gather_add(). */
BASE_MUST_USE enum duet_code formats_gather_slot(struct gather_group *to,
                                                 const char *instance, const char *run,
                                                 struct duet_error *reterr);
/* DUET_E_NOMEM with its message. */
enum duet_code formats_gather_no_memory(struct duet_error *reterr);

#endif
