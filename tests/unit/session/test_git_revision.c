// link: -Wl,--wrap=git_call
/* What is made of git's answers: commits, the working tree, where a branch began; and
 * when git says no, is interrupted, or memory is short. With git itself: tests/cli. */
#include "session/git/git_revision.h"
#include "session/git/git_stamp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/alloc_fail.h"
#include "support/remove_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "aaaa"
#define OTHER "bbbb"
#define BEFORE "cccc"

/* What git answers to its words; to all others it says no. */
struct answer {
    const char *words;
    const char *output;
};

static struct {
    struct answer answers[16];
    size_t calls;
    size_t fails_at; /* this call is interrupted, and those behind it; 0: none */
    bool saw_index;  /* a copy of the repository's */
} git;

static char folder[256];
static char index_path[300];
static char scratch[300];
static struct git_repo repo;
static struct duet_error error;
static char warnings[512];

static void expect_copy(const char *path)
{
    struct stat ours;
    struct stat copy;
    char bytes[64] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    assert_int_equal(stat(index_path, &ours), 0);
    assert_int_equal(stat(path, &copy), 0);
    assert_true(fread(bytes, 1, sizeof bytes - 1, file) > 0);
    (void)fclose(file);
    assert_string_equal(bytes, "the index");
    assert_int_equal(copy.st_mtim.tv_sec, ours.st_mtim.tv_sec);
    assert_int_equal(copy.st_mtim.tv_nsec, ours.st_mtim.tv_nsec);
    git.saw_index = true;
}

enum duet_code __wrap_git_call(const struct git_repo *of, const struct git_words *call,
                               struct text *ret_output, struct duet_error *reterr);

enum duet_code __wrap_git_call(const struct git_repo *of, const struct git_words *call,
                               struct text *ret_output, struct duet_error *reterr)
{
    char words[512] = "";
    size_t length = 0;
    assert_ptr_equal(of, &repo);
    for (size_t i = 0; call->words[i] != NULL; i++) {
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s",
                                   i == 0 ? "" : " ", call->words[i]);
    }
    if (call->index != NULL) {
        expect_copy(call->index);
    }
    git.calls++;
    if (git.fails_at != 0 && git.calls >= git.fails_at) {
        return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
    }
    for (const struct answer *answer = git.answers; answer->words != NULL; answer++) {
        if (strcmp(answer->words, words) == 0) {
            if (ret_output != NULL) {
                text_append(ret_output, answer->output);
            }
            return ret_output != NULL && text_failed(ret_output)
                       ? error_no_memory(reterr)
                       : DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_NOT_FOUND, "no answer to '%s'", words);
}

/* Any commit has a tree and a short name. */
#define COMMIT(commit)                                       \
    {"rev-parse --verify " commit "^{tree}", commit "tree"}, \
    {                                                        \
        "rev-parse --short " commit, commit                  \
    }
#define NAME(name, commit)                             \
    {                                                  \
        "rev-parse --verify " name "^{commit}", commit \
    }

static void answer(const struct answer *answers)
{
    size_t count = 0;
    memset(&git, 0, sizeof git);
    while (answers[count].words != NULL) {
        git.answers[count] = answers[count];
        count++;
    }
    assert_true(count < sizeof git.answers / sizeof git.answers[0]);
}

/* Another answer instead; NULL: git says no. */
static void change(const char *words, const char *output)
{
    for (struct answer *each = git.answers; each->words != NULL; each++) {
        if (strcmp(each->words, words) == 0) {
            *each = output == NULL ? (struct answer){"", ""}
                                   : (struct answer){each->words, output};
            return;
        }
    }
    fail_msg("no answer to '%s'", words);
}

static void notice(void *context, bool warning, const char *line)
{
    (void)context;
    assert_true(warning);
    (void)snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings),
                   "%s\n", line);
}

static const struct listener listener = {.notice = notice};

/* ---- What is asked for ---- */

static enum duet_code find(struct git_revision *ret_revision)
{
    return git_revision_find(&repo, "main", ret_revision, &error);
}

static enum duet_code take_changes(struct git_revision *ret_revision)
{
    return git_revision_take_changes(&repo, scratch, &listener, ret_revision, &error);
}

static enum duet_code find_base(struct git_revision *ret_revision)
{
    char asked[] = "HEAD";
    char label[] = "a";
    const struct git_revision head = {.asked = asked, .label = label, .commit = HEAD};
    return git_revision_find_base(&repo, &head, ret_revision, &error);
}

typedef enum duet_code question(struct git_revision *ret_revision);

/* Every allocation fails once, and every call of git is interrupted once. Then nothing
 * is found; but `forgiven` allocations are of no consequence. */
static void check_failures(question *ask, const char *label, size_t forgiven)
{
    size_t done = 0;
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        struct git_revision revision = {0};
        alloc_fail_at(n);
        enum duet_code code = ask(&revision);
        failed = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        assert_true(code == DUET_OK || (failed && code == DUET_E_NOMEM));
        assert_true(code == DUET_OK || revision.asked == NULL);
        done += failed && code == DUET_OK;
        git_revision_release(&revision);
    }
    assert_int_equal(done, forgiven);
    struct git_revision whole = {0};
    git.calls = 0;
    assert_int_equal(ask(&whole), DUET_OK);
    assert_string_equal(whole.label, label);
    git_revision_release(&whole);
    size_t calls = git.calls;
    for (size_t n = 1; n <= calls; n++) {
        struct git_revision revision = {0};
        git.calls = 0;
        git.fails_at = n;
        assert_int_equal(ask(&revision), DUET_E_INTERRUPTED);
        assert_null(revision.asked);
    }
    git.fails_at = 0;
}

static void expect_refused(question *ask, const char *words)
{
    struct git_revision revision = {0};
    error = (struct duet_error){0};
    assert_int_equal(ask(&revision), DUET_E_USAGE);
    if (strstr(error.message, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error.message, words);
    }
    assert_null(revision.asked);
}

/* ---- Commits ---- */

static void commits(void **state)
{
    (void)state;
    struct git_revision revision = {0};
    answer((struct answer[]){NAME("main", HEAD), COMMIT(HEAD), {NULL, NULL}});
    assert_int_equal(find(&revision), DUET_OK);
    assert_string_equal(revision.asked, "main");
    assert_string_equal(revision.label, HEAD);
    assert_string_equal(revision.commit, HEAD);
    assert_string_equal(revision.tree, HEAD "tree");
    assert_false(revision.changed);
    git_revision_release(&revision);
    check_failures(find, HEAD, 0);
}

static enum duet_code find_text(struct git_revision *ret_revision)
{
    return git_revision_find(&repo, ":/text", ret_revision, &error);
}

/* A kind behind it would be a part of the text. */
static void commits_by_their_text(void **state)
{
    (void)state;
    answer((struct answer[]){{"rev-parse --verify :/text", HEAD},
                             NAME(HEAD, HEAD),
                             COMMIT(HEAD),
                             {NULL, NULL}});
    check_failures(find_text, HEAD, 0);
    change("rev-parse --verify " HEAD "^{commit}", NULL);
    expect_refused(find_text, "git knows no commit ':/text' here");
}

static enum duet_code find_option(struct git_revision *ret_revision)
{
    return git_revision_find(&repo, "--all", ret_revision, &error);
}

static enum duet_code find_excluded(struct git_revision *ret_revision)
{
    return git_revision_find(&repo, "^main", ret_revision, &error);
}

static enum duet_code find_nothing(struct git_revision *ret_revision)
{
    return git_revision_find(&repo, "", ret_revision, &error);
}

static void commits_that_are_not_there(void **state)
{
    (void)state;
    answer(
        (struct answer[]){NAME("--all", HEAD), NAME("^main", "^" HEAD), {NULL, NULL}});
    expect_refused(find, "git knows no commit 'main' here: check its name");
    expect_refused(find_option, "git knows no commit '--all' here");
    expect_refused(find_excluded, "git knows no commit '^main' here");
    expect_refused(find_nothing, "git knows no commit '' here");
    repo.shallow = true;
    expect_refused(find, "git fetch --unshallow");
    repo.shallow = false;
    answer((struct answer[]){NAME("origin/main", HEAD), {NULL, NULL}});
    expect_refused(find, "did you mean 'origin/main'?");
    alloc_fail_at(2); /* of the name that might be meant */
    expect_refused(find, "git knows no commit 'main' here: check its name");
    alloc_fail_at(0);
}

/* ---- The working tree ---- */

#define ADD "add -A -- :/ :(top,exclude,glob)**/.duet/**"
#define STATUS "status --porcelain=v2 --ignore-submodules=none --untracked-files=no"
#define COMMIT_TREE                                                     \
    "-c user.name=duet -c user.email=duet commit-tree newtree -p " HEAD \
    " -m duet: the working tree"

static void answer_for_tree(void)
{
    answer((struct answer[]){NAME("HEAD", HEAD),
                             COMMIT(HEAD),
                             {"diff --name-only --diff-filter=U", ""},
                             {STATUS, ""},
                             {ADD, ""},
                             {"write-tree", "newtree"},
                             {COMMIT_TREE, OTHER},
                             {NULL, NULL}});
}

static void working_tree(void **state)
{
    (void)state;
    struct git_revision revision = {0};
    answer_for_tree();
    assert_int_equal(take_changes(&revision), DUET_OK);
    assert_string_equal(revision.asked, "the working tree");
    assert_string_equal(revision.label, HEAD "+changes");
    assert_string_equal(revision.commit, OTHER);
    assert_string_equal(revision.tree, "newtree");
    assert_true(revision.changed);
    assert_true(git.saw_index);
    git_revision_release(&revision);
    check_failures(take_changes, HEAD "+changes", 1); /* that of a warning */
    assert_int_equal(rmdir(scratch), 0);              /* nothing is left in it */
    assert_int_equal(mkdir(scratch, 0700), 0);
    change("write-tree", HEAD "tree");
    assert_int_equal(take_changes(&revision), DUET_OK);
    assert_string_equal(revision.asked, "HEAD");
    assert_false(revision.changed);
    git_revision_release(&revision);
}

static void submodules_with_changes(void **state)
{
    (void)state;
    struct git_revision revision = {0};
    answer_for_tree();
    warnings[0] = '\0';
    change(STATUS, "1 .M N... 100644 100644 100644 1 2 a file\n"
                   "1 .M S.M. 160000 160000 160000 1 2 changed inside\n"
                   "1 .M SC.. 160000 160000 160000 1 2 another commit\n"
                   "1 .M S..U 160000 160000 160000 1 2 more inside\n"
                   "1 .M S.M\n"
                   "? 3");
    assert_int_equal(take_changes(&revision), DUET_OK);
    git_revision_release(&revision);
    assert_string_equal(
        warnings,
        "changes inside the submodule 'changed inside' are not measured: commit them there\n"
        "changes inside the submodule 'more inside' are not measured: commit them there\n");
    change(STATUS, NULL); /* git says no: without a warning */
    assert_int_equal(take_changes(&revision), DUET_OK);
    git_revision_release(&revision);
}

static void working_trees_that_git_cannot_take(void **state)
{
    (void)state;
    answer_for_tree();
    change("diff --name-only --diff-filter=U", "a b\nc");
    expect_refused(take_changes, "the working tree has conflicts ('a b')");
    answer_for_tree();
    change(ADD, NULL);
    expect_refused(take_changes, "git cannot take the working tree: no answer to 'add");
    answer_for_tree();
    change("write-tree", NULL);
    expect_refused(take_changes, "to compare commits only: duet git BASE HEAD");
    char *top = repo.top;
    repo.top = NULL;
    expect_refused(take_changes, "this repository is bare");
    repo.top = top;
}

static void indexes(void **state)
{
    (void)state;
    struct git_revision revision = {0};
    char *usual = repo.index;
    answer_for_tree();
    repo.index = folder; /* is opened, and cannot be read */
    assert_int_equal(take_changes(&revision), DUET_E_IO);
    assert_non_null(strstr(error.message, "Is a directory"));
    char none[400];
    (void)snprintf(none, sizeof none, "%s/none", folder);
    repo.index = none;
    assert_int_equal(take_changes(&revision), DUET_OK);
    assert_false(git.saw_index);
    git_revision_release(&revision);
    repo.index = usual;
    assert_int_equal(git_revision_take_changes(&repo, none, NULL, &revision, &error),
                     DUET_E_IO);
    assert_non_null(strstr(error.message, "/none/index': No such file or directory"));
    assert_null(revision.asked);
}

/* ---- The base ---- */

static void where_the_branch_began(void **state)
{
    (void)state;
    static const char *const branches[] = {"master", "main", "origin/master",
                                           "origin/main", "origin/HEAD"};
    struct answer answers[16] = {COMMIT(OTHER)};
    char texts[5][3][64];
    for (size_t i = 0; i < 5; i++) { /* the later ones come before the earlier ones */
        (void)snprintf(texts[i][0], 64, "rev-parse --verify %s^{commit}", branches[i]);
        (void)snprintf(texts[i][1], 64, "merge-base %s " HEAD, branches[i]);
        (void)snprintf(texts[i][2], 64, "merge base with %s", branches[i]);
        answers[2 + 2 * i] = (struct answer){texts[i][0], "dddd"};
        answers[3 + 2 * i] = (struct answer){texts[i][1], OTHER};
        struct git_revision revision = {0};
        answer(answers);
        assert_int_equal(find_base(&revision), DUET_OK);
        assert_string_equal(revision.asked, texts[i][2]);
        assert_string_equal(revision.label, OTHER);
        assert_string_equal(revision.commit, OTHER);
        git_revision_release(&revision);
    }
    check_failures(find_base, OTHER, 0);
}

static void on_the_main_branch(void **state)
{
    (void)state;
    struct git_revision revision = {0};
    answer((struct answer[]){NAME("main", HEAD),
                             {"merge-base main " HEAD, HEAD},
                             NAME(HEAD "~1", BEFORE),
                             COMMIT(BEFORE),
                             {NULL, NULL}});
    assert_int_equal(find_base(&revision), DUET_OK);
    assert_string_equal(revision.asked, "the commit before HEAD");
    assert_string_equal(revision.label, BEFORE);
    assert_string_equal(revision.commit, BEFORE);
    git_revision_release(&revision);
    check_failures(find_base, BEFORE, 0);
}

static void no_base(void **state)
{
    (void)state;
    answer((struct answer[]){{NULL, NULL}});
    expect_refused(find_base, "there is no main branch (origin/HEAD, main or master): "
                              "name a BASE: duet git BASE");
    answer((struct answer[]){NAME("main", OTHER), {NULL, NULL}});
    expect_refused(find_base, "HEAD and main have no common commit here: name a BASE");
    repo.shallow = true;
    expect_refused(find_base, "since this clone is shallow: git fetch --unshallow");
    answer((struct answer[]){
        NAME("main", HEAD), {"merge-base main " HEAD, HEAD}, {NULL, NULL}});
    expect_refused(find_base, "since this clone is shallow: git fetch --unshallow");
    repo.shallow = false;
    expect_refused(find_base,
                   "HEAD (a) has no commit before it here: name a BASE: duet git BASE");
}

/* ---- Stamps ---- */

#define LOG "log -1 --no-show-signature --format=%H%x09%ct%x09%s "

static void stamps(void **state)
{
    (void)state;
    const struct git_revision commit = {.commit = HEAD, .tree = HEAD "tree"};
    const struct git_revision tree = {
        .commit = OTHER, .tree = "newtree", .changed = true};
    struct model_revision stamp = {0};
    answer((struct answer[]){{LOG HEAD, HEAD "\t1700000000\ta\tb"},
                             {LOG OTHER "~1", BEFORE "\t-5\t"},
                             {NULL, NULL}});
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = git_stamp_read(&repo, &commit, &stamp, &error);
        alloc_fail_at(0);
        assert_true(code == DUET_OK || stamp.subject == NULL);
    }
    assert_int_equal(code, DUET_OK);
    assert_string_equal(stamp.commit, HEAD);
    assert_string_equal(stamp.tree, HEAD "tree");
    assert_string_equal(stamp.subject, "a\tb");
    assert_string_equal(stamp.repository, repo.top);
    assert_int_equal(stamp.committed_utc_ms, INT64_C(1700000000000));
    assert_false(stamp.changed);
    git_stamp_release(&stamp);
    assert_null(stamp.subject);
    char *top = repo.top;
    repo.top = NULL;
    assert_int_equal(git_stamp_read(&repo, &tree, &stamp, &error), DUET_OK);
    repo.top = top;
    assert_string_equal(stamp.commit, BEFORE); /* below the changes */
    assert_string_equal(stamp.tree, "newtree");
    assert_string_equal(stamp.subject, "");
    assert_string_equal(stamp.repository, repo.common);
    assert_int_equal(stamp.committed_utc_ms, -5000);
    assert_true(stamp.changed);
    git_stamp_release(&stamp);
}

static void odd_stamps(void **state)
{
    (void)state;
    const struct git_revision commit = {.commit = HEAD};
    struct model_revision stamp = {0};
    static const char *const odd[] = {"", HEAD, HEAD "\t1700000000"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        answer((struct answer[]){{LOG HEAD, odd[i]}, {NULL, NULL}});
        assert_int_equal(git_stamp_read(&repo, &commit, &stamp, &error),
                         DUET_E_INTERNAL);
        assert_non_null(strstr(error.message, "git log printed '"));
    }
    answer(
        (struct answer[]){{LOG HEAD, HEAD "\t9223372036854775807\ta"}, {NULL, NULL}});
    assert_int_equal(git_stamp_read(&repo, &commit, &stamp, &error), DUET_OK);
    assert_int_equal(stamp.committed_utc_ms, 0); /* which no calendar has */
    git_stamp_release(&stamp);
    git.fails_at = 1;
    assert_int_equal(git_stamp_read(&repo, &commit, &stamp, &error),
                     DUET_E_INTERRUPTED);
    assert_null(stamp.subject);
}

/* ---- ---- */

static int make_folder(void **state)
{
    (void)state;
    static char common[] = "/the repository/.git";
    static char top[] = "/the repository";
    (void)snprintf(folder, sizeof folder, "%s/git-XXXXXX", TEST_BINARY_DIR);
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(index_path, sizeof index_path, "%s/index", folder);
    (void)snprintf(scratch, sizeof scratch, "%s/scratch", folder);
    FILE *file = fopen(index_path, "we");
    if (file == NULL || fputs("the index", file) < 0 || fclose(file) != 0) {
        return -1;
    }
    repo = (struct git_repo){
        .common = common, .top = top, .index = index_path, .cancel_fd = -1};
    return mkdir(scratch, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commits),
        cmocka_unit_test(commits_by_their_text),
        cmocka_unit_test(commits_that_are_not_there),
        cmocka_unit_test(working_tree),
        cmocka_unit_test(submodules_with_changes),
        cmocka_unit_test(working_trees_that_git_cannot_take),
        cmocka_unit_test(indexes),
        cmocka_unit_test(where_the_branch_began),
        cmocka_unit_test(on_the_main_branch),
        cmocka_unit_test(no_base),
        cmocka_unit_test(stamps),
        cmocka_unit_test(odd_stamps),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
