/* The number of threads of loops (base/threads.h), as users choose it. */
#ifndef DUET_TESTS_USE_THREADS_H
#define DUET_TESTS_USE_THREADS_H

#include <stdio.h>
#include <stdlib.h>

static inline void use_threads(int count)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", count);
    (void)setenv("OMP_NUM_THREADS", text, 1);
}

#endif
