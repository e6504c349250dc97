/* Who measures an experiment: a lock of the server's that ends with the connection, so
 * that none is left behind by a process that died. Its key is an experiment's id under
 * "duet" in the upper half. */
#include "store/postgresql/remote_private.h"

#include "base/alloc.h"

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

bool remote_is_locked(struct store *store, int64_t experiment)
{
    int64_t idle = 1;
    /* An if-then: the lock that was got for the look is given back. */
    enum duet_code code = remote_ask_lock(
        store->remote, doing,
        "SELECT (CASE WHEN pg_try_advisory_lock($1::bigint) THEN pg_advisory_unlock($1::bigint) ELSE false END)::int",
        experiment, &idle, NULL);
    return code == DUET_OK && idle == 0;
}
