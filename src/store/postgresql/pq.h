/* libpq, loaded when a store is opened by its URL: no other command of duet needs it.
 * Its types and functions are declared here, so that no header of it is needed; where
 * there is one, pq.c compares the two. */
#ifndef DUET_STORE_PQ_H
#define DUET_STORE_PQ_H

#include "base/error.h"

struct pg_conn;
struct pg_result;

/* PQconninfoOption. */
struct pq_option {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
};

/* ConnStatusType and ExecStatusType: those that are asked for. */
enum { PQ_CONNECTED = 0 };
enum { PQ_COMMAND_OK = 1, PQ_TUPLES_OK = 2, PQ_COPY_OUT = 3, PQ_COPY_IN = 4 };

/* PQnoticeProcessor, without its pointer. */
typedef void pq_notice(void *context, const char *message);

/* Result, name, parameters. */
#define PQ_FUNCTIONS(X)                                                            \
    X(struct pg_conn *, PQconnectdbParams,                                         \
      (const char *const *, const char *const *, int))                             \
    X(unsigned, PQstatus, (const struct pg_conn *))                                \
    X(char *, PQerrorMessage, (const struct pg_conn *))                            \
    X(const char *, PQparameterStatus, (const struct pg_conn *, const char *))     \
    X(char *, PQuser, (const struct pg_conn *))                                    \
    X(pq_notice *, PQsetNoticeProcessor, (struct pg_conn *, pq_notice *, void *))  \
    X(void, PQreset, (struct pg_conn *))                                           \
    X(void, PQfinish, (struct pg_conn *))                                          \
    X(struct pg_result *, PQexec, (struct pg_conn *, const char *))                \
    X(struct pg_result *, PQexecParams,                                            \
      (struct pg_conn *, const char *, int, const unsigned *, const char *const *, \
       const int *, const int *, int))                                             \
    X(unsigned, PQresultStatus, (const struct pg_result *))                        \
    X(char *, PQresultErrorField, (const struct pg_result *, int))                 \
    X(int, PQntuples, (const struct pg_result *))                                  \
    X(char *, PQgetvalue, (const struct pg_result *, int, int))                    \
    X(int, PQgetisnull, (const struct pg_result *, int, int))                      \
    X(void, PQclear, (struct pg_result *))                                         \
    X(struct pg_result *, PQgetResult, (struct pg_conn *))                         \
    X(int, PQputCopyData, (struct pg_conn *, const char *, int))                   \
    X(int, PQputCopyEnd, (struct pg_conn *, const char *))                         \
    X(int, PQgetCopyData, (struct pg_conn *, char **, int))                        \
    X(void, PQfreemem, (void *))

struct pq {
#define PQ_MEMBER(result, name, parameters) result(*name) parameters;
    PQ_FUNCTIONS(PQ_MEMBER)
#undef PQ_MEMBER
    struct pq_option *(*PQconninfoParse)(const char *, char **);
    void (*PQconninfoFree)(struct pq_option *);
};

/* Errors: DUET_E_UNSUITABLE (there is no libpq; says how to install it). */
BASE_MUST_USE enum duet_code pq_load(struct pq *ret_pq, struct duet_error *reterr);

#endif
