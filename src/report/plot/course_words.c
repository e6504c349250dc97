/* What the panels of a comparison are called, and what they show. */
#include "report/plot/course_panels.h"

struct panel_words {
    const char *title;
    const char *description;
};

static const struct panel_words paired_words[COURSE_PANELS] = {
    [COURSE_TIMES] = {"Both sides over time",
                      "Each pair's two times, in the order of the measurement. What "
                      "disturbs both sides alike moves both. Times far outside "
                      "stand at the edge."},
    [COURSE_DISTRIBUTION] = {"Distribution of the ratios",
                             "How the pairs' ratios new / old are distributed, and the "
                             "same times paired at random within their run. The "
                             "narrower the first beside the second, the more the "
                             "pairing helped. Of fewer than " PLOT_DENSITY_LEAST_WORD
                             " pairs each is a point."},
    [COURSE_BLOCKS] = {"Change by block",
                       "The change that each block shows. Dashed: the ends of the "
                       "interval."},
    [COURSE_RUNS] = {"Change by run",
                     "The change that each run shows. Dashed: the answer."},
    [COURSE_EVIDENCE] =
        {"Evidence", "E-values against \"no change\" after each block, each for one "
                     "direction. One that reaches the dashed line decides, "
                     "however often one looks."},
    [COURSE_LOSSES] = {"Lost CPU time",
                       "Share of a run in which others had the CPU of a side that was "
                       "ready to run. Lines: how much of these CPUs other programs "
                       "used. Dashed: what the hypervisor took (steal)."}};

static const struct panel_words unpaired_words[COURSE_PANELS] = {
    [COURSE_TIMES] = {"Both sides over time",
                      "Each side's times, in the order of their measurement. "
                      "Times far outside stand at the edge."},
    [COURSE_DISTRIBUTION] =
        {"Distribution of the times",
         "How each side's times are distributed. Of fewer than " PLOT_DENSITY_LEAST_WORD
         " each is a point."},
    [COURSE_BLOCKS] = {"Change by block", ""},
    [COURSE_RUNS] = {"Typical time by run", "The geometric mean of each side's run."},
    [COURSE_EVIDENCE] = {"Evidence", ""},
    [COURSE_LOSSES] = {"Lost CPU time",
                       "Share of a run in which others had the CPU of a side that was "
                       "ready to run. Lines: how much of these CPUs other programs "
                       "used. Dashed: what the hypervisor took (steal)."}};

static const struct panel_words *words_of(enum course_panel panel, bool paired)
{
    return paired ? &paired_words[panel] : &unpaired_words[panel];
}

const char *course_panel_title(enum course_panel panel, bool paired)
{
    return words_of(panel, paired)->title;
}

const char *course_panel_description(enum course_panel panel, bool paired)
{
    return words_of(panel, paired)->description;
}
