// link: duet_session PkgConfig::SQLITE
// link: -Wl,--wrap=opendir,--wrap=fdopen
/* Files that may be results of a fleet: which are, in which order, and whether they are
 * whole; folders and files that cannot be read, and short memory. */
#include "session/fleet/fleet_candidates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"
#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[256];
static struct duet_error error;
static const char *unreadable; /* a folder with this name; NULL */
static FILE *opened;           /* instead of a file; NULL */
static int open_errnum;        /* 0: as it is */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);

DIR *__wrap_opendir(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (unreadable != NULL && slash != NULL && strcmp(slash + 1, unreadable) == 0) {
        errno = EMFILE;
        return NULL;
    }
    return __real_opendir(path);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    if (open_errnum != 0) {
        errno = open_errnum;
        return NULL;
    }
    if (opened != NULL) {
        (void)close(fd);
        return opened;
    }
    return __real_fdopen(fd, mode);
}

/* ---- Files ---- */

static const char *in(const char *name)
{
    static char paths[8][400];
    static size_t next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(in(name), 0700), 0);
}

/* Complete `seconds` after the epoch. */
static void make_file(const char *name, const char *content, time_t seconds)
{
    FILE *file = fopen(in(name), "we");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, in(name), times, 0), 0);
}

#define EARLY "0123abcd-000001-9-0123456789abcdef.db"
#define LATE "0123abcd-000001-8-0123456789abcdef.db"
#define SECOND "0123abcd-000002-1-0123456789abcdef.db"
#define FOREIGN "0123abcc-000007-1-0123456789abcdef.db"
#define RESULT_OF_ABC "fleet/results/0123abcd-000001-1-ba7816bf8f01cfea.db"

static struct fleet fleet;

static int make_all(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "%s/candidates-XXXXXX", TEST_BINARY_DIR);
    assert_non_null(mkdtemp(top));
    make_folder("fleet");
    make_folder("fleet/results");
    fleet = (struct fleet){.path = strdup(in("fleet"))};
    assert_non_null(fleet.path);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    free(fleet.path);
    unreadable = NULL;
    return remove_tree(top);
}

/* ---- Finding ---- */

static void expect_names(const struct fleet_candidates *found,
                         const char *const *expected, size_t count)
{
    for (size_t i = 0; i < found->count && i < count; i++) {
        assert_string_equal(found->list[i].path + strlen(top) + 1, expected[i]);
    }
    assert_int_equal(found->count, count);
}

static void make_results(void)
{
    make_file("fleet/results/" SECOND, "b", 5);
    make_file("fleet/results/" EARLY, "a", 3);
    make_file("fleet/results/" LATE, "a", 4);
    make_file("fleet/results/.hidden.db", "a", 1);
    make_file("fleet/results/notes.txt", "a", 1);
    make_file("fleet/results/.db", "a", 1);
    make_folder("more");
    make_folder("more/deep");
    make_file("more/deep/" FOREIGN, "c", 1);
    make_file("more/second.db", "abc", 2);
    make_file("more/copy.db", "abc", 1);
    make_file("more/other.db", "xyz", 1);
    make_file("more/" FLEET_STORE, "all", 1); /* of no fleet */
    make_folder("another");
    make_file("another/" FLEET_PLAN, "{}", 1);
    make_file("another/" FLEET_STORE, "what has been collected", 1);
    make_file("another/one.db", "of another", 1);
    assert_int_equal(symlink("nowhere", in("more/gone.db")), 0);
}

/* By fleet, task and moment; then those without such a name, by their content, once. */
static void results_and_other_files(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "more/deep/" FOREIGN,    "fleet/results/" EARLY, "fleet/results/" LATE,
        "fleet/results/" SECOND, "another/one.db",       "more/other.db",
        "more/" FLEET_STORE,     "more/copy.db"};
    make_results();
    const char *const paths[] = {in("more"), in("another")};
    struct fleet_candidates found;
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        found.count = 99;
        alloc_fail_at(n);
        code = fleet_candidates_find(&fleet, paths, 2, &found, &error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || found.count == 99);
        if (code == DUET_OK) {
            expect_names(&found, expected, sizeof expected / sizeof expected[0]);
        }
    }
    assert_int_equal(code, DUET_OK);
    assert_true(fleet_candidate_same_task(&found.list[1], &found.list[2]));
    assert_false(fleet_candidate_same_task(&found.list[0], &found.list[1]));
    assert_false(fleet_candidate_same_task(&found.list[3], &found.list[4]));
    assert_int_equal(found.list[1].moment_ns, INT64_C(3000000000));
    fleet_candidates_release(&found);
    assert_int_equal(found.count, 0);
    /* The parts of a study end otherwise. */
    struct fleet study = fleet;
    study.plan.study = true;
    assert_int_equal(fleet_candidates_find(&study, NULL, 0, &found, &error), DUET_OK);
    assert_int_equal(found.count, 0);
    fleet_candidates_release(&found);
}

/* With ten links of a folder to itself there are more ways to its files than can be
 * gone. */
static void links_in_circles(void **state)
{
    (void)state;
    static const char *const expected[] = {"more/second.db", "more/here/copy.db"};
    make_folder("more");
    make_folder("more/here");
    make_file("more/here/copy.db", "abc", 1);
    make_file("more/second.db", "xyz", 2);
    for (int i = 0; i < 10; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "more/here/link%d", i);
        assert_int_equal(symlink(i % 2 == 0 ? "." : "..", in(name)), 0);
    }
    const char *const paths[] = {in("more")};
    struct fleet_candidates found;
    assert_int_equal(fleet_candidates_find(NULL, paths, 1, &found, &error), DUET_OK);
    expect_names(&found, expected, sizeof expected / sizeof expected[0]);
    fleet_candidates_release(&found);
}

static void expect_not_found(const char *const *paths, enum duet_code code,
                             const char *words)
{
    struct fleet_candidates found = {.count = 99};
    assert_int_equal(fleet_candidates_find(&fleet, paths, 1, &found, &error), code);
    if (strstr(error.message, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error.message, words);
    }
    assert_int_equal(found.count, 99);
}

static void what_cannot_be_looked_at(void **state)
{
    (void)state;
    make_results();
    assert_int_equal(mkfifo(in("pipe.db"), 0600), 0);
    assert_int_equal(symlink("round.db", in("more/deep/round.db")), 0);
    const char *const nowhere[] = {in("nowhere")};
    const char *const behind_a_file[] = {in("more/copy.db/x")};
    const char *const pipe[] = {in("pipe.db")};
    const char *const round[] = {in("more")};
    expect_not_found(nowhere, DUET_E_NOT_FOUND, "cannot collect from '");
    expect_not_found(behind_a_file, DUET_E_IO, "Not a directory");
    expect_not_found(pipe, DUET_E_IO, "pipe.db");
    expect_not_found(round, DUET_E_IO, "Too many levels of symbolic links");
    unreadable = "deep";
    expect_not_found(round, DUET_E_IO, "/more/deep': Too many open files");
}

/* ---- Judging ---- */

static enum duet_code check(const char *name)
{
    struct fleet_candidates found;
    const char *const paths[] = {in(name)};
    assert_int_equal(fleet_candidates_find(NULL, paths, 1, &found, &error), DUET_OK);
    assert_int_equal(found.count, 1);
    enum duet_code code = fleet_candidate_check(&found.list[0], &error);
    fleet_candidates_release(&found);
    return code;
}

static void change_store(const char *name, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(in(name), &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void stores_are_whole_or_not(void **state)
{
    (void)state;
    struct store *store = NULL;
    assert_int_equal(store_open(in("a.db"), true, &store, &error), DUET_OK);
    store_close(store);
    assert_int_equal(check("a.db"), DUET_OK);
    /* Rows of two tables refer to nothing; the first finding is told. */
    change_store("a.db", "INSERT INTO acceptance VALUES(7, 1, '', '');"
                         "INSERT INTO baseline VALUES('b', 8, 0);");
    assert_int_equal(check("a.db"), DUET_E_FORMAT);
    assert_string_equal(error.message,
                        "it is damaged: 1 rows of acceptance refer to rows of "
                        "experiment that are not there");
    make_file("none.db", "no store", 1);
    assert_int_equal(check("none.db"), DUET_E_FORMAT);
}

static void results_are_what_their_names_say(void **state)
{
    (void)state;
    make_file(RESULT_OF_ABC, "abc", 1);
    assert_int_equal(check(RESULT_OF_ABC), DUET_OK);
    make_file(RESULT_OF_ABC, "abd", 1);
    assert_int_equal(check(RESULT_OF_ABC), DUET_E_FORMAT);
    assert_non_null(strstr(error.message, "it was cut or changed"));
    struct fleet_candidates found;
    assert_int_equal(fleet_candidates_find(&fleet, NULL, 0, &found, &error), DUET_OK);
    assert_int_equal(unlink(in(RESULT_OF_ABC)), 0);
    assert_int_equal(fleet_candidate_check(&found.list[0], &error), DUET_E_IO);
    fleet_candidates_release(&found);
}

/* ---- What was taken ---- */

static ssize_t fail_to_read(void *context, char *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    errno = EIO;
    return -1;
}

static void names_of_what_was_taken(void **state)
{
    (void)state;
    struct model_words names = {.list = NULL};
    assert_int_equal(fleet_taken_read(&fleet, &names, &error), DUET_OK);
    assert_int_equal(names.count, 0); /* nothing yet */
    make_file("fleet/" FLEET_TAKEN, "one\ntwo\nthree", 1);
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        model_words_release(&names);
        alloc_fail_at(n);
        code = fleet_taken_read(&fleet, &names, &error);
        alloc_fail_at(0);
    }
    assert_int_equal(code, DUET_OK);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.list[0], "one");
    assert_string_equal(names.list[2], "three");
    model_words_release(&names);
    opened = fopencookie(NULL, "r", (cookie_io_functions_t){.read = fail_to_read});
    assert_int_equal(fleet_taken_read(&fleet, &names, &error), DUET_E_IO);
    opened = NULL;
    assert_non_null(strstr(error.message, "/fleet/" FLEET_TAKEN "': Input/output"));
    open_errnum = ENOMEM;
    assert_int_equal(fleet_taken_read(&fleet, &names, &error), DUET_E_NOMEM);
    open_errnum = 0;
    assert_int_equal(names.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_and_other_files, make_all, remove_all),
        cmocka_unit_test_setup_teardown(links_in_circles, make_all, remove_all),
        cmocka_unit_test_setup_teardown(what_cannot_be_looked_at, make_all, remove_all),
        cmocka_unit_test_setup_teardown(stores_are_whole_or_not, make_all, remove_all),
        cmocka_unit_test_setup_teardown(results_are_what_their_names_say, make_all,
                                        remove_all),
        cmocka_unit_test_setup_teardown(names_of_what_was_taken, make_all, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
