#include "unit/report/report_samples.h"

#include "report/display.h"
#include "report/progress.h"
#include "support/alloc_fail.h"

static struct report_progress half_way(void)
{
    return (struct report_progress){.label = "xz -6 -k -c /tmp/a.txt",
                                    .done_ratio = 0.5625,
                                    .runs = 9,
                                    .runs_goal = 16,
                                    .elapsed_ns = UINT64_C(10300000000),
                                    .left_ns = 8.0e9,
                                    .ratio = 1.029,
                                    .low = 1.018,
                                    .high = 1.040};
}

static void assert_line(const struct report_progress *progress, size_t width,
                        bool unicode, const char *expected)
{
    struct text text = {0};
    report_progress_line(&text, progress, width, unicode);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void whole_line(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    assert_line(
        &progress, 0, true,
        "\rxz -6 -k -c /tmp/a.txt  ━━━━━━━━━━━─────────  9/16 runs  +2.9 % [+1.8, +4.0]  8 s left\033[K");
    assert_line(
        &progress, 0, false,
        "\rxz -6 -k -c /tmp/a.txt  [===========---------]  9/16 runs  +2.9 % [+1.8, +4.0]  8 s left\033[K");
}

static void parts_go_when_it_is_narrow(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    assert_line(
        &progress, 80, true,
        "\rxz -6 -…p/a.txt  ━━━━━━━━━━━─────────  9/16 runs  +2.9 % [+1.8, +4.0]  8 s left\033[K");
    assert_line(
        &progress, 70, true,
        "\rxz -6 -k …mp/a.txt  ━━━━━━━━━━━─────────  9/16 runs  +2.9 %  8 s left\033[K");
    assert_line(&progress, 60, true,
                "\rxz -…txt  ━━━━━━━━━━━─────────  9/16 runs  +2.9 %  8 s left\033[K");
    assert_line(&progress, 40, true, "\rxz -6 -k …mp/a.txt  9/16 runs  8 s left\033[K");
    assert_line(&progress, 24, true, "\rxz -6 …/a.txt  8 s left\033[K");
    assert_line(&progress, 5, true, "\r8 s left\033[K");
    for (size_t width = 20; width < 150; width++) {
        struct text text = {0};
        report_progress_line(&text, &progress, width, true);
        /* Carriage return and erase sequence count as five columns here. */
        assert_in_range(display_columns(text_string(&text)), 1, width - 1 + 4);
        text_release(&text);
    }
}

static void unknowns_are_left_out(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    progress.done_ratio = (double)NAN;
    progress.runs = 1;
    progress.runs_goal = 0;
    progress.left_ns = (double)NAN;
    progress.low = (double)NAN;
    assert_line(&progress, 100, true,
                "\rxz -6 -k -c /tmp/a.txt  1 run  +2.9 %  10 s so far\033[K");
    progress.ratio = (double)NAN;
    progress.left_ns = 1e300;
    progress.label = "\033[2J";
    assert_line(&progress, 100, true, "\r\uFFFD[2J  1 run  10 s so far\033[K");
    progress.label = "";
    progress.done_ratio = 7;
    progress.left_ns = -1;
    assert_line(&progress, 100, false,
                "\r[====================]  1 run  finishing\033[K");
    progress.done_ratio = -7;
    assert_line(&progress, 100, false,
                "\r[--------------------]  1 run  finishing\033[K");
}

/* Of a suite: what its other benchmarks came to. */
static void verdicts_found_so_far(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    const size_t found[MODEL_VERDICTS] = {
        [MODEL_VERDICT_SLOWER] = 2, [MODEL_VERDICT_SAME] = 11};
    const size_t none[MODEL_VERDICTS] = {0};
    progress.label = "3/16 zip";
    progress.found = found;
    assert_line(
        &progress, 100, true,
        "\r3/16 zip  ━━━━━━━━━━━─────────  9/16 runs  +2.9 % [+1.8, +4.0]  2 slower, 11 same  8 s left\033[K");
    assert_line(
        &progress, 80, true,
        "\r3/16 zip  ━━━━━━━━━━━─────────  9/16 runs  +2.9 %  2 slower, 11 same  8 s left\033[K");
    assert_line(&progress, 60, true,
                "\r3/16 zip  9/16 runs  +2.9 %  2 slower, 11 same  8 s left\033[K");
    progress.found = none;
    assert_line(&progress, 60, true,
                "\r3/16 zip  ━━━━━━━━━━━─────────  9/16 runs  +2.9 %  8 s left\033[K");
}

static void assert_ended(const struct report_ended *ended, const char *expected)
{
    struct text text = {0};
    report_progress_ended(&text, ended, true);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void ended_benchmarks(void **state)
{
    (void)state;
    struct model_comparison c = sample_slower();
    struct report_ended ended = {
        .name = "zip", .comparison = &c, .index = 3, .count = 40, .left_ns = 500e9};
    assert_ended(&ended,
                 "zip: slower, +3.02 % [+2.71 %, +3.34 %] (3 of 40, 8 min 20 s left)");
    c.analysis.multiplicity = MODEL_MULTIPLICITY_HOLM; /* may still become unsure */
    assert_ended(&ended, "zip: slower by itself, +3.02 % [+2.71 %, +3.34 %] "
                         "(3 of 40, 8 min 20 s left)");
    c = sample_few();
    ended.left_ns = (double)NAN;
    assert_ended(&ended, "zip: unsure, +0.3 % (3 of 40)");
    c.ratio = (double)NAN;
    assert_ended(&ended, "zip: unsure (3 of 40)");
    ended.comparison = NULL;
    ended.name = "\033[2J";
    ended.index = 40;
    ended.left_ns = 0;
    assert_ended(&ended, "\uFFFD[2J: failed (40 of 40)");
}

static void percent_instead_of_runs(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    progress.in_percent = true;
    progress.done_ratio = 0.5;
    progress.ratio = (double)NAN;
    progress.label = "study";
    assert_line(&progress, 100, false,
                "\rstudy  [==========----------]  50 %  8 s left\033[K");
}

static void erase_clears_the_line(void **state)
{
    (void)state;
    struct text text = {0};
    report_progress_erase(&text);
    assert_string_equal(text_string(&text), "\r\033[K");
    text_release(&text);
}

static void allocation_failures_are_reported(void **state)
{
    (void)state;
    struct report_progress progress = half_way();
    struct text text = {0};
    alloc_fail_at(0);
    report_progress_line(&text, &progress, 60, true);
    unsigned long total = alloc_fail_seen();
    text_release(&text);
    for (unsigned long n = 1; n <= total; n++) {
        alloc_fail_at(n);
        report_progress_line(&text, &progress, 60, true);
        alloc_fail_at(0);
        if (!text_failed(&text)) {
            fail_msg("allocation %lu of %lu failed unnoticed", n, total);
        }
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_line),
        cmocka_unit_test(parts_go_when_it_is_narrow),
        cmocka_unit_test(unknowns_are_left_out),
        cmocka_unit_test(verdicts_found_so_far),
        cmocka_unit_test(ended_benchmarks),
        cmocka_unit_test(percent_instead_of_runs),
        cmocka_unit_test(erase_clears_the_line),
        cmocka_unit_test(allocation_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
