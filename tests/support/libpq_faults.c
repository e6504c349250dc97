/* Preloaded into a program (nth_call.h) that loads libpq: its n-th call of a function
 * below fails without having been made, as when there is no memory; or, of the class
 * "connection", the connection is cut before it is made. */
#include "nth_call.h"

#include <dlfcn.h>
#include <libpq-fe.h>
#include <stddef.h>
#include <sys/socket.h>

enum { PQ_GET_ERROR = -2 }; /* of PQgetCopyData() */

static void *libpq; /* what the program has loaded */

/* The C library's own, which is called below another name. */
static void *dlsym_of_libc(void *handle, const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    static void *(*found)(void *, const char *);
    for (size_t i = 0; found == NULL && i < sizeof versions / sizeof versions[0]; i++) {
        *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    }
    return found(handle, name);
}

static void cut(PGconn *connection)
{
    int (*socket_of)(const PGconn *) = NULL;
    *(void **)&socket_of = dlsym_of_libc(libpq, "PQsocket");
    if (nth_call_fails("connection")) {
        (void)shutdown(socket_of(connection), SHUT_RDWR);
    }
}

/* A function of a connection. */
#define FAILING(type, name, parameters, arguments, failure)        \
    static type fault_##name parameters                            \
    {                                                              \
        type(*next) parameters = NULL;                             \
        *(void **)&next = dlsym_of_libc(libpq, #name);             \
        cut(connection);                                           \
        return nth_call_fails(#name) ? (failure) : next arguments; \
    }

FAILING(PGresult *, PQexec, (PGconn * connection, const char *sql), (connection, sql),
        NULL)
FAILING(PGresult *, PQexecParams,
        (PGconn * connection, const char *sql, int count, const Oid *types,
         const char *const *values, const int *lengths, const int *formats, int format),
        (connection, sql, count, types, values, lengths, formats, format), NULL)
FAILING(PGresult *, PQgetResult, (PGconn * connection), (connection), NULL)
FAILING(int, PQputCopyData, (PGconn * connection, const char *bytes, int count),
        (connection, bytes, count), -1)
FAILING(int, PQputCopyEnd, (PGconn * connection, const char *error),
        (connection, error), -1)
FAILING(int, PQgetCopyData, (PGconn * connection, char **ret_bytes, int async),
        (connection, ret_bytes, async), (*ret_bytes = NULL, PQ_GET_ERROR))

static PGconn *fault_PQconnectdbParams(const char *const *words,
                                       const char *const *values, int expand)
{
    PGconn *(*next)(const char *const *, const char *const *, int) = NULL;
    *(void **)&next = dlsym_of_libc(libpq, "PQconnectdbParams");
    return nth_call_fails("PQconnectdbParams") ? NULL : next(words, values, expand);
}

static const struct {
    const char *name;
    void (*function)(void);
} replaced[] = {
#define REPLACED(name) {#name, (void (*)(void))fault_##name},
    REPLACED(PQconnectdbParams) REPLACED(PQexec) REPLACED(PQexecParams)
        REPLACED(PQgetResult) REPLACED(PQputCopyData) REPLACED(PQputCopyEnd)
            REPLACED(PQgetCopyData)
#undef REPLACED
};

void *dlsym(void *handle, const char *name)
{
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++) {
        if (strcmp(name, replaced[i].name) == 0) {
            libpq = handle;
            void *function = NULL;
            memcpy(&function, &replaced[i].function, sizeof function);
            return function;
        }
    }
    return dlsym_of_libc(handle, name);
}
