#include "measure/runner_progress.h"

#include "sync/clock.h"

struct measure_progress runner_progress(const struct runner *runner, bool in_run)
{
    const struct model_plan *plan = runner->plan;
    return (struct measure_progress){
        .runs_done = runner->runs_before + runner->result->runs,
        .runs_planned = plan->runs * model_schedule_passes(plan->schedule),
        .elapsed_ns = clock_mono_ns() - runner->began_ns,
        .budget_ns = plan->budget_ns,
        .mode = runner->result->mode,
        .in_run = in_run};
}
