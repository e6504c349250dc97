/* What Slurm's commands are told, and what is made of their answers; the commands are
 * scripts that keep their words. A real cluster: tests/slurm. */
#include "unit/store/store_fixture.h"

#include "session/fleet/fleet_slurm.h"
#include "support/alloc_fail.h"

#include <fcntl.h>

static struct fleet fleet;
static char folder[300];

/* Writes `name` into the folder that PATH begins with: it adds its words to the file
 * `said`, a line each, and answers by `script`. */
static void make_command(const char *name, const char *script)
{
    char path[600];
    char text[1200];
    (void)snprintf(path, sizeof path, "%s/bin/%s", fixture_folder, name);
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\nprintf '%%s\\n' \"${0##*/}\" \"$@\" >>'%s/said'\n%s\n",
                   fixture_folder, script);
    fixture_write(path, text);
    assert_int_equal(chmod(path, 0700), 0);
}

static int setup(void **state)
{
    static char partition[] = "--partition=fast";
    static char hold[] = "--hold x";
    static char *words[] = {partition, hold};
    char path[900];
    if (fixture_setup(state) != 0 || mkdir(fixture_in("bin"), 0700) != 0) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", fixture_folder);
    (void)snprintf(folder, sizeof folder, "%s/10%%", fixture_folder);
    fleet = (struct fleet){
        .path = folder,
        .plan = {.id = "0123abcd", .tasks = 9, .sbatch = {.list = words, .count = 2}}};
    return setenv("PATH", path, 1) != 0 || mkdir(folder, 0700) != 0;
}

static char *said(void)
{
    static char text[8192];
    FILE *file = fopen(fixture_in("said"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void expect_said(const char *words)
{
    if (strstr(said(), words) == NULL) {
        fail_msg("'%s' is not in:\n%s", words, said());
    }
}

static void tasks_and_the_job_that_collects(void **state)
{
    (void)state;
    char job[32] = "";
    make_command("sbatch", "echo '4711;cluster'");
    fleet.plan.limit = 3;
    assert_ok(fleet_slurm_submit(&fleet, "1-9", -1, job, &fixture_error));
    assert_string_equal(job, "4711");
    /* The user's words come first, each is one word, and what duet needs wins. */
    expect_said(
        "sbatch\n--parsable\n--nodes=1\n--ntasks=1\n--partition=fast\n--hold x\n"
        "--array=1-9%3\n--job-name=duet-0123abcd\n");
    expect_said("--dependency=afterany:4711\n--job-name=duet-collect-0123abcd\n");
    /* Slurm replaces what follows a %, which the folder's name has. */
    expect_said("10%%/logs/%A_%a.log\n");
    expect_said("10%/task.sh\n");
    expect_said("10%/collect.sh\n");
    fleet.plan.limit = 0;
    assert_ok(fleet_slurm_submit(&fleet, "3,7-9", -1, job, &fixture_error));
    expect_said("--array=3,7-9\n");
}

static void a_refusal_is_told(void **state)
{
    (void)state;
    char job[32] = "none";
    make_command("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1");
    assert_int_equal(fleet_slurm_submit(&fleet, "1", -1, job, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_non_null(strstr(fixture_error.message, "invalid partition"));
    make_command("sbatch", "echo Submitted");
    assert_int_equal(fleet_slurm_submit(&fleet, "1", -1, job, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_non_null(
        strstr(fixture_error.message, "no number of a job, but 'Submitted"));
    make_command("sbatch", "printf '%0.s9' $(seq 40)");
    assert_int_equal(fleet_slurm_submit(&fleet, "1", -1, job, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_string_equal(job, "none");
}

/* sbatch takes the array, and does `script` for the job that collects. */
static void make_sbatch(const char *script)
{
    char text[800];
    (void)snprintf(text, sizeof text,
                   "case \"$*\" in *duet-collect-*)\n%s\n;; esac\necho 4711", script);
    make_command("sbatch", text);
}

static void tasks_that_nobody_collects_are_cancelled(void **state)
{
    (void)state;
    char job[32] = "none";
    make_command("scancel", "");
    make_sbatch("echo 'sbatch: error: too many jobs' >&2; exit 1");
    assert_int_equal(fleet_slurm_submit(&fleet, "1-9", -1, job, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_non_null(strstr(fixture_error.message, "too many jobs; job 4711, the tasks, "
                                                  "was cancelled: go on with duet"));
    assert_string_equal(job, "none");
    expect_said("scancel\n4711\n");
    make_command("scancel", "echo 'no controller' >&2; exit 1");
    assert_int_equal(fleet_slurm_submit(&fleet, "1-9", -1, job, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_non_null(strstr(fixture_error.message, "too many jobs"));
    assert_non_null(strstr(fixture_error.message, "no controller): type scancel 4711"));
}

/* Ctrl-C between both jobs. */
static void an_interruption_cancels_the_tasks(void **state)
{
    (void)state;
    char job[32] = "none";
    char script[600];
    assert_int_equal(mkfifo(fixture_in("keys"), 0600), 0);
    int keys = open(fixture_in("keys"), O_RDWR | O_CLOEXEC);
    assert_true(keys >= 0);
    make_command("scancel", "");
    (void)snprintf(script, sizeof script, "echo x >'%s'; sleep 100",
                   fixture_in("keys"));
    make_sbatch(script);
    assert_int_equal(fleet_slurm_submit(&fleet, "1-9", keys, job, &fixture_error),
                     DUET_E_INTERRUPTED);
    assert_non_null(
        strstr(fixture_error.message, "job 4711, the tasks, was cancelled"));
    assert_string_equal(job, "none");
    expect_said("scancel\n4711\n");
    assert_int_equal(close(keys), 0);
}

static void squeue_is_asked_for_the_fleets_jobs(void **state)
{
    (void)state;
    struct model_fleet_state tasks[2] = {0};
    struct fleet_survey survey = {.tasks = tasks, .count = 2};
    survey.phases[MODEL_FLEET_WAITING] = 2;
    make_command("squeue", "echo '7 2 RUNNING n1'");
    assert_ok(fleet_slurm_look(&fleet, -1, &survey, &fixture_error));
    assert_int_equal(tasks[0].phase, MODEL_FLEET_LOST);
    assert_int_equal(tasks[1].phase, MODEL_FLEET_RUNNING);
    assert_string_equal(tasks[1].node, "n1");
    expect_said("squeue\n--noheader\n--array\n--states=all\n--format=%F %K %T %N %r\n"
                "--name=duet-0123abcd\n");
    make_command("squeue", "echo 'Unable to contact controller' >&2; exit 1");
    assert_int_equal(fleet_slurm_look(&fleet, -1, &survey, &fixture_error),
                     DUET_E_WORKLOAD);
    assert_int_equal(tasks[1].phase, MODEL_FLEET_RUNNING); /* as it was */
}

static void its_jobs_are_cancelled_by_their_name(void **state)
{
    (void)state;
    make_command("scancel", "");
    assert_ok(fleet_slurm_cancel(&fleet, -1, &fixture_error));
    assert_string_equal(said(), "scancel\n--name=duet-0123abcd\n");
    assert_int_equal(unlink(fixture_in("bin/scancel")), 0);
    enum duet_code code = fleet_slurm_cancel(&fleet, -1, &fixture_error);
    assert_true(code == DUET_E_UNSUITABLE || code == DUET_E_WORKLOAD); /* another one */
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    char job[32];
    make_command("sbatch", "echo 1");
    make_command("scancel", "");
    make_command("squeue", "");
    for (int look = 0; look < 2; look++) {
        enum duet_code code = DUET_E_NOMEM;
        for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
            struct fleet_survey survey = {.count = 0};
            alloc_fail_at(n);
            code = look ? fleet_slurm_look(&fleet, -1, &survey, &fixture_error)
                        : fleet_slurm_submit(&fleet, "1", -1, job, &fixture_error);
            alloc_fail_at(0);
        }
        assert_ok(code);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tasks_and_the_job_that_collects),
        TEST(a_refusal_is_told),
        TEST(tasks_that_nobody_collects_are_cancelled),
        TEST(an_interruption_cancels_the_tasks),
        TEST(squeue_is_asked_for_the_fleets_jobs),
        TEST(its_jobs_are_cancelled_by_their_name),
        TEST(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
