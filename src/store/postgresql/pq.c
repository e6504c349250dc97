#include "store/postgresql/pq.h"

#include "base/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static const char library[] = "libpq.so.5";

#ifdef DUET_LIBPQ_HEADER
#include <libpq-fe.h>
/* What is loaded has the types that the header promises. */
#define HAS_TYPE_OF(result, name, parameters)                                          \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct pq *)NULL)->name), \
                                                __typeof__(&(name))),                  \
                   "struct pq disagrees with libpq-fe.h: " #name);
PQ_FUNCTIONS(HAS_TYPE_OF)
_Static_assert(sizeof(struct pq_option) == sizeof(PQconninfoOption) &&
                   offsetof(struct pq_option, val) == offsetof(PQconninfoOption, val),
               "struct pq_option disagrees with libpq-fe.h");
_Static_assert((int)PQ_CONNECTED == (int)CONNECTION_OK &&
                   (int)PQ_COMMAND_OK == (int)PGRES_COMMAND_OK &&
                   (int)PQ_TUPLES_OK == (int)PGRES_TUPLES_OK &&
                   (int)PQ_COPY_OUT == (int)PGRES_COPY_OUT &&
                   (int)PQ_COPY_IN == (int)PGRES_COPY_IN,
               "a status has another number in libpq-fe.h");
#endif

#ifndef DUET_STATIC

enum duet_code pq_load(struct pq *ret_pq, struct duet_error *reterr)
{
    struct pq made;
    const char *why = NULL;
    void *handle = library_load(library, &why);
    if (handle == NULL) {
        return error_set(
            reterr, DUET_E_UNSUITABLE,
            "a PostgreSQL store needs libpq (%s); install it (Debian: apt-get install libpq5), or name a file with "
            "--store: %s",
            library, why);
    }
    bool whole =
        library_function(handle, "PQconninfoParse", (void *)&made.PQconninfoParse,
                         sizeof made.PQconninfoParse) &&
        library_function(handle, "PQconninfoFree", (void *)&made.PQconninfoFree,
                         sizeof made.PQconninfoFree);
#define FIND(result, name, parameters) \
    whole = whole &&                   \
            library_function(handle, #name, (void *)&made.name, sizeof made.name);
    PQ_FUNCTIONS(FIND)
#undef FIND
    (void)dlclose(handle);
    if (!whole) {
        return error_set(reterr, DUET_E_UNSUITABLE, "%s lacks functions of libpq 9.3",
                         library);
    }
    *ret_pq = made;
    return DUET_OK;
}

#else

enum duet_code pq_load(struct pq *ret_pq, struct duet_error *reterr)
{
    (void)ret_pq;
    return error_set(
        reterr, DUET_E_UNSUITABLE,
        "this duet is one static file and cannot load libpq (%s), which a PostgreSQL store needs: use the Debian "
        "package or a build from source, or name a file with --store",
        library);
}

#endif
