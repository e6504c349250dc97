/* The commands, one file each. */
#ifndef DUET_CLI_COMMANDS_H
#define DUET_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command command_aa;
extern const struct cli_command command_baseline;
extern const struct cli_command command_bisect;
extern const struct cli_command command_compare;
extern const struct cli_command command_doctor;
extern const struct cli_command command_fleet;
extern const struct cli_command command_fleet_cancel;
extern const struct cli_command command_fleet_collect;
extern const struct cli_command command_fleet_resume;
extern const struct cli_command command_fleet_status;
extern const struct cli_command command_fleet_submit;
extern const struct cli_command command_fleet_task;
extern const struct cli_command command_gate;
extern const struct cli_command command_git;
extern const struct cli_command command_go_test;
extern const struct cli_command command_cargo_bench;
extern const struct cli_command command_pytest;
extern const struct cli_command command_help;
extern const struct cli_command command_history;
extern const struct cli_command command_import;
extern const struct cli_command command_list;
extern const struct cli_command command_log;
extern const struct cli_command command_plan;
extern const struct cli_command command_prune;
extern const struct cli_command command_report;
extern const struct cli_command command_rm;
extern const struct cli_command command_run;
extern const struct cli_command command_show;
extern const struct cli_command command_store;
extern const struct cli_command command_store_check;
extern const struct cli_command command_store_copy;
extern const struct cli_command command_store_merge;
extern const struct cli_command command_store_prune;
extern const struct cli_command command_stress;
extern const struct cli_command command_sync;
extern const struct cli_command command_study;
extern const struct cli_command command_study_accuracy;
extern const struct cli_command command_study_coverage;
extern const struct cli_command command_study_detectable;
extern const struct cli_command command_study_false_positives;
extern const struct cli_command command_study_planning;
extern const struct cli_command command_study_prediction;
extern const struct cli_command command_study_ratio;
extern const struct cli_command command_study_samples;
extern const struct cli_command command_study_sequential;
extern const struct cli_command command_study_sharing;
extern const struct cli_command command_study_shuffle;
extern const struct cli_command command_study_stopping;
extern const struct cli_command command_study_variability;
extern const struct cli_command command_suite;
extern const struct cli_command command_version;
extern const struct cli_command command_watch;
extern const struct cli_command command_workload;

#endif
