#include "store/store_private.h"

#include <stdio.h>

static const char doing[] = "bringing its tables up to date";

static enum duet_code read_version(struct store *store, int64_t *ret_version,
                                   struct duet_error *reterr)
{
    struct store_query query = store_ask(store, doing, "PRAGMA user_version");
    bool row = false;
    return store_fetch_int(&query, &row, ret_version, reterr);
}

/* Inside a transaction. The header's two numbers are part of it. */
static enum duet_code apply(struct store *store, const struct store_migration *step,
                            size_t version, struct duet_error *reterr)
{
    for (const char *const *sql = step->statements; *sql != NULL; sql++) {
        enum duet_code code = store_execute(store, *sql, doing, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    char header[96];
    (void)snprintf(header, sizeof header,
                   "PRAGMA application_id = %d; PRAGMA user_version = %zu",
                   STORE_APPLICATION_ID, version);
    return store_execute(store, header, doing, reterr);
}

/* The version is read again under the write lock: another process may have done the
 * step between our looking and our beginning. */
static enum duet_code migrate_once(struct store *store,
                                   const struct store_migration *steps, size_t count,
                                   const struct store_migration *whole,
                                   int64_t *ret_version, struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, doing, reterr);
    if (code != DUET_OK) {
        return code;
    }
    int64_t version = 0;
    code = read_version(store, &version, reterr);
    if (code == DUET_OK && version == 0 && whole != NULL) {
        code = apply(store, whole, count, reterr);
        version = (int64_t)count;
    } else if (code == DUET_OK && version >= 0 && (uint64_t)version < count) {
        code = apply(store, &steps[version], (size_t)version + 1, reterr);
        version++;
    }
    code = store_end(store, code, doing, reterr);
    if (code == DUET_OK) {
        *ret_version = version;
    }
    return code;
}

/* Whether it never held an experiment or anything else: sqlite_sequence remembers also
 * what was removed. */
static enum duet_code is_unused(struct store *store, bool *ret_unused,
                                struct duet_error *reterr)
{
    bool row = false;
    int64_t tables = 0;
    int64_t used = 0;
    struct store_query query = store_ask(
        store, doing, "SELECT count(*) FROM sqlite_schema WHERE name = 'experiment'");
    enum duet_code code = store_fetch_int(&query, &row, &tables, reterr);
    if (code == DUET_OK && tables > 0) {
        query = store_ask(store, doing,
                          "SELECT count(*) FROM sqlite_sequence WHERE seq > 0");
        code = store_fetch_int(&query, &row, &used, reterr);
    }
    if (code == DUET_OK) {
        *ret_unused = tables > 0 && used == 0;
    }
    return code;
}

/* Of an unused store nobody can tell whether its making was cut short or is long ago.
 */
static enum duet_code refuse_read_only(struct store *store, struct duet_error *reterr)
{
    bool unused = false;
    enum duet_code code = is_unused(store, &unused, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (unused) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s' holds nothing and lacks tables: the disk was full when it was made, or an older duet made it; "
            "it is read-only: remove it, or make it and its folder writable",
            store->path);
    }
    return error_set(
        reterr, DUET_E_IO,
        "store '%s' was written by an older duet and must be brought up to date, but it is read-only: "
        "make it and its folder writable, or copy it elsewhere",
        store->path);
}

enum duet_code store_migrate(struct store *store, const struct store_migration *steps,
                             size_t count, const struct store_migration *whole,
                             struct duet_error *reterr)
{
    int64_t version = 0;
    enum duet_code code = read_version(store, &version, reterr);
    while (code == DUET_OK && version >= 0 && (uint64_t)version < count) {
        if (store->read_only) {
            return refuse_read_only(store, reterr);
        }
        code = migrate_once(store, steps, count, whole, &version, reterr);
    }
    if (code == DUET_OK && (version < 0 || (uint64_t)version > count)) {
        return error_set(
            reterr, DUET_E_VERSION,
            "store '%s' has tables of version %lld, written by a newer duet; this one knows versions up to %zu: "
            "use the newer duet, or name another file with --store",
            store->path, (long long)version, count);
    }
    return code;
}
