/* replay_alarms STORE SAMPLES SEED ID...: how often recorded comparisons of a program
 * with itself would have raised a false alarm, had the coins fallen otherwise. Prints a
 * row for each experiment, and one for all; exit status 1 when there were surely too
 * many.
 *
 * A sample takes one experiment, tosses each of its coins anew, and looks after each
 * (stats/sequential/coins.h). Both sides execute the same, so that whichever position
 * was called new, the times would have been these: what is counted is exact but for the
 * choice of the recordings. The times are read as the experiment's answer reads them;
 * where it holds for several readings, as measured, so that no alarm is missed. */
#include "analysis/runs/losses.h"
#include "analysis/runs/used_runs.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/random.h"
#include "base/threads.h"
#include "session/comparison/answer.h"
#include "stats/binomial.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const double counted_confidence = 0.99;

struct recording {
    struct store_experiment experiment;
    struct analysis_run_summary *summaries;
    size_t count;
    struct analysis_used_runs used;
    _Atomic uint64_t samples; /* each sample adds to it by itself */
    _Atomic uint64_t alarms;
};

/* ---- What was recorded ---- */

static enum duet_code add_summary(struct recording *recording,
                                  struct model_run_values *values,
                                  struct duet_error *reterr)
{
    const struct model_analysis *analysis = &recording->experiment.analysis;
    const struct analysis_summary_needs needs = {.paired = true,
                                                 .losses = analysis->losses ==
                                                           MODEL_LOST_WHERE_KNOWN,
                                                 .location = STATS_LOCATION_MEDIAN,
                                                 .winsorize = analysis->winsorize};
    struct analysis_run_summary *grown =
        alloc_resize(recording->summaries, recording->count + 1, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    recording->summaries = grown;
    enum duet_code code =
        analysis_run_summary_init(&needs, values, &grown[recording->count], reterr);
    recording->count += code == DUET_OK;
    return code;
}

static enum duet_code read_runs(struct store *store, struct recording *recording,
                                struct duet_error *reterr)
{
    const struct store_experiment *experiment = &recording->experiment;
    const char *metric = answer_metric(experiment->schedule);
    struct store_run_reader *reader = NULL;
    bool more = true;
    enum duet_code code = store_runs_open(store, experiment->id, &reader, reterr);
    while (code == DUET_OK && more) {
        struct model_run run;
        struct answer_run read = {.values = {0}};
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = answer_run_read(reader, &run, metric, answer_drop(experiment), 0,
                                   &read, reterr);
        }
        if (code == DUET_OK && more) {
            code = add_summary(recording, &read.values, reterr);
        }
        model_run_values_release(&read.values);
    }
    store_runs_close(reader);
    return code;
}

static enum duet_code load(struct store *store, const char *word,
                           struct recording *recording, struct duet_error *reterr)
{
    uint64_t id = 0;
    enum duet_code code = parse_whole(word, "ID", 1, INT64_MAX, &id, reterr);
    if (code == DUET_OK) {
        code =
            store_experiment_load(store, (int64_t)id, &recording->experiment, reterr);
    }
    if (code == DUET_OK) {
        code = read_runs(store, recording, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    enum model_losses losses =
        analysis_losses_choose(recording->summaries, recording->count);
    enum analysis_reading reading = losses == MODEL_LOSSES_BOUNDED
                                        ? ANALYSIS_AS_MEASURED
                                        : analysis_losses_reading(losses);
    return analysis_used_runs_init(recording->summaries, recording->count, reading,
                                   recording->experiment.analysis.coin, 0, false, 0, 0,
                                   &recording->used, reterr);
}

static void release(struct recording *recording)
{
    analysis_used_runs_release(&recording->used);
    for (size_t i = 0; i < recording->count; i++) {
        analysis_run_summary_release(&recording->summaries[i]);
    }
    free(recording->summaries);
    store_experiment_release(&recording->experiment);
}

/* ---- Replays ---- */

/* A thread's storage. */
struct bench {
    struct stats_betting *betting;
    struct stats_coins *coins;
};

static enum duet_code bench_init(struct bench *bench, double alpha,
                                 struct duet_error *reterr)
{
    *bench = (struct bench){0};
    enum duet_code code = stats_betting_new(alpha, &bench->betting, reterr);
    return code == DUET_OK ? stats_coins_new(&bench->coins, reterr) : code;
}

/* The same coin, having fallen the other way. */
static struct stats_coin turned(const struct stats_coin *coin)
{
    struct stats_coin other = *coin;
    other.old_position = 1 - coin->old_position;
    for (size_t i = 0; i < coin->count; i++) {
        other.runs[i].log_ratio = -coin->runs[i].log_ratio;
    }
    return other;
}

static enum duet_code replay(const struct recording *recording,
                             struct random_stream *stream, struct bench *bench,
                             bool *ret_alarm, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    const struct analysis_used_runs *used = &recording->used;
    stats_betting_reset(bench->betting);
    stats_coins_reset(bench->coins);
    *ret_alarm = false;
    for (size_t i = 0; i < used->coin_count && code == DUET_OK && !*ret_alarm; i++) {
        bool turn = random_u32(stream) >> 31U != 0;
        struct stats_coin coin = turn ? turned(&used->coins[i]) : used->coins[i];
        code = stats_coins_add(bench->coins, &coin, bench->betting, reterr);
        *ret_alarm = code == DUET_OK && stats_betting_sign(bench->betting) != 0;
    }
    return code;
}

struct replays {
    struct recording *recordings;
    size_t count;
    uint64_t seed;
    double alpha;
};

static enum duet_code replay_some(void *context, size_t first, size_t end,
                                  size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct replays *all = context;
    struct bench bench;
    enum duet_code code = bench_init(&bench, all->alpha, reterr);
    for (uint64_t i = first; i < end && code == DUET_OK; i++) {
        struct recording *recording = &all->recordings[i % all->count];
        struct random_stream stream = random_stream_at(all->seed, i);
        bool alarm = false;
        code = replay(recording, &stream, &bench, &alarm, reterr);
        if (code == DUET_OK) {
            recording->samples++;
            recording->alarms += alarm;
        }
    }
    stats_betting_free(bench.betting);
    stats_coins_free(bench.coins);
    return code;
}

static enum duet_code replay_all(struct recording *recordings, size_t count,
                                 uint64_t samples, uint64_t seed, double alpha,
                                 struct duet_error *reterr)
{
    struct replays all = {recordings, count, seed, alpha};
    const struct threads_loop loop = {.count = (size_t)samples,
                                      .chunk = 4096,
                                      .threads = threads_usual(),
                                      .body = replay_some,
                                      .context = &all};
    return threads_for(&loop, reterr);
}

/* ---- The table ---- */

static struct stats_interval show(const char *name, const char *schedule, size_t runs,
                                  uint64_t samples, uint64_t alarms)
{
    struct stats_interval interval = {0};
    (void)!stats_binomial_interval(alarms, samples, counted_confidence, &interval,
                                   NULL);
    (void)printf(
        "| %s | %s | %zu | %" PRIu64 " | %" PRIu64 " | %.3f %% [%.3f, %.3f] |\n", name,
        schedule, runs, samples, alarms, 100.0 * (double)alarms / (double)samples,
        100.0 * interval.low, 100.0 * interval.high);
    return interval;
}

static int report(const struct recording *recordings, size_t count, double alpha)
{
    uint64_t samples = 0;
    uint64_t alarms = 0;
    size_t runs = 0;
    (void)printf("| recording | schedule | runs | replays | false alarms | share |\n"
                 "|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < count; i++) {
        const struct recording *one = &recordings[i];
        (void)show(one->experiment.name, model_schedule_name(one->experiment.schedule),
                   one->count, one->samples, one->alarms);
        samples += one->samples;
        alarms += one->alarms;
        runs += one->count;
    }
    struct stats_interval all = show("all", "", runs, samples, alarms);
    return all.low > alpha ? 1 : 0;
}

int main(int argc, char **argv)
{
    enum { USAGE = 2, FIRST_ID = 4 };
    struct duet_error error = {0};
    struct store *store = NULL;
    uint64_t samples = 0;
    uint64_t seed = 0;
    if (argc <= FIRST_ID) {
        (void)fprintf(stderr, "usage: replay_alarms STORE SAMPLES SEED ID...\n");
        return USAGE;
    }
    size_t count = (size_t)(argc - FIRST_ID);
    struct recording *recordings = alloc_array(count, sizeof *recordings);
    enum duet_code code = recordings == NULL
                              ? error_no_memory(&error)
                              : store_open(argv[1], false, &store, &error);
    if (code == DUET_OK) {
        code = parse_whole(argv[2], "SAMPLES", count, UINT32_MAX, &samples, &error);
    }
    if (code == DUET_OK) {
        code = parse_whole(argv[3], "SEED", 0, UINT64_MAX, &seed, &error);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = load(store, argv[FIRST_ID + i], &recordings[i], &error);
    }
    int status = USAGE;
    double alpha = 0.01;
    if (code == DUET_OK) {
        alpha = 1.0 - recordings[0].experiment.analysis.confidence;
        code = replay_all(recordings, count, samples, seed, alpha, &error);
    }
    if (code == DUET_OK) {
        status = report(recordings, count, alpha);
    } else {
        (void)fprintf(stderr, "replay_alarms: %s\n", error.message);
    }
    for (size_t i = 0; recordings != NULL && i < count; i++) {
        release(&recordings[i]);
    }
    free(recordings);
    store_close(store);
    return status;
}
