#include "cli/suite/suite_list.h"

#include "base/text.h"
#include "cli/terminal.h"
#include "report/columns.h"
#include "report/display.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_COLUMNS_MAX = 40 };

static void append_limit(struct text *text, const struct model_plan *plan)
{
    text_append_format(text, "%s, ", model_schedule_name(plan->schedule));
    if (plan->runs != 0) {
        text_append_format(text, "%" PRIu64 " runs", plan->runs);
    } else if (plan->until == MODEL_UNTIL_FIXED) {
        text_append_format(text, "%.3g s", (double)plan->budget_ns / 1e9);
    } else if (plan->until == MODEL_UNTIL_PRECISION) {
        text_append_format(text, "precision %.3g %%, at most %.3g s",
                           100 * plan->precision_ratio, (double)plan->budget_ns / 1e9);
    } else {
        text_append_format(text, "%s, at most %.3g s", model_until_name(plan->until),
                           (double)plan->budget_ns / 1e9);
    }
    if (plan->iterations > 1) {
        text_append_format(text, " of %" PRIu64 " iterations", plan->iterations);
    }
}

/* A file may hold anything, escape sequences too. */
static void append_clean(struct text *text, const char *before, const char *string)
{
    text_append(text, before);
    display_append_clean(text, string, terminal_is_utf8());
}

static enum duet_code append_entry(const struct suite_plan *plan,
                                   const struct suite_entry *entry, size_t columns,
                                   struct text *text, struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = suite_entry_make(plan, entry, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct text name = {0};
    append_clean(&name, "", entry->name);
    columns_append_cell(text, -(int)columns - 2, "%s", text_string(&name));
    display_drop(text, &name);
    append_limit(text, &benchmark.plan);
    text_append_format(text, "%s\n", entry->checked ? ", checked" : "");
    if (entry->source->description != NULL) {
        append_clean(text, "    ", entry->source->description);
        text_append_char(text, '\n');
    }
    if (entry->differs) {
        append_clean(text, "    old: ", benchmark.commands[MODEL_OLD]);
        append_clean(text, "\n    new: ", benchmark.commands[MODEL_NEW]);
        text_append_char(text, '\n');
    } else {
        append_clean(text, "    ", benchmark.commands[MODEL_OLD]);
        text_append(text, " (against itself)\n");
    }
    benchmark_release(&benchmark);
    return DUET_OK;
}

enum duet_code suite_list_print(const struct suite_plan *plan,
                                struct duet_error *reterr)
{
    struct text text = {0};
    size_t columns = 0;
    for (size_t i = 0; i < plan->count; i++) {
        size_t length = display_clean_columns(plan->entries[i].name);
        columns = length > columns ? length : columns;
    }
    columns = columns < NAME_COLUMNS_MAX ? columns : NAME_COLUMNS_MAX;
    append_clean(&text, "", plan->suite.name);
    text_append_format(&text, ": %zu benchmark%s\n", plan->count,
                       plan->count == 1 ? "" : "s");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < plan->count && code == DUET_OK; i++) {
        code = append_entry(plan, &plan->entries[i], columns, &text, reterr);
    }
    if (code == DUET_OK && text_failed(&text)) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        (void)fputs(text_string(&text), stdout);
    }
    text_release(&text);
    return code;
}
