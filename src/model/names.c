/* The words under which enumerations appear in output, JSON and the store. */
#include "model/comparison.h"
#include "model/finding.h"
#include "model/geomean.h"
#include "model/watching.h"

#include <stdio.h>
#include <string.h>

static const char *const side_names[] = {"old", "new"};
static const char *const schedule_names[] = {"duet", "interleaved", "sequential",
                                             "timeslice"};
static const char *const mode_names[] = {"command", "harness"};
static const char *const tasks_names[] = {"unknown", "one", "several"};
static const char *const verdict_names[] = {"slower", "faster",    "same",
                                            "unsure", "identical", "failed"};
static const char *const role_names[] = {"comparison", "control", "confirmation"};
static const char *const gate_state_names[] = {"none", "passed", "unsure", "failed"};
static const char *const estimator_names[] = {"geomean", "trimmed", "median"};
static const char *const interval_names[] = {"percentile",  "basic",   "bca",
                                             "studentized", "block",   "t",
                                             "signflip",    "anytime", "difference"};
static const char *const losses_names[] = {"kept", "removed", "bounded"};
static const char *const unit_names[] = {
    "runs",     "blocks", "assignments", "runs+iterations", "iterations",
    "circular", "moving", "stationary",  "runs+blocks"};
static const char *const statistic_names[] = {
    "", "mean", "geomean", "median", "quantile", "trimmed", "cv"};
static const char *const p_value_names[] = {"none",  "t",       "signflip", "anytime",
                                            "welch", "ranksum", "interval"};
static const char *const multiplicity_names[] = {"none", "bonferroni", "holm", "bh"};
static const char *const until_names[] = {"fixed", "decided", "precision"};
static const char *const layout_names[] = {"same", "independent", "fixed"};
static const char *const counter_names[] = {"cycles", "instructions", "cache_misses",
                                            "branch_misses"};
static const char *const level_names[] = {"good", "care", "unfit"};
static const char *const watch_state_names[] = {"running", "unfinished", "interrupted",
                                                "failed",  "stable",     "unstable"};
static const char *const lost_treatment_names[] = {"remove", "keep"};

static const char *const coin_names[MODEL_COINS] = {"block", "run"};
static const char *const winsorize_names[] = {"factor", "range", "off"};
static const char *const resample_names[] = {"runs", "blocks", "assignments"};
static const char *const scheme_names[] = {"circular", "moving", "stationary"};
static const char *const limit_names[] = {"none", "noise",          "few_runs",
                                          "time", "others",         "waiting",
                                          "cpus", "slow_iterations"};
static const char *const doubt_names[] = {"none", "mean", "tail"};
static const char *const test_names[] = {"none", "ranksum", "overlap"};

static const char *const geomean_rule_names[] = {"none", "independent", "bonferroni"};

#define NAME_AT(table, index) \
    ((size_t)(index) < sizeof(table) / sizeof((table)[0]) ? (table)[index] : "unknown")

const char *model_geomean_rule_name(enum model_geomean_rule rule)
{
    return NAME_AT(geomean_rule_names, rule);
}

const char *model_side_name(enum model_side side)
{
    return NAME_AT(side_names, side);
}

const char *model_counter_name(enum model_counter counter)
{
    return NAME_AT(counter_names, counter);
}

const char *model_schedule_name(enum model_schedule schedule)
{
    return NAME_AT(schedule_names, schedule);
}

bool model_schedule_from_name(const char *name, enum model_schedule *ret_schedule)
{
    for (size_t i = 0; i < MODEL_SCHEDULES; i++) {
        if (strcmp(name, schedule_names[i]) == 0) {
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

const char *model_finding_level_name(enum model_finding_level level)
{
    return NAME_AT(level_names, level);
}

const char *model_until_name(enum model_until until)
{
    return NAME_AT(until_names, until);
}

const char *model_layout_name(enum model_layout layout)
{
    return NAME_AT(layout_names, layout);
}

const char *model_mode_name(enum model_mode mode)
{
    return NAME_AT(mode_names, mode);
}

const char *model_tasks_name(enum model_tasks tasks)
{
    return NAME_AT(tasks_names, tasks);
}

const char *model_verdict_name(enum model_verdict verdict)
{
    return NAME_AT(verdict_names, verdict);
}

const char *model_estimator_name(enum model_estimator estimator)
{
    return NAME_AT(estimator_names, estimator);
}

const char *model_interval_method_name(enum model_interval_method method)
{
    return NAME_AT(interval_names, method);
}

const char *model_losses_name(enum model_losses losses)
{
    return NAME_AT(losses_names, losses);
}

const char *model_unit_name(enum model_unit unit)
{
    return NAME_AT(unit_names, unit);
}

void model_statistic_name(const struct model_statistic *statistic,
                          char ret_name[MODEL_STATISTIC_NAME_MAX])
{
    if (statistic->kind == MODEL_STATISTIC_QUANTILE) {
        (void)snprintf(ret_name, MODEL_STATISTIC_NAME_MAX, "p%.10g",
                       100.0 * statistic->probability);
    } else {
        (void)snprintf(ret_name, MODEL_STATISTIC_NAME_MAX, "%s",
                       NAME_AT(statistic_names, statistic->kind));
    }
}

const char *model_p_value_method_name(enum model_p_value_method method)
{
    return NAME_AT(p_value_names, method);
}

const char *model_multiplicity_name(enum model_multiplicity multiplicity)
{
    return NAME_AT(multiplicity_names, multiplicity);
}

const char *model_test_name(enum model_test test)
{
    return NAME_AT(test_names, test);
}

const char *model_lost_treatment_name(enum model_lost_treatment treatment)
{
    return NAME_AT(lost_treatment_names, treatment);
}

const char *model_coin_name(enum model_coin coin)
{
    return NAME_AT(coin_names, coin);
}

const char *model_winsorize_name(enum model_winsorize winsorize)
{
    return NAME_AT(winsorize_names, winsorize);
}

const char *model_resample_name(enum model_resample resample)
{
    return NAME_AT(resample_names, resample);
}

const char *model_scheme_name(enum model_scheme scheme)
{
    return NAME_AT(scheme_names, scheme);
}

const char *model_limit_name(enum model_limit limit)
{
    return NAME_AT(limit_names, limit);
}

const char *model_doubt_name(enum model_doubt doubt)
{
    return NAME_AT(doubt_names, doubt);
}

const char *model_gate_state_name(enum model_gate_state state)
{
    return NAME_AT(gate_state_names, state);
}

const char *model_role_name(enum model_role role)
{
    return NAME_AT(role_names, role);
}

const char *model_watch_state_name(enum model_watch_state state)
{
    return NAME_AT(watch_state_names, state);
}
