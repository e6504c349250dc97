#include "session/comparison/definition.h"

#include <inttypes.h>

/* The unit separator, which commands hardly hold, keeps fields apart. */
void definition_add_text(struct text *text, const char *name, const char *value)
{
    if (value != NULL) {
        text_append_format(text, "%s %s\x1f", name, value);
    }
}

void definition_add_number(struct text *text, const char *name, uint64_t value)
{
    text_append_format(text, "%s %" PRIu64 "\n", name, value);
}

void definition_add_plan(struct text *text, const struct model_plan *plan)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"iterations", plan->iterations},
                   {"run-time", plan->run_time_ns},
                   {"warmup", plan->warmup},
                   {"runs", plan->runs},
                   {"min-runs", plan->min_runs},
                   {"max-runs", plan->max_runs},
                   {"budget", plan->budget_ns},
                   {"timeout", plan->timeout_ns},
                   {"ignore-failure", plan->ignore_failure},
                   {"fill-command", plan->fill[0]},
                   {"fill-harness", plan->fill[1]},
                   {"usage", plan->usage}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        definition_add_number(text, numbers[i].name, numbers[i].value);
    }
    definition_add_text(text, "name", plan->name);
    definition_add_text(text, "schedule", model_schedule_name(plan->schedule));
    definition_add_text(text, "layout", model_layout_name(plan->layout));
    definition_add_text(text, "until", model_until_name(plan->until));
    text_append_format(text, "precision %.17g\n", plan->precision_ratio);
    definition_add_text(text, "shell", plan->shell);
    const struct model_stream *streams[] = {&plan->input, &plan->output,
                                            &plan->error_output};
    for (size_t i = 0; i < 3; i++) {
        definition_add_number(text, "stream", streams[i]->kind);
        definition_add_text(text, "path",
                            streams[i]->kind == MODEL_STREAM_FILE ? streams[i]->path
                                                                  : NULL);
    }
}
