/* The options of `duet run` that say how much to measure and how: `duet suite` has
 * them, too. */
#ifndef DUET_CLI_RUN_OPTION_ROWS_H
#define DUET_CLI_RUN_OPTION_ROWS_H

#include "cli/options/option.h"

#define RUN_OPTION_AMOUNT_ROWS                                                    \
    {"runs", 'r', "N", CLI_OPTION_SETTING,                                        \
     "Do exactly N runs: fresh processes, each with its own assignment to "       \
     "CPUs. Another rule of --until may end them before. With --schedule "        \
     "sequential N runs of each side, as with --min-runs and --max-runs. "        \
     "Default: as many as fit into --until."},                                    \
        {"iterations", 'I', "N", CLI_OPTION_SETTING,                              \
         "Do N iterations per run. Default: 1 execution of a command; 100 "       \
         "iterations of a benchmark program, fewer if --run-time is over."},      \
        {"until", 0, "RULE", CLI_OPTION_SETTING,                                  \
         "Stop at a rule: runs=N, time=T, decided (as soon as the verdict is "    \
         "certain; repeated checks are accounted for) or precision=P (half "      \
         "the interval's width). Of several, separated by commas, the first to "  \
         "hold stops. Default: decided,time=10s. decided and precision alone "    \
         "stop after 60s. "                                                       \
         "A time limit waits for a few runs, however long they take: see "        \
         "--min-runs."},                                                          \
        {"min-runs", 'm', "N", CLI_OPTION_SETTING,                                \
         "Do at least N runs, whatever the rule of --until says. By default "     \
         "only a time limit waits: for 12 runs with decided and precision, else " \
         "for 16, and for 2 where --until has a time."},                          \
        {"max-runs", 'M', "N", CLI_OPTION_SETTING,                                \
         "Do at most N runs. Default: 100000."},                                  \
        {"run-time", 0, "T", CLI_OPTION_SETTING,                                  \
         "End a benchmark program's run after the first iteration that ends "     \
         "later than T and is no warm-up. Default: 25ms at first with "           \
         "decided; a 32nd of a fixed time; no limit with -I or -r."},             \
    {                                                                             \
        "warmup", 'w', "N", CLI_OPTION_SETTING,                                   \
            "Execute each command N times before the first run; leave the first " \
            "N iterations of each run of a benchmark program out of the "         \
            "analysis. Default: 0."                                               \
    }

#define RUN_OPTION_MANNER_ROWS                                                        \
    {"schedule", 0, "auto|duet|interleaved|sequential|timeslice", CLI_OPTION_SETTING, \
     "Choose how the sides share the machine. With duet both run at the same "        \
     "time, on one CPU each, compared by elapsed time. With timeslice they "          \
     "take turns on one CPU, compared by CPU time. The default, auto, tries "         \
     "both in the first blocks and keeps the one that decides sooner. It "            \
     "takes duet for a fixed number of runs or a fixed time, and for programs "       \
     "that wait or have threads. With interleaved one side runs at a time, in "       \
     "random order. With sequential all of old runs before all of new, each in "      \
     "half of the time."},                                                            \
        {"design", 0, "paper", CLI_OPTION_SETTING,                                    \
         "Take all settings of the duet paper: 10 runs of 100 iterations or "         \
         "10 minutes, geometric mean, percentile bootstrap over runs, times "         \
         "as they are."},                                                             \
        {"cpus", 0, "A,B", CLI_OPTION_SETTING,                                        \
         "Run the sides on these CPUs, each a number, a range 0-3 or a list "         \
         "0+2. Default: chosen from the machine's topology, and apart from programs " \
         "that are bound to a CPU."},                                                 \
        {"cpus-per-side", 0, "N", CLI_OPTION_SETTING,                                 \
         "Give each side N cores, for programs with several threads. "                \
         "Default: 1."},                                                              \
        {"fill", 0, "[kill]", CLI_OPTION_SETTING,                                     \
         "Keep the side that ends first running, untimed, until the other "           \
         "side ends; --fill=kill then kills it. Default: on for benchmark "           \
         "programs, off for commands, since a further execution may have "            \
         "side effects."},                                                            \
        {"no-fill", 0, NULL, CLI_OPTION_SETTING,                                      \
         "Never keep a side running after its end."},                                 \
        {"layout", 0, "same|independent|fixed", CLI_OPTION_SETTING,                   \
         "Shift the stack of each run by a random size of the environment, "          \
         "and seed the hash functions of Python and Perl (PYTHONHASHSEED, "           \
         "PERL_HASH_SEED). Both are the same for both sides (same, the "              \
         "default), independent, or fixed (no shift, no seed)."},                     \
        {"timeout", 0, "T", CLI_OPTION_SETTING,                                       \
         "Kill a command and its process group, and fail, when an execution "         \
         "takes longer than T. For a benchmark program: when a run does. "            \
         "Default: none."},                                                           \
        {"ignore-failure", 'i', NULL, CLI_OPTION_SETTING,                             \
         "Also measure commands that exit non-zero."},                                \
    {                                                                                 \
        "no-usage", 0, NULL, CLI_OPTION_SETTING,                                      \
            "Do not record CPU time, context switches and page faults of each "       \
            "iteration."                                                              \
    }

/* What the commands read and write. */
#define RUN_OPTION_STREAM_ROWS                                                     \
    {"input", 0, "FILE", CLI_OPTION_SETTING,                                       \
     "Set the standard input of the commands: a file, 'null' (the "                \
     "default) or 'inherit'."},                                                    \
        {"output", 0, "WHERE", CLI_OPTION_SETTING,                                 \
         "Set the standard output of the commands: 'null' (the default), "         \
         "'pipe' (read and dropped), 'inherit', or a file, to whose name .old "    \
         "and .new are appended."},                                                \
    {                                                                              \
        "stderr", 0, "WHERE", CLI_OPTION_SETTING,                                  \
            "Set the standard error of the commands: 'pipe' (the default: the "    \
            "last lines are shown when a command fails), 'null', 'inherit', or a " \
            "file as for --output."                                                \
    }

/* What else is done so that an answer can be relied on. */
#define RUN_OPTION_CARE_ROWS                                                              \
    {"confirm", 0, NULL, CLI_OPTION_SETTING,                                              \
     "Measure a comparison that fails its gate once more, with other random choices "     \
     "and independent memory layouts; it fails only when that fails, too."},              \
        {"control", 0, NULL, CLI_OPTION_SETTING,                                          \
         "Compare the old side with itself in turns with the comparison, in a row of "    \
         "its own. Takes as long again. --setup, --cleanup and the executions of "        \
         "--warmup belong to each turn."},                                                \
        {"same-output", 0, NULL, CLI_OPTION_SETTING,                                      \
         "Execute each side once before the measurement, untimed, and fail when they "    \
         "print different things."},                                                      \
        {"skip-identical", 0, NULL, CLI_OPTION_SETTING,                                   \
         "Do not measure sides that are the same program: the verdict is identical. "     \
         "Compares the program and the files that its words name."},                      \
    {                                                                                     \
        "identical-if", 0, "PATHS", CLI_OPTION_SETTING,                                   \
            "With --skip-identical: compare these files and folders of both sides, too, " \
            "separated by commas. Scripts and programs with libraries of their own "      \
            "need it."                                                                    \
    }

#endif
