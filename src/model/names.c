/* The words under which enumerations appear in output, JSON and the store. */
#include "model/comparison.h"
#include "model/finding.h"
#include "model/fleet.h"
#include "model/geomean.h"
#include "model/watching.h"

#include <stdio.h>
#include <string.h>

/* A function of the model's headers: the name of an enumerator. It takes a number, so
 * that readers of any vocabulary can be given it. */
#define NAME_FUNCTION(function, ...)                                              \
    const char *function(unsigned value)                                          \
    {                                                                             \
        static const char *const names[] = {__VA_ARGS__};                         \
        return value < sizeof names / sizeof names[0] ? names[value] : "unknown"; \
    }

NAME_FUNCTION(model_statistic_kind_name, "", "mean", "geomean", "median", "quantile",
              "trimmed", "cv")
NAME_FUNCTION(model_geomean_rule_name, "none", "independent", "bonferroni", "dependent")
NAME_FUNCTION(model_side_name, "old", "new")
NAME_FUNCTION(model_counter_name, "cycles", "instructions", "cache_misses",
              "branch_misses")
NAME_FUNCTION(model_schedule_name, "duet", "interleaved", "sequential", "timeslice")
NAME_FUNCTION(model_finding_level_name, "good", "care", "unfit")
NAME_FUNCTION(model_until_name, "fixed", "decided", "precision")
NAME_FUNCTION(model_layout_name, "same", "independent", "fixed")
NAME_FUNCTION(model_mode_name, "command", "harness")
NAME_FUNCTION(model_tasks_name, "unknown", "one", "several")
NAME_FUNCTION(model_verdict_name, "slower", "faster", "same", "unsure", "identical",
              "failed")
NAME_FUNCTION(model_estimator_name, "geomean", "trimmed", "median")
NAME_FUNCTION(model_interval_method_name, "percentile", "basic", "bca", "studentized",
              "block", "t", "signflip", "anytime", "difference")
NAME_FUNCTION(model_losses_name, "kept", "removed", "bounded")
NAME_FUNCTION(model_unit_name, "runs", "blocks", "assignments", "runs+iterations",
              "iterations", "circular", "moving", "stationary", "runs+blocks")
NAME_FUNCTION(model_p_value_method_name, "none", "t", "signflip", "anytime", "welch",
              "ranksum", "interval")
NAME_FUNCTION(model_multiplicity_name, "none", "bonferroni", "holm", "bh")
NAME_FUNCTION(model_test_name, "none", "ranksum", "overlap")
NAME_FUNCTION(model_lost_treatment_name, "remove", "keep")
NAME_FUNCTION(model_coin_name, "block", "run")
NAME_FUNCTION(model_winsorize_name, "factor", "range", "off")
NAME_FUNCTION(model_resample_name, "runs", "blocks", "assignments")
NAME_FUNCTION(model_scheme_name, "circular", "moving", "stationary")
NAME_FUNCTION(model_limit_name, "none", "noise", "few_runs", "time", "others",
              "waiting", "cpus", "slow_iterations")
NAME_FUNCTION(model_doubt_name, "none", "mean", "tail")
NAME_FUNCTION(model_gate_state_name, "none", "passed", "unsure", "failed")
NAME_FUNCTION(model_role_name, "comparison", "control", "confirmation")
NAME_FUNCTION(model_watch_state_name, "running", "unfinished", "interrupted", "failed",
              "stable", "unstable")
NAME_FUNCTION(model_fleet_engine_name, "local", "files", "slurm")
NAME_FUNCTION(model_fleet_instance_name, "machine", "node", "task")
NAME_FUNCTION(model_fleet_phase_name, "waiting", "running", "done", "failed", "lost")
NAME_FUNCTION(model_fill_name, "off", "on", "kill")
NAME_FUNCTION(model_stream_kind_name, "null", "inherit", "pipe", "file")

bool model_schedule_from_name(const char *name, enum model_schedule *ret_schedule)
{
    for (unsigned i = 0; i < MODEL_SCHEDULES; i++) {
        if (strcmp(name, model_schedule_name(i)) == 0) {
            *ret_schedule = (enum model_schedule)i;
            return true;
        }
    }
    return false;
}

bool model_schedule_is_paired(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_DUET || schedule == MODEL_SCHEDULE_TIMESLICE;
}

uint64_t model_schedule_passes(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_SEQUENTIAL ? (uint64_t)MODEL_SIDES : 1;
}

void model_statistic_name(const struct model_statistic *statistic,
                          char ret_name[MODEL_STATISTIC_NAME_MAX])
{
    if (statistic->kind == MODEL_STATISTIC_QUANTILE) {
        (void)snprintf(ret_name, MODEL_STATISTIC_NAME_MAX, "p%.10g",
                       100.0 * statistic->probability);
    } else {
        (void)snprintf(ret_name, MODEL_STATISTIC_NAME_MAX, "%s",
                       model_statistic_kind_name(statistic->kind));
    }
}
