/* Panels of one comparison: its course and its distribution. */
#ifndef DUET_REPORT_PLOT_COURSE_PANELS_H
#define DUET_REPORT_PLOT_COURSE_PANELS_H

#include "model/comparison.h"
#include "model/trace.h"
#include "report/plot/sketch.h"

#include <stdbool.h>
#include <stdint.h>

enum course_panel {
    COURSE_TIMES,        /* both sides in the order of their measurement */
    COURSE_DISTRIBUTION, /* of the pairs' ratios, paired against shuffled; else of the
                            sides' times */
    COURSE_BLOCKS,       /* change by block, with the interval */
    COURSE_RUNS,         /* change by run; unpaired: typical time of each side's runs */
    COURSE_EVIDENCE,     /* e-values against their threshold */
    COURSE_LOSSES,       /* CPU time that the sides lost to others, and steal */
    COURSE_PANELS
};

/* All borrowed, for as long as the sketch. */
struct course {
    const struct model_comparison *comparison;
    const struct model_trace *trace;
    double steal_pct;       /* of the machine meanwhile; NaN: unknown */
    int64_t started_utc_ms; /* when it was measured; 0: unknown */
    size_t points_most;     /* of a series; of more, one of so many is drawn */
};

/* What the panel is called, and what there is to be seen, for a caption. */
const char *course_panel_title(enum course_panel panel, bool paired);
const char *course_panel_description(enum course_panel panel, bool paired);

/* Whether there is something to show in it. */
bool course_panel_has(enum course_panel panel, const struct course *course);

/* Adds it to the sketch; titled: with its title. */
void course_panel_add(struct sketch *sketch, enum course_panel panel,
                      const struct course *course, bool titled);

/* How many steps a series of `count` takes to have at most `most` points. */
size_t course_step(size_t count, size_t most);

#endif
