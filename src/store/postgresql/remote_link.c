#include "store/postgresql/remote_private.h"

#include "base/alloc.h"
#include "store/postgresql/remote_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t remote_clock_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Errors ---- */

/* PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_MESSAGE_DETAIL. */
enum { FIELD_STATE = 'C', FIELD_MESSAGE = 'M', FIELD_DETAIL = 'D' };

/* Classes and states of SQL that are gone when one tries again: the server is shut
 * down, starts, has no connection left, or took another transaction first. */
static bool is_transient(const char *state)
{
    static const char *const gone[] = {"08",    "57P01", "57P02", "57P03",
                                       "53300", "40001", "40P01"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        if (strncmp(state, gone[i], strlen(gone[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* The first line of what libpq says. */
static int line_length(const char *message)
{
    return (int)strcspn(message, "\n");
}

static enum duet_code fail_linking(struct remote *remote, const char *doing,
                                   struct duet_error *reterr)
{
    const char *why = remote->conn == NULL ? "no memory left"
                                           : remote->pq.PQerrorMessage(remote->conn);
    remote->transient = true;
    return error_set(reterr, DUET_E_IO,
                     "store '%s': no connection to PostgreSQL while %s: %.*s",
                     remote->store->path, doing, line_length(why), why);
}

enum duet_code remote_fail(struct remote *remote, const char *doing,
                           const struct pg_result *result, struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    const char *url = remote->store->path;
    const char *state =
        result == NULL ? NULL : pq->PQresultErrorField(result, FIELD_STATE);
    if (!remote_is_linked(remote) || state == NULL) {
        return fail_linking(remote, doing, reterr);
    }
    const char *message = pq->PQresultErrorField(result, FIELD_MESSAGE);
    const char *detail = pq->PQresultErrorField(result, FIELD_DETAIL);
    message = message == NULL ? "unknown error" : message;
    remote->transient = is_transient(state);
    if (strcmp(state, "42501") == 0) {
        return error_set(
            reterr, DUET_E_IO,
            "store '%s': the role '%s' may not do that (%s, while %s): docs/postgresql.md says what a role needs",
            url, pq->PQuser(remote->conn), message, doing);
    }
    if (strcmp(state, "53100") == 0) {
        return error_set(reterr, DUET_E_IO,
                         "store '%s': disk full on the server (%s) while %s", url,
                         message, doing);
    }
    if (strcmp(state, "25006") == 0) {
        return error_set(reterr, DUET_E_IO,
                         "store '%s' is read-only (%s): name the primary server", url,
                         doing);
    }
    return error_set(reterr, DUET_E_IO, "store '%s': %s%s%s (while %s)", url, message,
                     detail == NULL ? "" : ": ", detail == NULL ? "" : detail, doing);
}

/* ---- Connecting ---- */

/* What libpq understands of the URL, where its names are written in another way. */
static enum duet_code check_url(struct remote *remote, const char *url,
                                struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    char *why = NULL;
    struct pq_option *options = pq->PQconninfoParse(url, &why);
    enum duet_code code = DUET_OK;
    if (options == NULL) {
        code = error_set(reterr, DUET_E_USAGE,
                         "the URL of --store is not one that PostgreSQL takes: %.*s",
                         line_length(why == NULL ? "" : why), why == NULL ? "" : why);
    }
    for (const struct pq_option *option = options;
         option != NULL && option->keyword != NULL && code == DUET_OK; option++) {
        if (option->val != NULL && option->val[0] != '\0' &&
            (strcmp(option->keyword, "password") == 0 ||
             strcmp(option->keyword, "sslpassword") == 0)) {
            code = remote_url_refuse(reterr);
        }
    }
    pq->PQconninfoFree(options);
    pq->PQfreemem(why);
    return code;
}

static const char settings[] = "SET search_path = duet, pg_catalog";

/* libpq would print what a server only remarks. */
static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static enum duet_code check_encoding(struct remote *remote, struct duet_error *reterr)
{
    const char *encoding =
        remote->pq.PQparameterStatus(remote->conn, "server_encoding");
    return encoding == NULL || strcmp(encoding, "UTF8") == 0
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_UNSUITABLE,
                     "store '%s': the database is in %s: make one in UTF-8 (createdb -E UTF8 -T template0 NAME)",
                     remote->store->path, encoding);
}

enum duet_code remote_link(struct remote *remote, const char *url,
                           struct duet_error *reterr)
{
    static const char doing[] = "opening it";
    /* What stands before the URL are defaults, which it overrides. A server that is
     * gone without a word is noticed after half a minute. */
    const char *const names[] = {"connect_timeout",
                                 "tcp_user_timeout",
                                 "keepalives_idle",
                                 "fallback_application_name",
                                 "dbname",
                                 "client_encoding",
                                 NULL};
    const char *timeout = getenv("PGCONNECT_TIMEOUT");
    const char *const values[] = {
        timeout != NULL ? timeout : "10", "30000", "30", "duet", url, "UTF8", NULL};
    enum duet_code code = check_url(remote, url, reterr);
    if (code != DUET_OK) {
        return code;
    }
    remote->conn = remote->pq.PQconnectdbParams(names, values, 1);
    if (!remote_is_linked(remote)) {
        return fail_linking(remote, doing, reterr);
    }
    (void)remote->pq.PQsetNoticeProcessor(remote->conn, ignore_notice, NULL);
    code = check_encoding(remote, reterr);
    return code == DUET_OK ? remote_execute(remote, doing, settings, reterr) : code;
}

bool remote_is_linked(const struct remote *remote)
{
    return remote->conn != NULL && remote->pq.PQstatus(remote->conn) == PQ_CONNECTED;
}

/* Once more, after the connection was lost; takes the locks again. */
static enum duet_code relink(struct remote *remote, const char *doing,
                             struct duet_error *reterr)
{
    remote->pq.PQreset(remote->conn);
    if (!remote_is_linked(remote)) {
        return fail_linking(remote, doing, reterr);
    }
    enum duet_code code = remote_execute(remote, doing, settings, reterr);
    for (size_t i = 0; i < remote->lock_count && code == DUET_OK; i++) {
        int64_t got = 0;
        /* Whoever has it now, the runs are ours, and are sent. */
        code = remote_ask_lock(remote, doing,
                               "SELECT pg_try_advisory_lock($1::bigint)::int",
                               remote->locks[i], &got, reterr);
    }
    return code;
}

/* ---- Statements ---- */

enum duet_code remote_ask(struct remote *remote, const char *doing, const char *sql,
                          const char *const *parameters, int count,
                          struct pg_result **ret_result, struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    struct pg_result *result = count == 0
                                   ? pq->PQexec(remote->conn, sql)
                                   : pq->PQexecParams(remote->conn, sql, count, NULL,
                                                      parameters, NULL, NULL, 0);
    unsigned status = result == NULL ? 0 : pq->PQresultStatus(result);
    if (status != PQ_COMMAND_OK && status != PQ_TUPLES_OK) {
        enum duet_code code = remote_fail(remote, doing, result, reterr);
        pq->PQclear(result);
        return code;
    }
    if (ret_result != NULL) {
        *ret_result = result;
    } else {
        pq->PQclear(result);
    }
    return DUET_OK;
}

enum duet_code remote_execute(struct remote *remote, const char *doing, const char *sql,
                              struct duet_error *reterr)
{
    return remote_ask(remote, doing, sql, NULL, 0, NULL, reterr);
}

void remote_abandon(struct remote *remote)
{
    if (remote_is_linked(remote)) {
        remote->pq.PQclear(remote->pq.PQexec(remote->conn, "ROLLBACK"));
    }
}

enum duet_code remote_ask_int(struct remote *remote, const char *doing, const char *sql,
                              const char *const *parameters, int count,
                              int64_t *ret_value, struct duet_error *reterr)
{
    const struct pq *pq = &remote->pq;
    struct pg_result *result = NULL;
    enum duet_code code =
        remote_ask(remote, doing, sql, parameters, count, &result, reterr);
    if (code == DUET_OK) {
        bool row = pq->PQntuples(result) > 0 && pq->PQgetisnull(result, 0, 0) == 0;
        *ret_value = row ? strtoll(pq->PQgetvalue(result, 0, 0), NULL, 10) : 0;
    }
    pq->PQclear(result);
    return code;
}

enum duet_code remote_ask_lock(struct remote *remote, const char *doing,
                               const char *sql, int64_t experiment, int64_t *ret_answer,
                               struct duet_error *reterr)
{
    char key[32];
    const char *const parameters[] = {key};
    (void)snprintf(key, sizeof key, "%lld",
                   ((long long)STORE_APPLICATION_ID << 32U) + (long long)experiment);
    return remote_ask_int(remote, doing, sql, parameters, 1, ret_answer, reterr);
}

enum duet_code remote_try(struct store *store, const char *doing, int64_t wait_ms,
                          remote_work *work, void *context, struct duet_error *reterr)
{
    struct remote *remote = store->remote;
    const struct timespec pause = {.tv_nsec = 100000000L};
    int64_t deadline_ms = remote_clock_ms() + wait_ms;
    for (int attempt = 0;; attempt++) {
        struct duet_error error;
        remote->transient = false;
        enum duet_code code =
            remote_is_linked(remote) ? DUET_OK : relink(remote, doing, &error);
        if (code == DUET_OK) {
            code = work(store, doing, context, &error);
            if (code == DUET_OK) {
                return DUET_OK;
            }
            remote_abandon(remote);
        }
        bool late = remote_clock_ms() >= deadline_ms;
        if (code != DUET_E_IO || !remote->transient || (attempt > 0 && late)) {
            return error_set(reterr, code, "%s", error.message);
        }
        if (attempt > 0) {
            (void)nanosleep(&pause, NULL);
        }
    }
}
