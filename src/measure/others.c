#include "measure/others.h"

#include "machine/taken.h"
#include "sync/clock.h"

#include <math.h>
#include <sys/resource.h>

static uint64_t executed_ns(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0) {
        return 0;
    }
    int64_t us = ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return (uint64_t)us * 1000U;
}

void others_look(const struct model_cpu_set *cpus, struct others_look *ret_look)
{
    struct others_look look = {.known = true};
    for (size_t i = 0; i < cpus->count && look.known; i++) {
        struct taken_host host;
        look.known = taken_by_host("", cpus->cpus[i], &host);
        look.idle_ns += host.idle_ns;
    }
    look.own_ns = executed_ns(RUSAGE_SELF) + executed_ns(RUSAGE_CHILDREN);
    look.clock_ns = clock_mono_ns();
    *ret_look = look;
}

void others_between(const struct model_cpu_set *cpus, const struct others_look *before,
                    const struct others_look *after, double *ret_others_ns,
                    double *ret_window_ns)
{
    *ret_others_ns = *ret_window_ns = (double)NAN;
    if (!before->known || !after->known) {
        return;
    }
    double window_ns =
        (double)cpus->count * (double)(after->clock_ns - before->clock_ns);
    double idle_ns = (double)after->idle_ns - (double)before->idle_ns;
    double own_ns = (double)after->own_ns - (double)before->own_ns;
    *ret_window_ns = window_ns;
    *ret_others_ns = window_ns - idle_ns - own_ns;
}
