#include "session/comparison/controlled.h"

#include "base/alloc.h"
#include "model/comparison.h"
#include "sync/clock.h"

#include <math.h>
#include <stdlib.h>

/* What disturbs the machine for longer than that disturbs both. But set-up, clean-up
 * and warm-up surround each slice, and are not to take most of the time. */
static const uint64_t slice_ns = UINT64_C(250000000);
enum { OVERHEAD_SHARE = 4 };

enum duet_code controlled_begin(const struct benchmark *benchmark,
                                const struct session *session, bool control,
                                struct controlled *controlled,
                                struct duet_error *reterr)
{
    *controlled = (struct controlled){
        .benchmark = benchmark, .session = session, .wanted = control};
    return ongoing_begin(benchmark, session, &controlled->main, &controlled->experiment,
                         reterr);
}

/* The old side twice, by the schedule that the comparison has chosen. */
static enum duet_code begin_control(struct controlled *controlled,
                                    struct duet_error *reterr)
{
    struct benchmark *own = &controlled->own;
    const uint64_t other_seed = UINT64_C(0x5a5a5a5a5a5a5a5a);
    *own = *controlled->benchmark;
    own->plan.sides[MODEL_NEW] = own->plan.sides[MODEL_OLD];
    controlled->name =
        alloc_format("%s (%s)", own->plan.name, model_role_name(MODEL_ROLE_CONTROL));
    if (controlled->name == NULL) {
        return error_no_memory(reterr);
    }
    own->name = controlled->name;
    own->plan.name = controlled->name;
    own->plan.seed = (own->plan.seed ^ other_seed) & (uint64_t)INT64_MAX;
    own->plan.schedule = ongoing_schedule(controlled->main);
    own->plan.choose_schedule = false;
    own->plan.min_runs = 2;
    own->plan.min_runs_held = false;
    own->plan.budget_ns = MODEL_BUDGET_NONE; /* the comparison's length is its own */
    own->analysis.gate = (struct model_gate){.max_slowdown = (double)NAN};
    own->suite = NULL;
    own->same_output = false;
    own->acceptance = (struct model_acceptance){.limit = 0};
    own->accepts = false;
    own->follows = true;
    own->advised = false;
    own->role = MODEL_ROLE_CONTROL;
    own->of = controlled->experiment;
    return ongoing_begin(own, controlled->session, &controlled->control,
                         &controlled->control_experiment, reterr);
}

static enum duet_code catch_up(struct controlled *controlled, struct duet_error *reterr)
{
    const struct ongoing_slice slice = {.runs = ongoing_runs(controlled->main)};
    bool ignored = false;
    enum duet_code code = DUET_OK;
    if (controlled->control == NULL) {
        code = begin_control(controlled, reterr);
    }
    return code == DUET_OK && ongoing_runs(controlled->control) < slice.runs
               ? ongoing_continue(controlled->control, &slice, &ignored, reterr)
               : code;
}

static enum duet_code slice_with_control(struct controlled *controlled, uint64_t for_ns,
                                         bool *ret_ended, struct duet_error *reterr)
{
    const struct ongoing_slice slice = {.for_ns = for_ns,
                                        .settled = controlled->wanted};
    enum duet_code code = ongoing_continue(
        controlled->main, for_ns == 0 ? NULL : &slice, ret_ended, reterr);
    return code == DUET_OK && controlled->wanted ? catch_up(controlled, reterr) : code;
}

static uint64_t wall_ns(const struct ongoing *ongoing)
{
    return ongoing == NULL ? 0 : ongoing_result(ongoing)->wall_ns;
}

/* How long the next slice is to be, by what surrounded the one that began then. */
static uint64_t next_slice_ns(const struct controlled *controlled, uint64_t began_ns,
                              uint64_t measured_before_ns)
{
    uint64_t measured_ns =
        wall_ns(controlled->main) + wall_ns(controlled->control) - measured_before_ns;
    uint64_t spent_ns = clock_mono_ns() - began_ns;
    uint64_t around_ns = spent_ns > measured_ns ? (spent_ns - measured_ns) / 2 : 0;
    return OVERHEAD_SHARE * around_ns > slice_ns ? OVERHEAD_SHARE * around_ns
                                                 : slice_ns;
}

enum duet_code controlled_continue(struct controlled *controlled, uint64_t for_ns,
                                   bool *ret_ended, struct duet_error *reterr)
{
    bool to_the_end = for_ns == 0;
    uint64_t slice = to_the_end && controlled->wanted ? slice_ns : for_ns;
    enum duet_code code = DUET_OK;
    *ret_ended = false;
    do {
        uint64_t began_ns = clock_mono_ns();
        uint64_t before_ns = wall_ns(controlled->main) + wall_ns(controlled->control);
        code = slice_with_control(controlled, slice, ret_ended, reterr);
        if (to_the_end && controlled->wanted) {
            slice = next_slice_ns(controlled, began_ns, before_ns);
        }
    } while (code == DUET_OK && to_the_end && !*ret_ended);
    return code;
}

enum duet_code controlled_end(struct controlled *controlled, enum duet_code code,
                              struct duet_error *error)
{
    struct ongoing *const parts[] = {controlled->control, controlled->main};
    enum duet_code first = code;
    for (size_t i = 0; i < 2; i++) {
        struct duet_error wrong;
        enum duet_code kept =
            parts[i] == NULL ? DUET_OK
                             : ongoing_end(parts[i], first, error->message, &wrong);
        if (code == DUET_OK && kept != DUET_OK) {
            code = error_set(error, kept, "%s", wrong.message);
        }
    }
    return code;
}

void controlled_close(struct controlled *controlled)
{
    ongoing_free(controlled->control);
    ongoing_free(controlled->main);
    free(controlled->name);
    *controlled = (struct controlled){.main = NULL};
}

enum duet_code controlled_carry_out(const struct benchmark *benchmark,
                                    const struct session *session, bool control,
                                    struct experiments *ret_made,
                                    struct duet_error *reterr)
{
    struct controlled controlled;
    bool ended = false;
    enum duet_code code =
        controlled_begin(benchmark, session, control, &controlled, reterr);
    ret_made->experiment = controlled.experiment;
    if (code == DUET_OK) {
        code = controlled_continue(&controlled, 0, &ended, reterr);
        ret_made->result = *ongoing_result(controlled.main);
        ret_made->control = controlled.control_experiment;
        code = controlled_end(&controlled, code, reterr);
    }
    controlled_close(&controlled);
    return code;
}
