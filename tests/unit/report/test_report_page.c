// labels: soakvalgrind
/* Pictures and pages of comparisons: byte by byte where no style sheet is in it,
 * hostile names, every allocation failing. */
#include "report/html/html_data.h"
#include "report/html/html_page.h"
#include "report/html/html_parts.h"
#include "report/html/html_site.h"
#include "report/plot/comparison_picture.h"
#include "support/alloc_fail.h"
#include "unit/report/report_samples.h"

enum { PAIRS = 24, TRACE_RUNS = 6, LOOKS = 3, POINTS = 5 };

/* What a trace borrows here. */
struct sample_trace {
    double times[MODEL_SIDES][PAIRS];
    double logs[MODEL_SIDES][PAIRS];
    double ratios[PAIRS];
    double log_ratios[PAIRS];
    struct model_trace_run runs[TRACE_RUNS];
    struct model_trace_look looks[LOOKS];
    double at[POINTS];
    double density[POINTS];
    struct model_trace trace;
};

static void fill(struct sample_trace *sample, bool paired)
{
    *sample = (struct sample_trace){.trace = {.paired = paired,
                                              .every = 2,
                                              .usual_low_ns = 1.0e9,
                                              .usual_high_ns = 1.1e9,
                                              .threshold = 200}};
    struct model_trace *trace = &sample->trace;
    for (size_t i = 0; i < PAIRS; i++) {
        sample->times[MODEL_OLD][i] = 1.0e9 + 1e6 * (double)(i * 7 % 11);
        sample->times[MODEL_NEW][i] = 1.03e9 + 1e6 * (double)(i * 5 % 13);
        for (int side = 0; side < MODEL_SIDES; side++) {
            sample->logs[side][i] = log(sample->times[side][i]);
        }
        sample->log_ratios[i] = sample->logs[MODEL_NEW][i] - sample->logs[MODEL_OLD][i];
    }
    sample->times[MODEL_NEW][3] = 9e9; /* at the edge */
    for (size_t i = 0; i < PAIRS; i++) {
        sample->ratios[i] = sample->times[MODEL_NEW][i] / sample->times[MODEL_OLD][i];
    }
    for (size_t i = 0; i < TRACE_RUNS; i++) {
        sample->runs[i] = (struct model_trace_run){
            .run = i,
            .first = {i * 8, i * 8},
            .ratio = paired ? 1.03 + 0.001 * (double)i : (double)NAN,
            .typical_ns = {1.0e9, 1.03e9},
            .taken_ratio = {0.01 * (double)i, 0.02},
            .others_ratio = {(double)NAN, 0.1}};
    }
    for (size_t i = 0; i < LOOKS; i++) {
        sample->looks[i] =
            (struct model_trace_look){.ratio = 1.03,
                                      .runs = 2,
                                      .slower = i == 2 ? 1e300 : 1.8 * (double)(i + 1),
                                      .faster = 1e-9};
    }
    for (size_t i = 0; i < POINTS; i++) {
        sample->at[i] = 1.01 + 0.01 * (double)i;
        sample->density[i] = i == 2 ? 30 : 10;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        trace->times_ns[side] = sample->times[side];
        trace->log_times[side] = sample->logs[side];
        trace->counts[side] = PAIRS;
        trace->totals[side] = 2 * PAIRS;
        trace->densities[side] =
            (struct model_trace_density){.at = sample->at,
                                         .density = sample->density,
                                         .count = POINTS,
                                         .quantiles = {1.01, 1.02, 1.03, 1.04, 1.05}};
    }
    trace->ratios = sample->ratios;
    trace->log_ratios = sample->log_ratios;
    trace->runs = sample->runs;
    trace->run_count = TRACE_RUNS;
    trace->looks = sample->looks;
    trace->look_count = paired ? LOOKS : 0;
}

static const char hostile[] =
    "</title><script>alert('1')</script>\" onload=\"x\x1b[31m\xff";

static const int64_t started_utc_ms[2] = {1764064800000, 1764151200000};

static struct course course_of(const struct model_comparison *comparison,
                               const struct sample_trace *sample)
{
    return (struct course){.comparison = comparison,
                           .trace = &sample->trace,
                           .steal_pct = 0.5,
                           .started_utc_ms = started_utc_ms[0]};
}

static void picture_of_one(void **state)
{
    (void)state;
    static struct sample_trace sample;
    const struct model_comparison comparison = sample_slower();
    const struct course course = course_of(&comparison, &sample);
    struct text text = {0};
    fill(&sample, true);
    comparison_picture(&text, &course);
    assert_golden(&text, "picture_pairs.svg");
    fill(&sample, false);
    comparison_picture(&text, &course);
    assert_golden(&text, "picture_apart.svg");
}

/* A density of a dozen values would show bumps that are chance. */
static void few_values_are_points(void **state)
{
    (void)state;
    static struct sample_trace sample;
    const struct model_comparison comparison = sample_slower();
    const struct course course = course_of(&comparison, &sample);
    for (int paired = 0; paired < 2; paired++) {
        struct text text = {0};
        fill(&sample, paired == 1);
        sample.trace.totals[MODEL_OLD] = sample.trace.totals[MODEL_NEW] = PAIRS;
        comparison_picture(&text, &course);
        assert_null(strstr(text_string(&text), ">density"));
        assert_non_null(strstr(text_string(&text), paired == 1 ? ">pairs<" : ">old<"));
        assert_non_null(strstr(text_string(&text), ", measured 2025-11-25"));
        text_release(&text);
    }
}

static void assert_starts(const struct course *course, const char *expected)
{
    struct text text = {0};
    html_data_series(&text, course);
    const char *starts = strstr(text_string(&text), " data-runs=");
    assert_non_null(starts);
    assert_string_equal(starts, expected);
    text_release(&text);
}

/* The script says which run a pair is of: of all runs, or of none. */
static void runs_begin_where_they_do(void **state)
{
    (void)state;
    enum { MANY_RUNS = 1001 };
    static struct model_trace_run many[MANY_RUNS];
    static struct sample_trace sample;
    const struct model_comparison comparison = sample_slower();
    const struct course course = course_of(&comparison, &sample);
    fill(&sample, true);
    assert_starts(&course, " data-runs=\"0,4,8,12,16,20\" data-run=\"1\"></div>\n");
    /* Pair 8, the fifth kept, is the first run's. */
    sample.runs[1].first[MODEL_OLD] = 9;
    assert_starts(&course, " data-runs=\"0,5,8,12,16,20\" data-run=\"1\"></div>\n");
    sample.runs[5].run = 6; /* one is not among them */
    assert_starts(&course, " data-runs=\"0,5,8,12,16,20\"></div>\n");
    for (size_t i = 0; i < MANY_RUNS; i++) {
        many[i] = (struct model_trace_run){.run = i, .first = {i, i}};
    }
    struct text text = {0};
    sample.trace.runs = many;
    sample.trace.run_count = MANY_RUNS;
    html_data_series(&text, &course);
    assert_non_null(strstr(text_string(&text), " data-runs=\"0,1,2,3,4,"));
    assert_non_null(strstr(text_string(&text), ",499,500\"></div>"));
    text_release(&text);
}

static void picture_of_several(void **state)
{
    (void)state;
    const struct model_comparison comparisons[] = {sample_slower(), sample_faster(),
                                                   sample_failed()};
    const double quantiles[][MODEL_TRACE_QUANTILES] = {
        {1.01, 1.02, 1.03, 1.04, 1.05},
        {0.3, 0.35, 0.4, 0.45, 0.5},
        {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN}};
    struct text text = {0};
    comparison_picture_several(&text, comparisons, quantiles, 3, started_utc_ms);
    assert_null(strstr(text_string(&text), "nan"));
    assert_golden(&text, "picture_several.svg");
}

static struct html_facts facts_of(const struct model_host *host)
{
    return (struct html_facts){.host = host,
                               .steal_pct = 0.5,
                               .experiment = 12,
                               .uuid = "6675e314-a65a-4bfc-8929-8d2fb99d63ac",
                               .started_utc_ms = 1764064800000,
                               .seed = 7,
                               .duet_version = "0.1.0",
                               .history = 3};
}

static struct model_host sample_host(void)
{
    return (struct model_host){.host_name = "builder <1>",
                               .cpu_model = "Some CPU",
                               .num_cpus = 2,
                               .num_cores = 2,
                               .smt = 1,
                               .turbo = -1,
                               .cpu_quota = (double)NAN,
                               .memory_bytes = 8.0 * 1024 * 1024 * 1024};
}

static void benchmark_of_a_page(void **state)
{
    (void)state;
    static struct sample_trace sample;
    const struct model_comparison comparisons[] = {sample_slower(), sample_failed()};
    const struct html_page page = {
        .title = "two", .comparisons = comparisons, .count = 2, .index = "index.html"};
    const struct model_host host = sample_host();
    const struct html_facts facts = facts_of(&host);
    const struct html_facts unknown = {.steal_pct = (double)NAN};
    const struct model_trace none = {.paired = true};
    struct text text = {0};
    fill(&sample, true);
    html_page_benchmark(&text, &page, 0, &sample.trace, &facts);
    assert_null(strstr(text_string(&text), "nan"));
    assert_golden(&text, "page_pairs.html");
    html_page_benchmark(&text, &page, 1, &none, &unknown);
    assert_golden(&text, "page_failed.html");
    fill(&sample, false);
    html_page_benchmark(&text, &page, 0, &sample.trace, &unknown);
    assert_golden(&text, "page_apart.html");
}

/* The page around it, but for style sheet and script. */
static void overview_of_a_page(void **state)
{
    (void)state;
    const struct model_comparison comparisons[] = {sample_faster(), sample_failed(),
                                                   sample_slower()};
    const struct html_page page = {
        .title = "three", .comparisons = comparisons, .count = 3};
    struct text text = {0};
    struct text body = {0};
    size_t *order = html_page_order(&page);
    assert_non_null(order);
    assert_int_equal(order[0], 1); /* failed, slower, faster */
    assert_int_equal(order[1], 2);
    html_page_begin(&text, &page, order);
    const char *begin = strstr(text_string(&text), "<body>");
    assert_non_null(begin);
    text_append(&body, begin);
    assert_golden(&body, "page_overview.html");
    text_release(&text);
    free(order);
}

static void index_of_a_site(void **state)
{
    (void)state;
    const char *const hrefs[] = {"report-b.html", "report-a.html"};
    const struct html_site_entry entries[] = {
        {"zip", 2, 0, 1, 1764064800000, 1.03, 1.02, 1.04, MODEL_VERDICT_SLOWER, false},
        {"<b>", 1, 0, 2, 1764064800000, (double)NAN, (double)NAN, (double)NAN,
         MODEL_VERDICT_FAILED, false},
        {"zip", 2, 1, 1, 1763064800000, 1.0, 0.99, (double)NAN, MODEL_VERDICT_UNSURE,
         false}};
    const struct html_site site = {.title = "all",
                                   .hrefs = hrefs,
                                   .report_count = 2,
                                   .entries = entries,
                                   .entry_count = 3,
                                   .history_count = 2};
    struct text text = {0};
    struct text body = {0};
    html_site(&text, &site);
    const char *begin = strstr(text_string(&text), "<body>");
    const char *end = strstr(text_string(&text), "<script>");
    assert_non_null(begin);
    assert_non_null(end);
    text_append_n(&body, begin, (size_t)(end - begin));
    assert_golden(&body, "page_site.html");
    text_release(&text);
}

static void hostile_names_are_text(void **state)
{
    (void)state;
    static struct sample_trace sample;
    struct model_comparison comparison = sample_slower();
    struct model_host host = sample_host();
    struct text text = {0};
    (void)snprintf(comparison.name, sizeof comparison.name, "%s", hostile);
    (void)snprintf(comparison.side_names[0], 256, "%s", hostile);
    (void)snprintf(host.host_name, sizeof host.host_name, "%s", hostile);
    (void)snprintf(comparison.warnings[0].text, 256, "%s", hostile);
    comparison.warning_count = 1;
    comparison.commands[0] = hostile;
    const struct html_page page = {
        .title = hostile, .comparisons = &comparison, .count = 1, .index = hostile};
    const struct html_facts facts = facts_of(&host);
    const struct course course = course_of(&comparison, &sample);
    const size_t order[] = {0};
    fill(&sample, true);
    html_page_begin(&text, &page, order);
    html_page_benchmark(&text, &page, 0, &sample.trace, &facts);
    comparison_picture(&text, &course);
    assert_null(strstr(text_string(&text), "<script>alert"));
    assert_null(strstr(text_string(&text), "\" onload"));
    assert_null(strchr(text_string(&text), '\x1b'));
    assert_null(strchr(text_string(&text), '\xff'));
    assert_non_null(strstr(text_string(&text), "&lt;script&gt;alert"));
    text_release(&text);
}

static void base64_of_all_lengths(void **state)
{
    (void)state;
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct text text = {0};
        html_base64(&text, (const unsigned char *)"foob", i);
        assert_string_equal(text_string(&text), expected[i]);
        text_release(&text);
    }
}

static void write_all(struct text *text)
{
    static struct sample_trace sample;
    const struct model_comparison comparison = sample_slower();
    const struct html_page page = {
        .title = "x", .comparisons = &comparison, .count = 1};
    const struct model_host host = sample_host();
    const struct html_facts facts = facts_of(&host);
    const struct course course = course_of(&comparison, &sample);
    const double quantiles[][MODEL_TRACE_QUANTILES] = {{1, 2, 3, 4, 5}};
    const char *const hrefs[] = {"a.html"};
    const struct html_site_entry entry = {
        "zip", 1, 0, 1, 1, 1, 1, 1, MODEL_VERDICT_SAME, false};
    const struct html_site site = {"all", hrefs, 1, &entry, 1, 1};
    const size_t order[] = {0};
    fill(&sample, true);
    comparison_picture(text, &course);
    comparison_picture_several(text, &comparison, quantiles, 1, started_utc_ms);
    html_page_begin(text, &page, order);
    html_page_benchmark(text, &page, 0, &sample.trace, &facts);
    html_site(text, &site);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct text whole = {0};
    alloc_fail_at(0);
    write_all(&whole);
    unsigned long total = alloc_fail_seen();
    assert_false(text_failed(&whole));
    text_release(&whole);
    for (unsigned long n = 1; n <= total; n++) {
        struct text text = {0};
        alloc_fail_at(n);
        write_all(&text);
        alloc_fail_at(0);
        assert_true(text_failed(&text));
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_of_one),
        cmocka_unit_test(few_values_are_points),
        cmocka_unit_test(runs_begin_where_they_do),
        cmocka_unit_test(picture_of_several),
        cmocka_unit_test(benchmark_of_a_page),
        cmocka_unit_test(overview_of_a_page),
        cmocka_unit_test(index_of_a_site),
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(base64_of_all_lengths),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
