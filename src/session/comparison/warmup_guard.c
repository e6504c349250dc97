#include "session/comparison/warmup_guard.h"

#include "session/warmup_rule.h"

struct warmup_guard warmup_guard_of(const struct model_plan *plan,
                                    const struct model_cleaning *cleaning)
{
    return (struct warmup_guard){.cleaning = *cleaning, .warmup = plan->warmup};
}

static enum duet_code guard_begin(void *context, const struct model_run *run,
                                  struct duet_error *reterr)
{
    struct warmup_guard *guard = context;
    guard->counts[MODEL_OLD] = guard->counts[MODEL_NEW] = 0;
    guard->mode = run->mode;
    return guard->next.run_begin(guard->next.context, run, reterr);
}

static enum duet_code guard_iterations(void *context, enum model_side side,
                                       const struct model_iteration *iterations,
                                       size_t count, struct duet_error *reterr)
{
    struct warmup_guard *guard = context;
    uint64_t drop = model_mode_dropped(guard->mode, guard->warmup);
    for (size_t i = 0; i < count && !guard->seen[side]; i++) {
        guard->counts[side] +=
            model_iteration_counts(&iterations[i], drop) && iterations[i].region == 0;
    }
    return guard->next.iterations(guard->next.context, side, iterations, count, reterr);
}

static enum duet_code guard_end(void *context, const struct model_run *run,
                                struct duet_error *reterr)
{
    struct warmup_guard *guard = context;
    for (int side = 0; side < MODEL_SIDES; side++) {
        uint64_t count = guard->counts[side];
        if (count > 0 && !guard->seen[side] && guard->code == DUET_OK) {
            guard->code = warmup_rule_check(&guard->cleaning, count, &guard->error);
        }
        guard->seen[side] = guard->seen[side] || count > 0;
    }
    return guard->next.run_end(guard->next.context, run, reterr);
}

static void guard_abort(void *context)
{
    struct warmup_guard *guard = context;
    guard->next.run_abort(guard->next.context);
}

struct model_sink warmup_guard_sink(struct warmup_guard *guard,
                                    const struct model_sink *next)
{
    guard->next = *next;
    return (struct model_sink){.context = guard,
                               .run_begin = guard_begin,
                               .iterations = guard_iterations,
                               .run_end = guard_end,
                               .run_abort = guard_abort};
}
