/* The description of an analysis as text, and back. */
#include "base/random.h"
#include "model/analysis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A real with all of its digits; now and then none. */
static double any_real(struct random_stream *stream)
{
    double size = pow(10.0, 12.0 * random_uniform(stream) - 6.0);
    return random_below(stream, 4) == 0 ? (double)NAN : random_uniform(stream) * size;
}

static uint64_t any_count(struct random_stream *stream)
{
    return random_u64(stream) >> random_below(stream, 64);
}

static struct model_analysis any_analysis(struct random_stream *stream)
{
    struct model_analysis made = {
        .statistic = {(enum model_statistic_kind)random_below(stream, MODEL_STATISTICS),
                      0.0},
        .estimator = (enum model_estimator)random_below(stream, MODEL_ESTIMATORS),
        .estimator_asked = random_below(stream, 2) == 1,
        .interval =
            (enum model_interval_method)random_below(stream, MODEL_INTERVAL_METHODS),
        .interval_asked = random_below(stream, 2) == 1,
        .confidence = random_uniform(stream),
        .replicates = any_count(stream),
        .seed = any_count(stream),
        .resample = (enum model_resample)random_below(stream, MODEL_RESAMPLES),
        .block_scheme = (enum model_scheme)random_below(stream, MODEL_SCHEMES),
        .block_length = (double)random_below(stream, 3) * 1.5,
        .winsorize = (enum model_winsorize)random_below(stream, MODEL_WINSORIZES),
        .winsorize_asked = random_below(stream, 2) == 1,
        .cleaning = {.warmup = (enum model_warmup)random_below(stream, MODEL_WARMUPS),
                     .drop_magnitude = random_below(stream, 2) == 1},
        .losses =
            (enum model_lost_treatment)random_below(stream, MODEL_LOST_TREATMENTS),
        .test = (enum model_test)random_below(stream, MODEL_TESTS),
        .sample_runs = any_count(stream),
        .same_within = any_real(stream),
        .same_within_asked = random_below(stream, 2) == 1,
        .gate = {.max_slowdown = any_real(stream), .fail_on = random_below(stream, 8)},
        .multiplicity =
            (enum model_multiplicity)random_below(stream, MODEL_MULTIPLICITIES),
        .family = any_count(stream),
        .until = (enum model_until)random_below(stream, 3),
        .precision = any_real(stream)};
    if (made.statistic.kind == MODEL_STATISTIC_QUANTILE) {
        made.statistic.probability = random_uniform(stream);
    }
    if (made.cleaning.warmup == MODEL_WARMUP_COUNT) {
        made.cleaning.warmup_count = any_count(stream);
    }
    return made;
}

static bool same_real(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void assert_same(const struct model_analysis *a, const struct model_analysis *b)
{
    assert_int_equal(a->statistic.kind, b->statistic.kind);
    assert_true(same_real(a->statistic.probability, b->statistic.probability));
    assert_int_equal(a->estimator, b->estimator);
    assert_int_equal(a->estimator_asked, b->estimator_asked);
    assert_int_equal(a->interval, b->interval);
    assert_int_equal(a->interval_asked, b->interval_asked);
    assert_true(same_real(a->confidence, b->confidence));
    assert_true(a->replicates == b->replicates && a->seed == b->seed);
    assert_int_equal(a->resample, b->resample);
    assert_int_equal(a->block_scheme, b->block_scheme);
    assert_true(same_real(a->block_length, b->block_length));
    assert_int_equal(a->winsorize, b->winsorize);
    assert_int_equal(a->winsorize_asked, b->winsorize_asked);
    assert_int_equal(a->cleaning.warmup, b->cleaning.warmup);
    assert_true(a->cleaning.warmup_count == b->cleaning.warmup_count);
    assert_int_equal(a->cleaning.drop_magnitude, b->cleaning.drop_magnitude);
    assert_int_equal(a->losses, b->losses);
    assert_int_equal(a->test, b->test);
    assert_true(a->sample_runs == b->sample_runs);
    assert_true(same_real(a->same_within, b->same_within));
    assert_int_equal(a->same_within_asked, b->same_within_asked);
    assert_true(same_real(a->gate.max_slowdown, b->gate.max_slowdown));
    assert_int_equal(a->gate.fail_on, b->gate.fail_on);
    assert_int_equal(a->multiplicity, b->multiplicity);
    assert_true(a->family == b->family);
    assert_int_equal(a->until, b->until);
    assert_true(same_real(a->precision, b->precision));
}

static void test_there_and_back(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(17, 0);
    for (int i = 0; i < 2000; i++) {
        struct model_analysis written = any_analysis(&stream);
        struct model_analysis read = any_analysis(&stream);
        struct text text = {0};
        struct text again = {0};
        struct duet_error error = {0};
        model_analysis_write(&written, &text);
        assert_false(text_failed(&text));
        assert_int_equal(model_analysis_read(text_string(&text), &read, &error),
                         DUET_OK);
        assert_same(&read, &written);
        model_analysis_write(&read, &again);
        assert_string_equal(text_string(&again), text_string(&text));
        for (size_t f = 0; f < model_analysis_fields(); f++) {
            assert_false(model_analysis_differs(&read, &written, f));
        }
        text_release(&text);
        text_release(&again);
    }
}

/* Any damage is found, or leaves a description that can be written again. */
static void test_damaged(void **state)
{
    (void)state;
    struct random_stream stream = random_stream_at(18, 0);
    size_t refused = 0;
    for (int i = 0; i < 5000; i++) {
        struct model_analysis written = any_analysis(&stream);
        struct model_analysis read = model_analysis_default();
        struct text text = {0};
        struct duet_error error = {0};
        model_analysis_write(&written, &text);
        size_t at = random_below(&stream, (uint32_t)text.length);
        if (random_below(&stream, 2) == 0) {
            text.bytes[at] = '\0';
        } else {
            text.bytes[at] = (char)(1 + random_below(&stream, 127));
        }
        if (model_analysis_read(text.bytes, &read, &error) == DUET_OK) {
            struct text again = {0};
            model_analysis_write(&read, &again);
            assert_int_equal(model_analysis_read(text_string(&again), &written, &error),
                             DUET_OK);
            text_release(&again);
        } else {
            const struct model_analysis untouched = model_analysis_default();
            assert_same(&read, &untouched);
            assert_true(error.message[0] != '\0');
            refused++;
        }
        text_release(&text);
    }
    assert_true(refused > 2500);
}

static void test_what_is_not_there_stays(void **state)
{
    (void)state;
    struct model_analysis analysis = model_analysis_default();
    assert_int_equal(model_analysis_read("{}", &analysis, NULL), DUET_OK);
    assert_int_equal(
        model_analysis_read(" { \"confidence\" : 0.8 ,\n \"same_within\":null } ",
                            &analysis, NULL),
        DUET_OK);
    assert_true(analysis.confidence == 0.8);
    assert_true(isnan(analysis.same_within));
    assert_true(analysis.replicates == 10000);
}

static void test_errors_say_what(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *said;
    } wrong[] = {{"", "no JSON object"},
                 {"[1]", "no JSON object"},
                 {"{} x", "no JSON object"},
                 {"{\"tea\":1}", "'tea'"},
                 {"{\"interval\":\"tea\"}", "'interval': tea"},
                 {"{\"interval\":null}", "'interval': null"},
                 {"{\"confidence\":\"0.9\"}", "'confidence'"},
                 {"{\"confidence\":1e999}", "damaged at confidence"},
                 {"{\"confidence\":nan}", "damaged at confidence"},
                 {"{\"replicates\":-1}", "'replicates'"},
                 {"{\"replicates\":99999999999999999999}", "'replicates'"},
                 {"{\"estimator_asked\":1}", "'estimator_asked'"},
                 {"{\"drop_warmup\":\"tea\"}", "'drop_warmup'"},
                 {"{\"drop_outliers\":true}", "'drop_outliers'"},
                 {"{\"fail_on\":\"same\"}", "'fail_on'"},
                 {"{\"test\"}", "damaged at test"},
                 {"{\"test\":\"a\\\"b\"}", "damaged at test"},
                 {"{confidence:1}", "damaged"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model_analysis analysis = model_analysis_default();
        struct duet_error error = {0};
        assert_int_equal(model_analysis_read(wrong[i].text, &analysis, &error),
                         DUET_E_FORMAT);
        if (strstr(error.message, wrong[i].said) == NULL) {
            fail_msg("%s: %s", wrong[i].text, error.message);
        }
    }
}

static void test_as_options_say_it(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *said;
    } expected[] = {{"statistic", "p99.9"},   {"confidence", "0.8"},
                    {"drop_warmup", "12"},    {"drop_outliers", "10x"},
                    {"same_within", "none"},  {"fail_on", "slower,unsure"},
                    {"block_length", "none"}, {"max_slowdown", "2.9%"}};
    struct model_analysis analysis = model_analysis_default();
    analysis.statistic = (struct model_statistic){MODEL_STATISTIC_QUANTILE, 0.999};
    analysis.confidence = 0.8;
    analysis.cleaning = (struct model_cleaning){
        .warmup = MODEL_WARMUP_COUNT, .warmup_count = 12, .drop_magnitude = true};
    analysis.gate.fail_on = MODEL_FAIL_ON_SLOWER | MODEL_FAIL_ON_UNSURE;
    analysis.gate.max_slowdown = 0.029;
    size_t found = 0;
    for (size_t f = 0; f < model_analysis_fields(); f++) {
        char word[MODEL_VALUE_WORD_MAX];
        model_analysis_say(&analysis, f, word);
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            if (strcmp(model_analysis_key(f), expected[i].key) == 0) {
                assert_string_equal(word, expected[i].said);
                found++;
            }
        }
    }
    assert_int_equal(found, sizeof expected / sizeof expected[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_what_is_not_there_stays),
        cmocka_unit_test(test_errors_say_what),
        cmocka_unit_test(test_as_options_say_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
