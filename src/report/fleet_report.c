#include "report/fleet_report.h"

#include "base/alloc.h"
#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 32, STRATUM_COLUMNS = 40, LISTED_MAX = 10 };
/* change, interval, instances; the verdict is last */
static const int widths[] = {10, 20, 11};

/* ---- How far it is ---- */

/* A task of the phase; of those that wait only one that waits for this reason. */
static bool is_listed(const struct model_fleet_state *task,
                      enum model_fleet_phase phase, const char *reason)
{
    return task->phase == phase &&
           (phase != MODEL_FLEET_WAITING || strcmp(task->message, reason) == 0);
}

/* "3,7-9": their numbers; how many they are. */
static size_t append_tasks(struct text *text, const struct model_fleet_view *view,
                           enum model_fleet_phase phase, const char *reason)
{
    size_t found = 0;
    for (size_t i = 0; i < view->count; i++) {
        size_t first = i;
        while (i < view->count && is_listed(&view->tasks[i], phase, reason)) {
            i++;
        }
        if (i > first) {
            text_append_format(text, "%s%zu", found > 0 ? "," : "", first + 1);
            found += i - first;
        }
        if (i > first + 1) {
            text_append_format(text, "-%zu", i);
        }
    }
    return found;
}

static void append_phases(struct text *text, const struct model_fleet_view *view)
{
    size_t phases[MODEL_FLEET_PHASES] = {0};
    for (size_t i = 0; i < view->count; i++) {
        phases[view->tasks[i].phase]++;
    }
    text_append_format(text, "  %zu of %zu done", phases[MODEL_FLEET_DONE],
                       view->count);
    for (size_t i = 0; i < MODEL_FLEET_PHASES; i++) {
        if (i != MODEL_FLEET_DONE && phases[i] > 0) {
            text_append_format(text, ", %zu %s", phases[i],
                               model_fleet_phase_name((enum model_fleet_phase)i));
        }
    }
    if (view->ended[0] != '\0') {
        text_append_format(text, "; ended: %s", view->ended);
    } else if (view->left_ms > 0) {
        text_append(text, "; about ");
        digits_append_duration(text, (uint64_t)(1e6 * view->left_ms));
        text_append(text, " left");
    }
    text_append_char(text, '\n');
}

/* Of running tasks the nodes, of failed ones the reasons. */
static void append_phase_details(struct text *text, const struct model_fleet_view *view,
                                 enum model_fleet_phase phase, bool unicode)
{
    struct text line = {.bytes = NULL};
    size_t listed = 0;
    if (append_tasks(&line, view, phase, NULL) > 0) {
        text_append_format(text, "  %s: %s\n", model_fleet_phase_name(phase),
                           text_string(&line));
    }
    display_drop(text, &line);
    for (size_t i = 0; i < view->count; i++) {
        const struct model_fleet_state *task = &view->tasks[i];
        bool told = phase == MODEL_FLEET_FAILED ? task->message[0] != '\0'
                                                : task->node[0] != '\0';
        if (task->phase != phase || !told) {
            continue;
        }
        if (listed++ < LISTED_MAX) {
            text_append_format(text, "    task %" PRIu64 " on ", task->task);
            display_append_clean(text, task->node, unicode);
            text_append(text, task->message[0] != '\0' ? ": " : "");
            display_append_clean(text, task->message, unicode);
            text_append_char(text, '\n');
        }
    }
    if (listed > LISTED_MAX) {
        text_append_format(text, "    and %zu more\n", listed - LISTED_MAX);
    }
}

/* Whether a task before waits for the same reason. */
static bool was_said(const struct model_fleet_view *view, size_t index)
{
    for (size_t i = index; i-- > 0;) {
        if (is_listed(&view->tasks[i], MODEL_FLEET_WAITING,
                      view->tasks[index].message)) {
            return true;
        }
    }
    return false;
}

/* Why Slurm has not started tasks, each reason with its tasks; and how those go on that
 * it never starts by itself. */
static void append_reasons(struct text *text, const struct model_fleet_view *view,
                           bool unicode)
{
    bool held = false;
    size_t listed = 0;
    for (size_t i = 0; i < view->count; i++) {
        const struct model_fleet_state *task = &view->tasks[i];
        if (task->phase != MODEL_FLEET_WAITING || task->message[0] == '\0' ||
            was_said(view, i)) {
            continue;
        }
        held = held || strcasestr(task->message, "held") != NULL;
        if (listed++ >= LISTED_MAX) {
            continue;
        }
        text_append(text, "  waiting: ");
        (void)append_tasks(text, view, MODEL_FLEET_WAITING, task->message);
        text_append(text, " (");
        display_append_clean(text, task->message, unicode);
        text_append(text, ")\n");
    }
    if (listed > LISTED_MAX) {
        text_append_format(text, "  and %zu more reasons\n", listed - LISTED_MAX);
    }
    if (held) {
        text_append_format(
            text, "  held tasks go on after: scontrol release jobname=duet-%s\n",
            view->plan->id);
    }
}

static void append_progress(struct text *text, const struct model_fleet_view *view,
                            const struct report_style *style)
{
    const struct model_fleet_plan *plan = view->plan;
    text_append_format(text, "fleet %.8s: ", plan->id);
    display_append_clean(text, plan->suite, style->unicode);
    text_append_format(text, ", %" PRIu64 " task%s", plan->tasks,
                       plan->tasks == 1 ? "" : "s");
    if (!plan->study) {
        text_append_format(text, " of %" PRIu64 " run%s", plan->runs,
                           plan->runs == 1 ? "" : "s");
    }
    text_append_format(text, ", %s\n", model_fleet_engine_name(plan->engine));
    append_phases(text, view);
    append_reasons(text, view, style->unicode);
    append_phase_details(text, view, MODEL_FLEET_RUNNING, style->unicode);
    append_phase_details(text, view, MODEL_FLEET_FAILED, style->unicode);
    append_phase_details(text, view, MODEL_FLEET_LOST, style->unicode);
    if (view->trouble != NULL) {
        display_append_paragraph(text, style, DISPLAY_PLAIN, 2,
                                 "Slurm does not answer: ", view->trouble);
    }
}

/* ---- Answers ---- */

static void append_numbers(struct text *text, const struct model_comparison *comparison,
                           size_t instances, const struct report_style *style)
{
    struct text change = {.bytes = NULL};
    struct text interval = {.bytes = NULL};
    words_append_change(&change, comparison, style->unicode, false);
    words_append_interval(&interval, comparison, false);
    columns_append_cell(text, widths[0], "%s", text_string(&change));
    columns_append_cell(text, widths[1], "%s", text_string(&interval));
    columns_append_cell(text, widths[2], "%zu", instances);
    display_drop(text, &change);
    display_drop(text, &interval);
}

static void append_answer(struct text *text, const struct model_fleet_answer *answer,
                          struct model_comparison *comparison,
                          const struct report_style *style)
{
    struct text verdict = {.bytes = NULL};
    model_fleet_comparison(answer, comparison);
    columns_append_name(text, NAME_COLUMNS, answer->name);
    append_numbers(text, comparison, answer->instances, style);
    text_append(text, "  ");
    words_append_verdict(&verdict, comparison, false);
    display_append_painted(text, style, words_verdict_paint(answer->verdict),
                           text_string(&verdict));
    display_drop(text, &verdict);
    if (answer->failed > 0) {
        text_append_format(text, "; failed on %zu", answer->failed);
    }
    if (answer->decided_after > 0 && answer->verdict != MODEL_VERDICT_UNSURE) {
        text_append_format(text, "; certain after %zu", answer->decided_after);
    }
    text_append_char(text, '\n');
}

/* Of a number fixed beforehand the interval holds once all are in. */
static void append_to_come(struct text *text, const struct model_fleet_view *view)
{
    size_t open = 0;
    for (size_t i = 0; i < view->count && view->ended[0] == '\0'; i++) {
        open += view->tasks[i].phase == MODEL_FLEET_WAITING ||
                view->tasks[i].phase == MODEL_FLEET_RUNNING;
    }
    if (open > 0) {
        text_append_format(text,
                           "  %zu task%s still to come: judge when all are in; every "
                           "look before that may be a false alarm\n",
                           open, open == 1 ? " is" : "s are");
    }
}

static void append_answers(struct text *text, const struct model_fleet_view *view,
                           struct model_comparison *comparison,
                           const struct report_style *style)
{
    struct text body = {.bytes = NULL};
    bool refused = false;
    columns_append_name(text, NAME_COLUMNS, "benchmark");
    columns_append(text, widths, "change\tinterval\tinstances\n");
    for (size_t i = 0; i < view->answer_count; i++) {
        append_answer(text, &view->answers[i], comparison, style);
        refused = refused || view->answers[i].interval_refused;
    }
    text_append_char(text, '\n');
    digits_append_level(&body, view->confidence);
    text_append(&body,
                view->answers[0].method == MODEL_INTERVAL_ANYTIME
                    ? " confidence sequences over instances, valid however often "
                      "you look"
                    : " confidence intervals by Student's t over instances");
    if (view->answer_count > 1) {
        text_append_format(&body,
                           "; %zu benchmarks judged together by Bonferroni's rule",
                           view->answer_count);
    }
    display_append_paragraph(text, style, DISPLAY_DIM, 2, "", text_string(&body));
    display_drop(text, &body);
    if (refused) {
        display_append_paragraph(
            text, style, DISPLAY_PLAIN, 2, "no interval: ",
            "the later instances contradict the first ones, so the change differs "
            "between machines");
    }
    if (view->answers[0].method != MODEL_INTERVAL_ANYTIME) {
        append_to_come(text, view);
    }
    if (view->waiting > 0) {
        text_append_format(
            text,
            "  %zu later result%s wait%s for a task before %s: tasks count "
            "in the order of their numbers\n",
            view->waiting, view->waiting == 1 ? "" : "s", view->waiting == 1 ? "s" : "",
            view->waiting == 1 ? "it" : "them");
    }
}

static void append_strata(struct text *text, const struct model_fleet_view *view,
                          struct model_comparison *comparison,
                          const struct report_style *style)
{
    text_append_char(text, '\n');
    columns_append_name(text, NAME_COLUMNS, "benchmark");
    columns_append(text, widths, "change\tinterval\tinstances");
    text_append(text, "    old side  machine\n");
    for (size_t i = 0; i < view->stratum_count; i++) {
        const struct model_fleet_stratum *stratum = &view->strata[i];
        struct model_fleet_answer answer = {.ratio = stratum->ratio,
                                            .low = stratum->interval.low,
                                            .high = stratum->interval.high};
        struct text time = {.bytes = NULL};
        model_fleet_comparison(&answer, comparison);
        columns_append_name(text, NAME_COLUMNS, stratum->benchmark);
        append_numbers(text, comparison, stratum->instances, style);
        report_time(&time, stratum->old_ns, style);
        columns_append_cell(text, 12, "%s", text_string(&time));
        text_append(text, "  ");
        display_append_name(text, stratum->name, STRATUM_COLUMNS, style->unicode);
        text_append_char(text, '\n');
        display_drop(text, &time);
    }
}

/* ---- Results ---- */

static void append_files(struct text *text, const struct model_words *words,
                         const char *what, const struct report_style *style)
{
    for (size_t i = 0; i < words->count && i < LISTED_MAX; i++) {
        display_append_paragraph(text, style, DISPLAY_PLAIN, 2, what, words->list[i]);
    }
    if (words->count > LISTED_MAX) {
        text_append_format(text, "  %sand %zu more\n", what, words->count - LISTED_MAX);
    }
}

static void append_collection(struct text *text, const struct model_fleet_view *view,
                              const struct report_style *style)
{
    text_append_format(
        text, "%zu result%s from %zu instance%s: %" PRIu64 " experiment%s added to ",
        view->results, view->results == 1 ? "" : "s", view->hosts,
        view->hosts == 1 ? "" : "s", view->added, view->added == 1 ? "" : "s");
    display_append_clean(text, view->store, style->unicode);
    if (view->known > 0) {
        text_append_format(text, ", %" PRIu64 " were there", view->known);
    }
    text_append_char(text, '\n');
    append_files(text, view->doubled,
                 "not counted, its task has another result: ", style);
    append_files(text, view->damaged, "refused: ", style);
    append_files(text, view->foreign, "not of this fleet: ", style);
    if (view->hosts < view->results) {
        text_append_format(
            text,
            "  %zu results come from %zu machine%s: the answers hold for "
            "%s, not for others\n",
            view->results, view->hosts, view->hosts == 1 ? "" : "s",
            view->hosts == 1 ? "it" : "these");
    }
}

void report_fleet_terminal(struct text *text, const struct model_fleet_view *view,
                           const struct report_style *style)
{
    /* Large, and reused for every row. */
    struct model_comparison *comparison = alloc_array(1, sizeof *comparison);
    if (comparison == NULL) {
        text->failed = true;
        return;
    }
    if (view->plan != NULL) {
        append_progress(text, view, style);
    }
    if (view->doubled != NULL) {
        append_collection(text, view, style);
    }
    if (view->answer_count > 0) {
        text_append_char(text, '\n');
        append_answers(text, view, comparison, style);
    }
    if (view->stratum_count > 0) {
        append_strata(text, view, comparison, style);
    }
    free(comparison);
}
