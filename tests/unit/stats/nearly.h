/* Comparing computed numbers. */
#ifndef TESTS_UNIT_STATS_NEARLY_H
#define TESTS_UNIT_STATS_NEARLY_H

#include <math.h>

/* Equal within a relative error (absolute for an expected value below 1e-300). */
#define assert_nearly(got, expected, relative)                                  \
    do {                                                                        \
        double nearly_got = (got);                                              \
        double nearly_expected = (expected);                                    \
        double nearly_scale =                                                   \
            fabs(nearly_expected) > 1e-300 ? fabs(nearly_expected) : 1.0;       \
        if (!(fabs(nearly_got - nearly_expected) <= (relative)*nearly_scale)) { \
            print_error("%s: got %.17g, expected %.17g\n", #got, nearly_got,    \
                        nearly_expected);                                       \
            fail();                                                             \
        }                                                                       \
    } while (0)

#endif
