#include "base/alloc.h"
#include "store/postgresql/remote_private.h"
#include "store/postgresql/remote_url.h"

#include <stdlib.h>

static const char doing[] = "opening it";

static void release(struct remote *remote)
{
    if (remote != NULL) {
        if (remote->conn != NULL) {
            remote->pq.PQfinish(remote->conn);
        }
        free(remote->locks);
        free(remote);
    }
}

/* The rows of a table where `condition` holds (NULL: all), whosever they are. */
static enum duet_code fetch_named(struct store *store, const char *table,
                                  const char *condition, struct duet_error *reterr)
{
    struct remote_columns columns = {.count = 0};
    store->remote->recording = false;
    enum duet_code code = remote_columns_read(store, table, &columns, reterr);
    if (code == DUET_OK) {
        code =
            remote_rows_fetch(store->remote, doing, store, &columns, condition, reterr);
    }
    remote_columns_release(&columns);
    store->remote->recording = true;
    return code;
}

/* Before anything is measured that would have no place. */
static enum duet_code check_writable(struct remote *remote, struct duet_error *reterr)
{
    int64_t may = 0;
    enum duet_code code = remote_ask_int(
        remote, doing,
        "SELECT (has_table_privilege('duet.counter', 'UPDATE') AND has_table_privilege('duet.run', 'INSERT'))::int",
        NULL, 0, &may, reterr);
    return code == DUET_OK && may == 0
               ? error_set(
                     reterr, DUET_E_IO,
                     "store '%s': the role '%s' may not do that (it may not write): docs/postgresql.md says what a "
                     "role needs",
                     remote->store->path, remote->pq.PQuser(remote->conn))
               : code;
}

static enum duet_code connect(struct store *store, const char *url, bool create,
                              struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    enum duet_code code = pq_load(&remote->pq, reterr);
    if (code == DUET_OK) {
        code = remote_link(remote, url, reterr);
    }
    if (code == DUET_OK) {
        code = remote_migrate(remote, create, reterr);
    }
    if (code == DUET_OK && create) {
        code = check_writable(remote, reterr);
    }
    if (code == DUET_OK) {
        code = remote_watch_mirror(store, reterr);
    }
    /* Metrics are few, and values refer to them by their numbers there. */
    return code == DUET_OK ? fetch_named(store, "metric", NULL, reterr) : code;
}

static const struct store_remote_calls calls = {.send = remote_send,
                                                .send_run = remote_send_run,
                                                .is_unsent = remote_is_unsent,
                                                .release = release};

enum duet_code remote_open(const char *url, bool create, struct store **ret_store,
                           struct duet_error *reterr)
{
    struct store *store = NULL;
    enum duet_code code = remote_url_check(url, reterr);
    if (code == DUET_OK) {
        code = store_open_unnamed(url, &store, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct remote *remote = alloc_array(1, sizeof *remote);
    if (remote == NULL) {
        store_close(store);
        return error_set(reterr, DUET_E_NOMEM, "no memory to open store '%s'", url);
    }
    remote->store = store;
    store->remote = remote;
    store->calls = &calls;
    code = connect(store, url, create, reterr);
    if (code != DUET_OK) {
        store_close(store);
        return code;
    }
    *ret_store = store;
    return DUET_OK;
}

/* ---- Merging into it ---- */

/* What of the attached store `other` is here by its name: experiments by their uuid,
 * what they share, and every baseline, whose names decide. */
static enum duet_code append_uuids(struct store *store, const char *table,
                                   struct text *to, struct duet_error *reterr)
{
    bool row = false;
    bool any = false;
    struct text sql = {0};
    /* Nothing else in it needs an escape. */
    text_append_format(
        &sql,
        "SELECT uuid FROM other.%s WHERE uuid IS NOT NULL AND uuid NOT GLOB '*[^-0-9A-Za-z]*'",
        table);
    struct store_query query = store_ask(store, doing, text_string(&sql));
    enum duet_code code = text_failed(&sql) ? store_out_of_memory(store, doing, reterr)
                                            : store_step(&query, &row, reterr);
    text_append_char(to, '{');
    while (code == DUET_OK && row) {
        text_append_format(to, "%s%s", any ? "," : "",
                           (const char *)sqlite3_column_text(query.statement, 0));
        any = true;
        code = store_step(&query, &row, reterr);
    }
    text_append_char(to, '}');
    store_query_end(&query);
    text_release(&sql);
    return code == DUET_OK && text_failed(to)
               ? store_out_of_memory(store, doing, reterr)
               : code;
}

static enum duet_code fetch_by_uuid(struct store *store, const char *table,
                                    struct duet_error *reterr)
{
    struct text uuids = {0};
    struct text condition = {0};
    enum duet_code code = append_uuids(store, table, &uuids, reterr);
    text_append_format(&condition, "uuid = ANY('%s'::text[])", text_string(&uuids));
    if (code == DUET_OK && text_failed(&condition)) {
        code = store_out_of_memory(store, doing, reterr);
    }
    if (code == DUET_OK) {
        code = fetch_named(store, table, text_string(&condition), reterr);
    }
    text_release(&condition);
    text_release(&uuids);
    return code;
}

/* Machines are made at once, since others may be about to make the same. */
static enum duet_code need_instances(struct store *store, struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(
        store, doing,
        "SELECT uuid FROM other.instance WHERE uuid IS NOT NULL AND uuid NOT IN (SELECT uuid FROM main.instance "
        "WHERE uuid IS NOT NULL)");
    enum duet_code code = store_step(&query, &row, reterr);
    while (code == DUET_OK && row) {
        code = remote_need_instance(
            store, (const char *)sqlite3_column_text(query.statement, 0), reterr);
        if (code == DUET_OK) {
            code = store_step(&query, &row, reterr);
        }
    }
    store_query_end(&query);
    return code;
}

enum duet_code remote_merge_begin(struct store *store, struct duet_error *reterr)
{
    struct text uuids = {0};
    if (store->remote == NULL) {
        return DUET_OK;
    }
    enum duet_code code = remote_execute(
        store->remote, doing, "SELECT pg_advisory_lock(1685415284, 1)", reterr);
    if (code == DUET_OK) {
        code = fetch_named(store, "metric", NULL, reterr);
    }
    if (code == DUET_OK) {
        code = append_uuids(store, "experiment", &uuids, reterr);
    }
    if (code == DUET_OK) {
        code = remote_need(
            store, "SELECT id FROM duet.experiment WHERE uuid = ANY($1::text[])",
            text_string(&uuids), reterr);
    }
    text_release(&uuids);
    if (code == DUET_OK) {
        code = fetch_by_uuid(store, "suite_run", reterr);
    }
    if (code == DUET_OK) {
        code = fetch_by_uuid(store, "instance", reterr);
    }
    if (code == DUET_OK) {
        code = fetch_named(store, "baseline", NULL, reterr);
    }
    return code == DUET_OK ? need_instances(store, reterr) : code;
}

void remote_merge_end(struct store *store)
{
    struct remote *remote = store->remote;
    int64_t had = 0;
    if (remote != NULL && remote_is_linked(remote)) {
        /* Where this fails, the lock ends with the connection. */
        enum duet_code code = remote_ask_int(
            remote, doing, "SELECT pg_advisory_unlock(1685415284, 1)::int", NULL, 0,
            &had, NULL);
        (void)code;
    }
}
