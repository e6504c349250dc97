/* Who measures an experiment: a lock of the server's that ends with the connection, so
 * that none is left behind by a process that died. Its key is an experiment's id under
 * "duet" in the upper half, a suite's id below 0 likewise (store_lock.c). */
#include "store/postgresql/remote_private.h"

#include "base/alloc.h"

#include <stdio.h>

static const char doing[] = "looking who measures an experiment";

bool remote_lock(struct store *store, int64_t experiment)
{
    struct remote *remote = store->remote;
    int64_t got = 0;
    if (remote_ask_lock(remote, doing, "SELECT pg_try_advisory_lock($1::bigint)::int",
                        experiment, &got, NULL) != DUET_OK) {
        return true; /* as where a file cannot be locked */
    }
    int64_t *grown = got == 0 ? NULL
                              : alloc_grow(remote->locks, remote->lock_count,
                                           &remote->lock_capacity, sizeof *grown);
    if (grown != NULL) {
        remote->locks = grown;
        remote->locks[remote->lock_count++] = experiment;
    }
    return got != 0;
}

void remote_unlock(struct store *store, int64_t experiment)
{
    struct remote *remote = store->remote;
    int64_t had = 0;
    for (size_t i = 0; i < remote->lock_count; i++) {
        if (remote->locks[i] == experiment) {
            remote->locks[i] = remote->locks[--remote->lock_count];
            /* Where this fails, the lock ends with the connection. */
            enum duet_code code = remote_ask_lock(
                remote, doing, "SELECT pg_advisory_unlock($1::bigint)::int", experiment,
                &had, NULL);
            (void)code;
            return;
        }
    }
}

/* Asked without trying it: that would keep it, for a moment, from a process that is
 * about to measure, and tell another one that looks that somebody does. */
bool remote_is_locked(struct store *store, int64_t experiment)
{
    int64_t locked = 0;
    enum duet_code code = remote_ask_lock(
        store->remote, doing,
        "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database "
        "WHERE datname = current_database()) AND classid::bigint = $1::bigint >> 32 AND objid::bigint = $1::bigint & "
        "4294967295 AND objsubid = 1 AND granted AND pid <> pg_backend_pid())::int",
        experiment, &locked, NULL);
    return code == DUET_OK && locked != 0;
}

enum duet_code remote_is_current(struct store *store, int64_t experiment,
                                 bool *ret_current, struct duet_error *reterr)
{
    char id[32];
    char state[32] = "";
    char runs[32] = "";
    const char *const parameters[] = {id, state, runs};
    bool row = false;
    int64_t same = 0;
    *ret_current = true;
    if (store->remote == NULL) {
        return DUET_OK;
    }
    struct store_query query = store_ask(
        store, doing,
        "SELECT state, (SELECT count(*) FROM run WHERE experiment_id = e.id) FROM experiment AS e WHERE id = ?");
    store_bind_int(&query, experiment);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        store_column_text(query.statement, 0, state, sizeof state);
        store_column_text(query.statement, 1, runs, sizeof runs);
    }
    store_query_end(&query);
    (void)snprintf(id, sizeof id, "%lld", (long long)experiment);
    if (code == DUET_OK && row) {
        code = remote_ask_int(
            store->remote, doing,
            "SELECT (state = $2 AND (SELECT count(*) FROM duet.run WHERE experiment_id = e.id) = $3::bigint)::int FROM "
            "duet.experiment AS e WHERE id = $1::bigint",
            parameters, 3, &same, reterr);
    }
    if (code == DUET_OK) {
        *ret_current = same != 0;
    }
    return code;
}
