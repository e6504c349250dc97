/* Ids of rows: a table of the server counts them, and each client fetches blocks of
 * them, so that what it measures has its last ids before it is sent. */
#include "store/postgresql/remote_private.h"

#include <stdio.h>
#include <string.h>

static const char doing[] = "asking for ids";
enum { BLOCK_MIN = 64, BLOCK_MAX = 4096 };

struct wanted_ids {
    const char *table;
    uint64_t count;
    int64_t first;
};

static enum duet_code ask_ids(struct store *store, const char *doing_what,
                              void *context, struct duet_error *reterr)
{
    struct wanted_ids *wanted = context;
    char count[32];
    const char *const parameters[] = {wanted->table, count};
    (void)snprintf(count, sizeof count, "%llu", (unsigned long long)wanted->count);
    return remote_ask_int(
        store->remote, doing_what,
        "UPDATE duet.counter SET next = next + $2::bigint WHERE name = $1 RETURNING next - $2::bigint",
        parameters, 2, &wanted->first, reterr);
}

enum duet_code remote_ids(struct store *store, const char *table, uint64_t count,
                          int64_t *ret_first, struct duet_error *reterr)
{
    struct wanted_ids wanted = {.table = table, .count = count};
    enum duet_code code =
        remote_try(store, doing, STORE_BUSY_MS, ask_ids, &wanted, reterr);
    if (code == DUET_OK && wanted.first == 0) {
        code = error_set(reterr, DUET_E_FORMAT,
                         "store '%s' is damaged: duet.counter has no row '%s'",
                         store->path, table);
    }
    if (code == DUET_OK) {
        *ret_first = wanted.first;
    }
    return code;
}

static struct remote_pool *pool_of(struct remote *remote, const char *table)
{
    for (size_t i = 0; i < REMOTE_POOLS; i++) {
        struct remote_pool *pool = &remote->pools[i];
        if (pool->table == NULL) {
            pool->table = table;
        }
        if (strcmp(pool->table, table) == 0) {
            return pool;
        }
    }
    return NULL;
}

/* Numbers that people see come one at a time, without gaps; of the others the blocks
 * grow with what is needed. `table` is a literal. */
static uint64_t next_block(struct remote_pool *pool)
{
    if (strcmp(pool->table, "experiment") == 0) {
        return 1;
    }
    pool->block = pool->block == 0           ? BLOCK_MIN
                  : pool->block >= BLOCK_MAX ? BLOCK_MAX
                                             : pool->block * 2;
    return pool->block;
}

/* As long as there is a connection, so that what is measured without one has ids. */
static void refill_early(struct store *store, struct remote_pool *pool)
{
    if (pool->spare != 0 || pool->end - pool->next > (int64_t)pool->block / 2 ||
        !remote_is_linked(store->remote)) {
        return;
    }
    struct wanted_ids wanted = {.table = pool->table, .count = next_block(pool)};
    if (wanted.count > 1 && ask_ids(store, doing, &wanted, NULL) == DUET_OK) {
        pool->spare = wanted.first;
        pool->spare_count = wanted.count;
    }
}

int64_t remote_id(struct store *store, const char *table)
{
    struct remote *remote = store->remote;
    struct remote_pool *pool = pool_of(remote, table);
    if (remote->detached || pool == NULL) {
        return 0;
    }
    if (pool->next == pool->end && pool->spare != 0) {
        pool->next = pool->spare;
        pool->end = pool->spare + (int64_t)pool->spare_count;
        pool->spare = 0;
    }
    if (pool->next == pool->end) {
        uint64_t count = next_block(pool);
        int64_t first = 0;
        if (remote_ids(store, table, count, &first, &remote->why) != DUET_OK) {
            remote->detached = remote->detached || remote->transient;
            remote->unnumbered = true;
            return 0;
        }
        pool->next = first;
        pool->end = first + (int64_t)count;
    }
    int64_t id = pool->next++;
    refill_early(store, pool);
    return id;
}

/* ---- Machines: the same for all who measure on one ---- */

static enum duet_code make_instance(struct store *store, const char *doing_what,
                                    void *context, struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    const char *uuid = context;
    int64_t id = 0;
    enum duet_code code = remote_ask_int(remote, doing_what,
                                         "SELECT id FROM duet.instance WHERE uuid = $1",
                                         &uuid, 1, &id, reterr);
    if (code == DUET_OK && id == 0) {
        int64_t fresh = 0;
        struct wanted_ids wanted = {.table = "instance", .count = 1};
        code = ask_ids(store, doing_what, &wanted, reterr);
        fresh = wanted.first;
        char number[32];
        const char *const parameters[] = {number, uuid};
        (void)snprintf(number, sizeof number, "%lld", (long long)fresh);
        if (code == DUET_OK) {
            code = remote_ask(
                remote, doing_what,
                "INSERT INTO duet.instance(id, uuid) VALUES($1::bigint, $2) ON CONFLICT (uuid) DO NOTHING",
                parameters, 2, NULL, reterr);
        }
        if (code == DUET_OK) {
            code = remote_ask_int(remote, doing_what,
                                  "SELECT id FROM duet.instance WHERE uuid = $1", &uuid,
                                  1, &id, reterr);
        }
    }
    if (code != DUET_OK) {
        return code;
    }
    remote->recording = false;
    struct store_query query = store_ask(
        store, doing_what, "INSERT OR IGNORE INTO instance(id, uuid) VALUES(?, ?)");
    store_bind_int(&query, id);
    store_bind_string(&query, uuid);
    code = store_run(&query, reterr);
    store_query_end(&query);
    remote->recording = true;
    return code;
}

enum duet_code remote_need_instance(struct store *store, const char *uuid,
                                    struct duet_error *reterr)
{
    char copy[64];
    if (store->remote == NULL || store->remote->detached || uuid == NULL ||
        uuid[0] == '\0') {
        return DUET_OK;
    }
    text_copy(copy, sizeof copy, uuid);
    return remote_try(store, "looking for its machine", STORE_BUSY_MS, make_instance,
                      copy, reterr);
}
