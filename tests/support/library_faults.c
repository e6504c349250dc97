/* Preloaded into a program (nth_call.h): the n-th call of a class of library functions
 * fails. A class is "memory", or the name of a function below; a code is SQLite's. */
#include "nth_call.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <sqlite3.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

/* Calls within a library are its own business: SQLite takes it that a statement of its
 * own that says of itself that it is well has come to its end. Its memory is not. */
static bool is_inside(const char *class, const void *caller)
{
    const char *library = strncmp(class, "sqlite3_", 8) == 0 ? "libsqlite3"
                          : strncmp(class, "hwloc_", 6) == 0 ? "libhwloc"
                                                             : NULL;
    Dl_info info;
    return library != NULL && dladdr(caller, &info) != 0 &&
           strstr(info.dli_fname, library) != NULL;
}

static bool fails(const char *class, const void *caller)
{
    return nth_call_is_meant(class) && !is_inside(class, caller) &&
           nth_call_fails(class);
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *malloc(size_t bytes)
{
    if (fails("memory", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (fails("memory", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    if (fails("memory", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, bytes);
}

/* The function that a program would have without this library, looked up once, since
 * some are called often; NULL: it has none. */
#define FIND(function, name)                             \
    if ((function) == NULL) {                            \
        *(void **)&(function) = dlsym(RTLD_NEXT, #name); \
    }

/* A function of a library, which fails without having been called. */
#define FAILING(type, name, parameters, arguments, failure)       \
    type name parameters                                          \
    {                                                             \
        static type(*next) parameters;                            \
        FIND(next, name)                                          \
        return fails(#name, CALLER) ? (failure) : next arguments; \
    }

/* What SQLite says of its last failure. */
#define FAILED_WITH(name)                                                         \
    int name(sqlite3 *db)                                                         \
    {                                                                             \
        static int (*next)(sqlite3 *);                                            \
        FIND(next, name)                                                          \
        return fault.class != NULL && strncmp(fault.class, "sqlite3_", 8) == 0 && \
                       atomic_load(&fault.counts[1]) > 0                          \
                   ? fault.code                                                   \
                   : next(db);                                                    \
    }

FAILED_WITH(sqlite3_errcode)
FAILED_WITH(sqlite3_extended_errcode)

/* SQLite sets what it opens and prepares, also when it fails. */
int sqlite3_open_v2(const char *path, sqlite3 **ret_db, int flags, const char *vfs)
{
    static int (*next)(const char *, sqlite3 **, int, const char *);
    FIND(next, sqlite3_open_v2)
    int code = next(path, ret_db, flags, vfs);
    return fails("sqlite3_open_v2", CALLER) ? fault.code : code;
}

FAILING(int, sqlite3_prepare_v3,
        (sqlite3 * db, const char *sql, int bytes, unsigned int flags,
         sqlite3_stmt **ret_statement, const char **ret_tail),
        (db, sql, bytes, flags, ret_statement, ret_tail),
        (*ret_statement = NULL, fault.code))
/* The texts of a row that SQLite has found, and does not look for again. One thread has
 * the store. */
static struct {
    sqlite3_stmt *statement;
    int column;
} found[256];

static void forget(sqlite3_stmt *statement)
{
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        if (found[i].statement == statement) {
            found[i].statement = NULL;
        }
    }
}

static bool is_found(sqlite3_stmt *statement, int column)
{
    size_t unused = 0;
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        if (found[i].statement == statement && found[i].column == column) {
            return true;
        }
        unused = found[i].statement == NULL ? i : unused;
    }
    found[unused].statement = statement;
    found[unused].column = column;
    return false;
}

const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column)
{
    static const unsigned char *(*next)(sqlite3_stmt *, int);
    static int (*type_of)(sqlite3_stmt *, int); /* programs without SQLite have none */
    FIND(next, sqlite3_column_text)
    FIND(type_of, sqlite3_column_type)
    return type_of(statement, column) != SQLITE_NULL && !is_found(statement, column) &&
                   fails("sqlite3_column_text", CALLER)
               ? NULL
               : next(statement, column);
}

int sqlite3_step(sqlite3_stmt *statement)
{
    static int (*next)(sqlite3_stmt *);
    FIND(next, sqlite3_step)
    forget(statement);
    return fails("sqlite3_step", CALLER) ? fault.code : next(statement);
}

FAILING(int, sqlite3_exec,
        (sqlite3 * db, const char *sql, int (*call)(void *, int, char **, char **),
         void *context, char **ret_error),
        (db, sql, call, context, ret_error), fault.code)
FAILING(int, sqlite3_bind_int64,
        (sqlite3_stmt * statement, int at, sqlite3_int64 value), (statement, at, value),
        fault.code)
FAILING(int, sqlite3_bind_double, (sqlite3_stmt * statement, int at, double value),
        (statement, at, value), fault.code)
FAILING(int, sqlite3_bind_text,
        (sqlite3_stmt * statement, int at, const char *text, int bytes,
         void (*end)(void *)),
        (statement, at, text, bytes, end), fault.code)
FAILING(int, sqlite3_bind_blob64,
        (sqlite3_stmt * statement, int at, const void *blob, sqlite3_uint64 bytes,
         void (*end)(void *)),
        (statement, at, blob, bytes, end), fault.code)
FAILING(const void *, sqlite3_column_blob, (sqlite3_stmt * statement, int column),
        (statement, column), NULL)

FAILING(int, hwloc_topology_init, (hwloc_topology_t * ret_topology), (ret_topology), -1)
FAILING(int, hwloc_topology_load, (hwloc_topology_t topology), (topology), -1)
FAILING(int, hwloc_topology_set_flags, (hwloc_topology_t topology, unsigned long flags),
        (topology, flags), -1)
FAILING(int, hwloc_topology_set_xml, (hwloc_topology_t topology, const char *path),
        (topology, path), -1)
FAILING(hwloc_const_bitmap_t, hwloc_topology_get_allowed_cpuset,
        (hwloc_topology_t topology), (topology), NULL)
FAILING(hwloc_obj_t, hwloc_get_obj_by_depth,
        (hwloc_topology_t topology, int depth, unsigned int index),
        (topology, depth, index), NULL)
FAILING(int, hwloc_cpukinds_get_by_cpuset,
        (hwloc_topology_t topology, hwloc_const_bitmap_t set, unsigned long flags),
        (topology, set, flags), -1)
FAILING(int, pthread_create,
        (pthread_t * ret_thread, const pthread_attr_t *attributes,
         void *(*begin)(void *), void *context),
        (ret_thread, attributes, begin, context), EAGAIN)
