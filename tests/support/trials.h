/* How many trials a simulation has. What it shows of statistics does not depend on the
 * compiler (step `identical` of tools/check): the build "clang" (`make soak-clang`) has
 * all of them, the others a part, which DUET_TRIALS_DIVISOR of CMake sets. */
#ifndef DUET_TESTS_TRIALS_H
#define DUET_TESTS_TRIALS_H

#ifndef TRIALS_DIVISOR
#define TRIALS_DIVISOR 1
#endif
enum { TRIALS_PART = TRIALS_DIVISOR }; /* one in so many */

#define TRIALS_OF(all) (((all) + TRIALS_PART - 1) / TRIALS_PART)

#endif
