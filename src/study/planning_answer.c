#include "study/planning_answer.h"

#include <math.h>

struct planning_summary planning_answer_summary(const struct planning_answer *answer)
{
    const struct study_planning *planning = answer->planning;
    struct planning_summary summary = {0};
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        const struct planning_row *row = &answer->rows[c];
        const struct study_planned *planned = &row->planned;
        if (!row->done) {
            continue;
        }
        bool checked = planned->found && !isnan(planned->held_out_found);
        summary.done++;
        summary.too_few += row->too_few;
        summary.planned += planned->found;
        summary.checked += checked;
        summary.found += checked && planned->held_out_found >= planning->found_least;
        summary.quiet += checked && planned->held_out_false <= planning->false_most;
    }
    return summary;
}
