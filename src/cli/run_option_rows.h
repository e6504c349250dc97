/* The options of `duet run` that say how much to measure and how: `duet suite` has
 * them, too. */
#ifndef DUET_CLI_RUN_OPTION_ROWS_H
#define DUET_CLI_RUN_OPTION_ROWS_H

#include "cli/option.h"

#define RUN_OPTION_AMOUNT_ROWS                                                         \
    {"runs", 'r', "N", CLI_OPTION_SETTING,                                             \
     "Do exactly N runs (fresh processes, one assignment to CPUs); with --schedule "   \
     "sequential N of each side. Default: as many as fit into --until."},              \
        {"iterations", 'I', "N", CLI_OPTION_SETTING,                                   \
         "Iterations per run: executions of a command (default 1), or iterations of "  \
         "a "                                                                          \
         "benchmark program (default 100, or fewer if --run-time is over)."},          \
        {"until", 0, "RULE", CLI_OPTION_SETTING,                                       \
         "When to stop: runs=N, time=T (a fixed time), decided (as soon as the "       \
         "verdict is certain; checking again and again is accounted for) or "          \
         "precision=P (half the interval's width); several with commas. Default: "     \
         "decided,time=10s. decided and precision alone: at most time=60s."},          \
        {"min-runs", 'm', "N", CLI_OPTION_SETTING,                                     \
         "At least N runs. Default: 12 where the verdict ends it, else 16; 2 with a "  \
         "time in --until."},                                                          \
        {"max-runs", 'M', "N", CLI_OPTION_SETTING,                                     \
         "At most N runs. Default: 100000."},                                          \
        {"run-time", 0, "T", CLI_OPTION_SETTING,                                       \
         "A benchmark program's run ends with the first iteration that ends after T. " \
         "Default: 25ms at first where the verdict ends it, a 32nd of a fixed time; "  \
         "with -I or -r no limit."},                                                   \
    {                                                                                  \
        "warmup", 'w', "N", CLI_OPTION_SETTING,                                        \
            "Commands: execute each N times before the first run. Benchmark "          \
            "programs: leave "                                                         \
            "the first N iterations of every run out of the analysis. Default: 0."     \
    }

#define RUN_OPTION_MANNER_ROWS                                                         \
    {"schedule", 0, "auto|duet|interleaved|sequential|timeslice", CLI_OPTION_SETTING,  \
     "How the sides share the machine: duet (at the same time, a CPU each, compared "  \
     "by elapsed time), timeslice (both on one CPU in turns, compared by CPU time), "  \
     "auto (the default: try both in the first blocks and go on with the one that "    \
     "decides sooner; duet for a fixed number of runs or a fixed time, and for "       \
     "programs that wait or have threads), interleaved (one at a time, in random "     \
     "order), sequential (all of old, then all of new)."},                             \
        {"design", 0, "paper", CLI_OPTION_SETTING,                                     \
         "All settings of the duet paper: 10 runs of 100 iterations or 10 minutes, "   \
         "geometric mean, percentile bootstrap over runs, times as they are."},        \
        {"cpus", 0, "A,B", CLI_OPTION_SETTING,                                         \
         "The CPUs of the two positions, each a number, a range 0-3 or a list 0+2. "   \
         "Default: chosen from the machine's topology."},                              \
        {"cpus-per-side", 0, "N", CLI_OPTION_SETTING,                                  \
         "Choose N cores for each side, for programs with several threads. Default: "  \
         "1."},                                                                        \
        {"fill", 0, "[kill]", CLI_OPTION_SETTING,                                      \
         "Keep the side that ends first executing, untimed, until the other has "      \
         "ended too or is about to; "                                                  \
         "--fill=kill kills the filler then. Default: on for benchmark programs, off " \
         "for "                                                                        \
         "commands (executing a program again may have side effects)."},               \
        {"no-fill", 0, NULL, CLI_OPTION_SETTING, "Never execute fillers."},            \
        {"layout", 0, "same|independent|fixed", CLI_OPTION_SETTING,                    \
         "Memory layout: each run gets a random offset of its environment, which "     \
         "moves "                                                                      \
         "the stack; the same for both sides (the default), independent, or fixed: "   \
         "none."},                                                                     \
        {"timeout", 0, "T", CLI_OPTION_SETTING,                                        \
         "Kill a command (with its process group) that takes longer than T, and "      \
         "fail. For "                                                                  \
         "a "                                                                          \
         "benchmark program: the whole run. Default: none."},                          \
        {"ignore-failure", 'i', NULL, CLI_OPTION_SETTING,                              \
         "Measure commands whose exit status is not 0, too."},                         \
    {                                                                                  \
        "no-usage", 0, NULL, CLI_OPTION_SETTING,                                       \
            "Do not record CPU time, context switches and page faults of each "        \
            "iteration."                                                               \
    }

#endif
