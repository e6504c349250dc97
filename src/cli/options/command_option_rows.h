/* The options of `duet run` that a suite's file says instead: `duet aa` has them, too.
 */
#ifndef DUET_CLI_COMMAND_OPTION_ROWS_H
#define DUET_CLI_COMMAND_OPTION_ROWS_H

#include "cli/options/analysis_option.h"
#include "cli/options/run_option_rows.h"
#include "cli/options/shared_option.h"
#include "cli/output.h"

enum {
    RUN_OPTION_PARAMETER_LIST = 1300,
    RUN_OPTION_PARAMETER_SCAN,
    RUN_OPTION_STEP,
    RUN_OPTION_RESUME,
    RUN_OPTION_EXIT_CODES
};

/* Of `duet run` and `duet git`. */
#define RUN_OPTION_EXIT_CODES_ROW                                                    \
    {                                                                                \
        "exit-codes", 0, "duet|git-bisect", RUN_OPTION_EXIT_CODES,                   \
            "Exit as 'git bisect run' expects: 0 fast, 1 slow, 125 unsure or a "     \
            "command that failed, 128 wrong usage or trouble of the machine. With "  \
            "--max-slowdown, slow is above the limit. Default: duet's own statuses." \
    }
#define RUN_OPTION_RESUME_ROW                                                 \
    {                                                                         \
        "resume", 0, "[ID]", RUN_OPTION_RESUME,                               \
            "Go on with an interrupted experiment: the newest, or ID. OLD, "  \
            "NEW and the options may be left out. Those that are given must " \
            "match the original ones."                                        \
    }

/* Which commands, how they are started, and where the result goes. */
#define RUN_OPTION_COMMAND_ROWS                                                                    \
    {"prepare", 'p', "CMD", CLI_OPTION_SETTING,                                                    \
     "Run this shell command before every execution of either side, untimed."},                    \
        {"conclude", 'C', "CMD", CLI_OPTION_SETTING,                                               \
         "Run this shell command after every execution of either side, "                           \
         "untimed."},                                                                              \
        {"setup", 's', "CMD", CLI_OPTION_SETTING,                                                  \
         "Run this shell command before the first run, once for each side."},                      \
        {"cleanup", 'c', "CMD", CLI_OPTION_SETTING,                                                \
         "Run this shell command at the end, once for each side, whatever "                        \
         "happened."},                                                                             \
        {"shell", 'S', "SHELL", CLI_OPTION_SETTING,                                                \
         "Run the commands by this shell, as SHELL -c COMMAND ('default': /bin/sh); "              \
         "its "                                                                                    \
         "start is then measured with them."},                                                     \
        {"no-shell", 'N', NULL, CLI_OPTION_SETTING,                                                \
         "Run the commands without a shell. This is the default."},                                \
        {"cwd-old", 0, "DIR", CLI_OPTION_SETTING,                                                  \
         "Run OLD, and the hooks (--setup ... --cleanup) for it, in this folder, to which a "      \
         "relative path of the command belongs. Default: the current folder."},                    \
        {"cwd-new", 0, "DIR", CLI_OPTION_SETTING, "Do the same for NEW."},                         \
        RUN_OPTION_STREAM_ROWS,                                                                    \
        {"command-name", 'n', "NAME", CLI_OPTION_SETTING,                                          \
         "Name a side in the output: first use names old, second new."},                           \
        {"name", 0, "NAME", CLI_OPTION_SETTING,                                                    \
         "Name the comparison, in the output and the store. Default: the old "                     \
         "command."},                                                                              \
        {"parameter-list", 'L', "VAR VALUES", RUN_OPTION_PARAMETER_LIST,                           \
         "Compare once for each of the comma-separated VALUES, put in for {VAR}."},                \
        {"parameter-scan", 'P', "VAR MIN MAX", RUN_OPTION_PARAMETER_SCAN,                          \
         "Compare once for each number from MIN to MAX, in steps of -D."},                         \
        {"parameter-step-size", 'D', "STEP", RUN_OPTION_STEP,                                      \
         "Set the step of -P. Default: 1."},                                                       \
        {"seed", 0, "N", SHARED_OPTION_SEED,                                                       \
         "Seed all random choices: assignment to CPUs, order, bootstrap. "                         \
         "Default: drawn, and kept with the results."},                                            \
    {                                                                                              \
        "store", 0, "PATH", SHARED_OPTION_STORE,                                                   \
            "Store the measurements in this file, at a postgresql:// URL, or in 'none'. Default: " \
            ".duet/results.db in the nearest parent folder that has one, else "                    \
            "in this one."                                                                         \
    }

/* How it is analysed and shown. */
#define RUN_OPTION_ANSWER_ROWS                                                     \
    ANALYSIS_OPTION_ROWS, SHARED_OPTION_MULTIPLICITY_ROW, SHARED_OPTION_GATE_ROWS, \
        OUTPUT_OPTION_ROWS

#endif
