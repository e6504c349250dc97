#include "session/comparison/replay.h"

#include "store/store_resume.h"

struct replay {
    struct live *live;
    struct model_sink sink; /* live's */
    bool coins_alone;       /* MODEL_COIN_RUN */
    bool alone;             /* the current block has one run */
    struct measure_done done;
};

struct side_shown {
    struct replay *replay;
    enum model_side side;
};

static enum duet_code show_side(void *context, const struct model_iteration *iteration,
                                struct duet_error *reterr)
{
    struct side_shown *shown = context;
    const struct model_sink *sink = &shown->replay->sink;
    return sink->iterations(sink->context, shown->side, iteration, 1, reterr);
}

static enum duet_code show_run(void *context, struct store_run_reader *reader,
                               const struct model_run *run, struct duet_error *reterr)
{
    struct replay *replay = context;
    const struct model_sink *sink = &replay->sink;
    struct measure_done *done = &replay->done;
    if (store_runs_resumed(reader)) {
        live_pause(replay->live);
    }
    if (!done->second) {
        replay->alone = replay->coins_alone && live_coin_alone(replay->live);
    }
    enum duet_code code = sink->run_begin(sink->context, run, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct side_shown shown = {replay, (enum model_side)side};
        code = store_runs_visit(reader, shown.side, show_side, &shown, reterr);
    }
    if (code == DUET_OK) {
        code = sink->run_end(sink->context, run, reterr);
    }
    done->second = !done->second && !replay->alone;
    done->runs = run->index + 1;
    done->block = done->second ? run->block : run->block + 1;
    done->mode = run->mode;
    measure_done_take_turn(done, run);
    return code;
}

enum duet_code replay_runs(struct store *store, int64_t experiment,
                           const struct model_analysis *analysis, struct live *live,
                           struct measure_done *ret_done, struct duet_error *reterr)
{
    struct replay replay = {.live = live,
                            .sink = live_sink(live),
                            .coins_alone = analysis->coin == MODEL_COIN_RUN};
    enum duet_code code =
        store_runs_replay(store, experiment, show_run, &replay, reterr);
    live_pause(live);
    if (code == DUET_OK) {
        code = store_experiment_elapsed(store, experiment, &replay.done.elapsed_ns,
                                        reterr);
    }
    if (code == DUET_OK) {
        *ret_done = replay.done;
    }
    return code;
}
