#include "workloads/workload.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"
#include "workloads/workload_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Above it a double no longer holds every whole number. */
#define OPERATIONS_MAX 0x1p53

static const struct workload_kind *const kinds[] = {
    &workload_integer,
    &workload_float,
    &workload_cache,
    &workload_memory,
};

const struct workload_kind *workload_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}

enum duet_code workload_kind_find(const char *name,
                                  const struct workload_kind **ret_kind,
                                  struct duet_error *reterr)
{
    struct text names = {0};
    for (size_t i = 0; workload_kind_at(i) != NULL; i++) {
        const struct workload_kind *kind = workload_kind_at(i);
        if (strcmp(kind->name, name) == 0) {
            text_release(&names);
            *ret_kind = kind;
            return DUET_OK;
        }
        text_append_format(&names, "%s%s", i == 0 ? "" : ", ", kind->name);
    }
    enum duet_code code =
        error_set(reterr, DUET_E_USAGE, "no workload is called \"%s\"; there are: %s",
                  name, text_string(&names));
    text_release(&names);
    return code;
}

/* The first page boundary at or after `block`. */
static void *page_align(void *block, size_t page_bytes)
{
    size_t past = (size_t)((uintptr_t)block % page_bytes);
    return (char *)block + (past == 0 ? 0 : page_bytes - past);
}

enum duet_code workload_new(const struct workload_kind *kind, uint64_t seed,
                            struct workload **ret_workload, struct duet_error *reterr)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct workload *workload = alloc_array(1, sizeof *workload);
    void *block = alloc_array(kind->data_bytes + page_bytes, 1);
    if (workload == NULL || block == NULL) {
        free(workload);
        free(block);
        return error_set(reterr, DUET_E_NOMEM,
                         "no memory for the %zu KiB of the workload \"%s\"",
                         kind->data_bytes / 1024, kind->name);
    }
    *workload = (struct workload){
        .kind = kind, .block = block, .data = page_align(block, page_bytes)};
    /* Fails where the kernel has no huge pages to keep away: nothing to do then. */
    (void)madvise(workload->data, kind->data_bytes, MADV_NOHUGEPAGE);
    struct random_stream random = random_stream_at(seed, 0);
    kind->prepare(workload, &random);
    *ret_workload = workload;
    return DUET_OK;
}

void workload_free(struct workload *workload)
{
    if (workload != NULL) {
        free(workload->block);
        free(workload);
    }
}

uint64_t workload_execute(struct workload *workload, uint64_t operations)
{
    return workload->kind->execute(workload, operations);
}

enum duet_code workload_operations(uint64_t rate_operations_per_s, uint64_t duration_ns,
                                   double scale, uint64_t *ret_operations,
                                   struct duet_error *reterr)
{
    if (!isfinite(scale) || scale <= 0.0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the scale of a workload must be above 0 and finite, not %g",
                         scale);
    }
    double unscaled = round((double)rate_operations_per_s * (double)duration_ns * 1e-9);
    double operations = round(unscaled * scale);
    if (unscaled < 1.0 || operations < 1.0 || operations > OPERATIONS_MAX) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "%.9g s at %.6g operations a second, times %g, is %s; choose another duration or scale",
            (double)duration_ns * 1e-9, (double)rate_operations_per_s, scale,
            operations > OPERATIONS_MAX ? "more than 2^53 operations"
                                        : "less than one operation");
    }
    *ret_operations = (uint64_t)operations;
    return DUET_OK;
}
