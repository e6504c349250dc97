/* Whether both sides are the same programs: folders, words, hooks, links, and what is
 * said of it. */
// link: duet_session
#include "unit/store/store_fixture.h"

#include "session/sameness/identical.h"

#include <fcntl.h>

static char folders[MODEL_SIDES][300];

/* A program of each side's folder, which is the same but for the side that runs it. */
static int setup(void **state)
{
    static const char *const names[MODEL_SIDES] = {"old", "new"};
    if (fixture_setup(state) != 0) {
        return -1;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        (void)snprintf(folders[side], sizeof folders[side], "%s/%s", fixture_folder,
                       names[side]);
        if (mkdir(folders[side], 0700) != 0) {
            return -1;
        }
    }
    return 0;
}

static const char *in_side(int side, const char *name)
{
    static char path[700];
    (void)snprintf(path, sizeof path, "%s/%s", folders[side], name);
    return path;
}

static void write_both(const char *name, const char *old, const char *new)
{
    fixture_write(in_side(MODEL_OLD, name), old);
    fixture_write(in_side(MODEL_NEW, name), new);
}

static void make_programs(const char *name, const char *old, const char *new)
{
    write_both(name, old, new);
    assert_int_equal(chmod(in_side(MODEL_OLD, name), 0700), 0);
    assert_int_equal(chmod(in_side(MODEL_NEW, name), 0700), 0);
}

enum { WORDS_MAX = 4 };

/* The plan of two commands in the sides' folders, which lives until the next call. */
static struct model_plan *plan_of(const char *const old[WORDS_MAX],
                                  const char *const new[WORDS_MAX])
{
    static struct model_plan plan;
    static char commands[MODEL_SIDES][256];
    plan = (struct model_plan){.name = "plan"};
    for (int side = 0; side < MODEL_SIDES; side++) {
        const char *const *words = side == MODEL_OLD ? old : new;
        commands[side][0] = '\0';
        for (size_t i = 0; words[i] != NULL; i++) {
            size_t length = strlen(commands[side]);
            (void)snprintf(commands[side] + length, sizeof commands[side] - length,
                           "%s ", words[i]);
        }
        plan.sides[side] = (struct model_workload){
            .command = commands[side], .argv = words, .folder = folders[side]};
    }
    return &plan;
}

static void expect(const struct model_plan *plan, const char *paths,
                   enum identical expected, const char *why)
{
    enum identical found = IDENTICAL_NOT;
    char said[IDENTICAL_WHY_BYTES] = "";
    assert_ok(identical_sides(plan, paths, &found, said, &fixture_error));
    if (found != expected || strstr(said, why) == NULL) {
        fail_msg("%d and '%s', wanted %d and '%s'", found, said, expected, why);
    }
}

static const char *const bench[WORDS_MAX] = {"./bench"};

static void the_same_command_in_the_same_folder(void **state)
{
    (void)state;
    struct model_plan *plan = plan_of(bench, bench);
    plan->sides[MODEL_NEW].folder = folders[MODEL_OLD];
    expect(plan, NULL, IDENTICAL_YES, "the same command in the same folder");
    plan->sides[MODEL_OLD].folder = plan->sides[MODEL_NEW].folder = NULL;
    expect(plan, NULL, IDENTICAL_YES, "the same command in the same folder");
    plan->sides[MODEL_NEW].prepare = "sync";
    expect(plan, NULL, IDENTICAL_NOT, "the hooks differ");
}

static void scripts_say_too_little(void **state)
{
    (void)state;
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    write_both("data", "a", "a");
    expect(plan_of(bench, bench), NULL, IDENTICAL_UNKNOWN, "it is a script");
    expect(plan_of(bench, bench), "data", IDENTICAL_YES, "the programs are the same");
    expect(plan_of(bench, bench), "", IDENTICAL_YES, "the programs are the same");
    write_both("data", "a", "b");
    expect(plan_of(bench, bench), "data", IDENTICAL_NOT, "the sides differ in 'data'");
    expect(plan_of(bench, bench), "bench,,data", IDENTICAL_NOT,
           "the sides differ in 'data'");
    make_programs("bench", "#!/bin/sh\n", "#!/bin/bash\n");
    expect(plan_of(bench, bench), "bench", IDENTICAL_NOT, "the programs differ");
}

static void programs_that_are_not_there_differ(void **state)
{
    (void)state;
    expect(plan_of(bench, bench), NULL, IDENTICAL_NOT, "the programs differ");
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    assert_int_equal(unlink(in_side(MODEL_NEW, "bench")), 0);
    expect(plan_of(bench, bench), NULL, IDENTICAL_NOT, "the programs differ");
}

static void a_program_of_both(void **state)
{
    (void)state;
    static const char *const words[WORDS_MAX] = {"/bin/sh", "script"};
    write_both("script", "echo", "echo");
    expect(plan_of(words, words), NULL, IDENTICAL_UNKNOWN,
           "both sides run the same program");
    write_both("script", "echo", "echo 1");
    expect(plan_of(words, words), NULL, IDENTICAL_NOT, "the sides differ in 'script'");
    write_both("script", "echo", "echo");
    assert_int_equal(unlink(in_side(MODEL_NEW, "script")), 0);
    expect(plan_of(words, words), NULL, IDENTICAL_NOT, "the sides differ in 'script'");
}

static void words_of_the_commands(void **state)
{
    (void)state;
    static const char *const fast[WORDS_MAX] = {"./bench", "-1"};
    static const char *const slow[WORDS_MAX] = {"./bench", "-9"};
    static const char *const longer[WORDS_MAX] = {"./bench", "-1", "more"};
    static const char *const value[WORDS_MAX] = {"./bench", "--in=data"};
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    write_both("data", "a", "b");
    expect(plan_of(fast, fast), "bench", IDENTICAL_YES, "");
    expect(plan_of(fast, slow), "bench", IDENTICAL_NOT, "the commands differ: '-9'");
    expect(plan_of(fast, longer), "bench", IDENTICAL_NOT, "the commands differ");
    expect(plan_of(longer, fast), "bench", IDENTICAL_NOT, "the commands differ");
    /* A file behind an '=' counts. */
    expect(plan_of(value, value), "bench", IDENTICAL_NOT, "the sides differ in 'data'");
    write_both("data", "b", "b");
    expect(plan_of(value, value), "bench", IDENTICAL_YES, "");
}

/* The sides' folders may stand in their words and hooks, as often as they like. */
static void folders_in_words_and_hooks(void **state)
{
    (void)state;
    char texts[MODEL_SIDES][2048];
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    for (int side = 0; side < MODEL_SIDES; side++) {
        (void)snprintf(texts[side], sizeof texts[side], "-I%s/a:%s/b", folders[side],
                       folders[side]);
    }
    const char *const old[WORDS_MAX] = {"./bench", texts[MODEL_OLD]};
    const char *const new[WORDS_MAX] = {"./bench", texts[MODEL_NEW]};
    struct model_plan *plan = plan_of(old, new);
    for (int side = 0; side < MODEL_SIDES; side++) {
        plan->sides[side].setup = texts[side];
    }
    expect(plan, "bench", IDENTICAL_YES, "");
    plan->sides[MODEL_NEW].setup = texts[MODEL_OLD];
    expect(plan, "bench", IDENTICAL_NOT, "the hooks differ");
    for (int hook = 0; hook < 3; hook++) {
        plan = plan_of(bench, bench);
        struct model_workload *workload = &plan->sides[MODEL_NEW];
        *(hook == 0   ? &workload->prepare
          : hook == 1 ? &workload->conclude
                      : &workload->cleanup) = "sync";
        expect(plan, "bench", IDENTICAL_NOT, "the hooks differ");
    }
}

static void a_shell_may_read_anything(void **state)
{
    (void)state;
    static const char *const other[WORDS_MAX] = {"./other"};
    write_both("data", "a", "a");
    struct model_plan *plan = plan_of(bench, bench);
    plan->shell = "/bin/sh";
    expect(plan, NULL, IDENTICAL_UNKNOWN, "a shell runs it");
    expect(plan, "data", IDENTICAL_YES, "the programs are the same");
    plan = plan_of(bench, other);
    plan->shell = "/bin/sh";
    expect(plan, "data", IDENTICAL_NOT, "the commands differ");
}

static void folders_are_compared_with_all_that_is_in_them(void **state)
{
    (void)state;
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(mkdir(in_side(side, "lib"), 0700), 0);
        assert_int_equal(mkdir(in_side(side, "lib/.git"), 0700), 0);
        assert_int_equal(symlink("a", in_side(side, "lib/link")), 0);
    }
    write_both("lib/a", "1", "1");
    write_both("lib/.git/HEAD", "1", "2"); /* it is no part of a program */
    expect(plan_of(bench, bench), "lib", IDENTICAL_YES, "");
    write_both("lib/b", "1", "2");
    expect(plan_of(bench, bench), "lib", IDENTICAL_NOT, "the sides differ in 'lib'");
    assert_int_equal(unlink(in_side(MODEL_NEW, "lib/b")), 0);
    expect(plan_of(bench, bench), "lib", IDENTICAL_NOT, "the sides differ in 'lib'");
    fixture_write(in_side(MODEL_NEW, "lib/c"), "1"); /* as many, with other names */
    expect(plan_of(bench, bench), "lib", IDENTICAL_NOT, "the sides differ in 'lib'");
    assert_int_equal(unlink(in_side(MODEL_NEW, "lib/c")), 0);
    assert_int_equal(unlink(in_side(MODEL_OLD, "lib/b")), 0);
    expect(plan_of(bench, bench), "lib", IDENTICAL_YES, "");
    assert_int_equal(unlink(in_side(MODEL_NEW, "lib/link")), 0);
    assert_int_equal(symlink("b", in_side(MODEL_NEW, "lib/link")), 0);
    expect(plan_of(bench, bench), "lib", IDENTICAL_NOT, "the sides differ in 'lib'");
    assert_int_equal(unlink(in_side(MODEL_NEW, "lib/link")), 0);
    assert_int_equal(mkdir(in_side(MODEL_NEW, "lib/link"), 0700), 0);
    expect(plan_of(bench, bench), "lib", IDENTICAL_NOT, "the sides differ in 'lib'");
}

/* What is named by a link, as lib.so is of lib.so.1, and what a folder's links lead to
 * outside of it. */
static void links_are_followed(void **state)
{
    (void)state;
    static const char *const words[WORDS_MAX] = {"./bench", "link"};
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    write_both("real", "1", "2");
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(mkdir(in_side(side, "linked"), 0700), 0);
        assert_int_equal(symlink("real", in_side(side, "link")), 0);
        assert_int_equal(symlink("../real", in_side(side, "linked/out")), 0);
        assert_int_equal(symlink(".", in_side(side, "linked/self")), 0);
        assert_int_equal(symlink("nothing", in_side(side, "linked/none")), 0);
        assert_int_equal(symlink("linked", in_side(side, "folder")), 0);
        assert_int_equal(symlink("..", in_side(side, "linked/up")), 0);
    }
    expect(plan_of(words, words), "bench", IDENTICAL_NOT, "the sides differ in 'link'");
    expect(plan_of(bench, bench), "link", IDENTICAL_NOT, "the sides differ in 'link'");
    expect(plan_of(bench, bench), "folder", IDENTICAL_NOT, "differ in 'folder'");
    write_both("real", "1", "1");
    expect(plan_of(words, words), "bench", IDENTICAL_YES, "");
    expect(plan_of(bench, bench), "link", IDENTICAL_YES, "");
    expect(plan_of(bench, bench), "linked/none", IDENTICAL_YES, "");
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(unlink(in_side(side, "linked/up")), 0);
    }
    expect(plan_of(bench, bench), "folder", IDENTICAL_YES, "");
}

/* What can be read only once, or by one, is not the same. */
static void what_is_no_file_differs(void **state)
{
    (void)state;
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    for (int side = 0; side < MODEL_SIDES; side++) {
        assert_int_equal(mkfifo(in_side(side, "pipe"), 0600), 0);
    }
    expect(plan_of(bench, bench), "pipe", IDENTICAL_NOT, "the sides differ in 'pipe'");
    /* The same thing is, wherever it is named. */
    expect(plan_of(bench, bench), "/dev/null", IDENTICAL_YES, "");
}

static void a_path_of_neither_side_is_an_error(void **state)
{
    (void)state;
    enum identical found = IDENTICAL_UNKNOWN;
    char said[IDENTICAL_WHY_BYTES];
    make_programs("bench", "#!/bin/sh\n", "#!/bin/sh\n");
    assert_int_equal(identical_sides(plan_of(bench, bench), "bench,gone", &found, said,
                                     &fixture_error),
                     DUET_E_USAGE);
    assert_int_equal(found, IDENTICAL_UNKNOWN);
    assert_non_null(
        strstr(fixture_error.message, "'gone' is in neither side's folder"));
    fixture_write(in_side(MODEL_NEW, "gone"), "");
    expect(plan_of(bench, bench), "bench,gone", IDENTICAL_NOT, "differ in 'gone'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_command_in_the_same_folder),
        TEST(scripts_say_too_little),
        TEST(programs_that_are_not_there_differ),
        TEST(a_program_of_both),
        TEST(words_of_the_commands),
        TEST(folders_in_words_and_hooks),
        TEST(a_shell_may_read_anything),
        TEST(folders_are_compared_with_all_that_is_in_them),
        TEST(links_are_followed),
        TEST(what_is_no_file_differs),
        TEST(a_path_of_neither_side_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
