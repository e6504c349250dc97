#include "stats/regression/lapack.h"

#include "base/library.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <stdbool.h>

static const char library[] = "liblapacke.so.3";

/* What is loaded has the types that the header promises. */
#define HAS_TYPE_OF(member, function)                                     \
    _Static_assert(__builtin_types_compatible_p(                          \
                       __typeof__(((struct stats_lapack *)NULL)->member), \
                       __typeof__(&(function))),                          \
                   "struct stats_lapack disagrees with lapacke.h: " #member)
HAS_TYPE_OF(dpotrf, LAPACKE_dpotrf_work);
HAS_TYPE_OF(dpotrs, LAPACKE_dpotrs_work);
HAS_TYPE_OF(dtrtrs, LAPACKE_dtrtrs_work);
_Static_assert(STATS_LAPACK_BY_COLUMNS == LAPACK_COL_MAJOR, "see lapacke.h");

enum duet_code stats_lapack_load(struct stats_lapack *ret_lapack,
                                 struct duet_error *reterr)
{
    struct stats_lapack made = {NULL, NULL, NULL};
    const char *why = NULL;
    void *handle = library_load(library, &why);
    if (handle == NULL) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "this needs LAPACKE (%s); install it (Debian: apt-get install liblapacke): %s",
            library, why);
    }
    bool whole = library_function(handle, "LAPACKE_dpotrf_work", &made.dpotrf,
                                  sizeof made.dpotrf) &&
                 library_function(handle, "LAPACKE_dpotrs_work", &made.dpotrs,
                                  sizeof made.dpotrs) &&
                 library_function(handle, "LAPACKE_dtrtrs_work", &made.dtrtrs,
                                  sizeof made.dtrtrs);
    (void)dlclose(handle);
    if (!whole) {
        return error_set(reterr, DUET_E_UNSUITABLE,
                         "%s lacks functions of LAPACKE 3.4 and later", library);
    }
    *ret_lapack = made;
    return DUET_OK;
}
