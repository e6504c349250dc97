/* The row that sums several benchmarks up. */
#ifndef DUET_CLI_GEOMEAN_H
#define DUET_CLI_GEOMEAN_H

#include "model/comparison.h"

#include <stdbool.h>
#include <stddef.h>

/* Geometric mean of the ratios, without an interval (the benchmarks are no sample of
 * anything). false: fewer than two comparisons, nothing to sum up. */
bool geomean_of(const struct model_comparison *comparisons, size_t count,
                struct model_comparison *ret_geomean);

#endif
