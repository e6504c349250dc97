/* Which benchmark each side's values are of, where their file says it. */
#ifndef DUET_FORMATS_BENCHMARKS_H
#define DUET_FORMATS_BENCHMARKS_H

#include "base/error.h"
#include "base/text.h"
#include "model/experiment.h"
#include "model/name_table.h"

#include <stdbool.h>
#include <stddef.h>

struct formats_benchmarks {
    const char *wanted;             /* only this one; NULL: the file's only one */
    struct text lists[MODEL_SIDES]; /* the names seen, in quotes; owned */
    struct model_name_table seen[MODEL_SIDES]; /* the names; owned */
    size_t counts[MODEL_SIDES];
    bool found[MODEL_SIDES];      /* the wanted one */
    char names[MODEL_SIDES][256]; /* the first one, or the wanted one; "" not said */
};
void formats_benchmarks_release(struct formats_benchmarks *benchmarks);

/* Notes that a value of the side is of the benchmark `name`. Whether it is to be kept.
 */
bool formats_benchmarks_take(struct formats_benchmarks *benchmarks,
                             enum model_side side, const char *name);

/* Asked when all is read. Errors: DUET_E_FORMAT (several benchmarks of a side and none
 * was wanted; lists them), DUET_E_NOT_FOUND (the wanted one; lists the others),
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_benchmarks_check(const struct formats_benchmarks *benchmarks,
                         struct duet_error *reterr);
/* The benchmarks of files that hold several. Zeroed storage is none. */
struct formats_several {
    struct model_name_table names; /* that both sides have; owned */
    struct text only[MODEL_SIDES]; /* that one side has, in quotes; owned */
};
void formats_several_release(struct formats_several *several);

/* Fills *several when a side has more than one benchmark, both share one, and none was
 * wanted; else leaves it empty. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_benchmarks_several(const struct formats_benchmarks *benchmarks,
                           struct formats_several *several, struct duet_error *reterr);

#endif
