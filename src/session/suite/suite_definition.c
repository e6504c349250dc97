#include "session/suite/suite_definition.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* The unit separator, which commands hardly hold, keeps fields apart. */
static void add_text(struct text *text, const char *name, const char *value)
{
    if (value != NULL) {
        text_append_format(text, "%s %s\x1f", name, value);
    }
}

static void add_number(struct text *text, const char *name, uint64_t value)
{
    text_append_format(text, "%s %" PRIu64 "\n", name, value);
}

static void add_plan(struct text *text, const struct model_plan *plan)
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
        add_number(text, numbers[i].name, numbers[i].value);
    }
    add_text(text, "name", plan->name);
    add_text(text, "schedule", model_schedule_name(plan->schedule));
    add_text(text, "layout", model_layout_name(plan->layout));
    add_text(text, "until", model_until_name(plan->until));
    text_append_format(text, "precision %.17g\n", plan->precision_ratio);
    add_text(text, "shell", plan->shell);
    const struct model_stream *streams[] = {&plan->input, &plan->output,
                                            &plan->error_output};
    for (size_t i = 0; i < 3; i++) {
        add_number(text, "stream", streams[i]->kind);
        add_text(text, "path",
                 streams[i]->kind == MODEL_STREAM_FILE ? streams[i]->path : NULL);
    }
}

static void add_side(struct text *text, const struct model_workload *side)
{
    add_text(text, "command", side->command);
    add_text(text, "folder", side->folder);
    add_text(text, "setup", side->setup);
    add_text(text, "prepare", side->prepare);
    add_text(text, "conclude", side->conclude);
    add_text(text, "cleanup", side->cleanup);
}

static void add_check(struct text *text, const struct suite_check *check)
{
    add_number(text, "exit", check->wanted->exit_status);
    add_text(text, "sha256", check->wanted->sha256);
    add_text(text, "matches", check->wanted->matches);
    for (int side = 0; side < MODEL_SIDES; side++) {
        add_text(text, "check", check->commands[side]);
        add_text(text, "file", check->files[side]);
    }
}

/* The scratch folder has another name each time. */
static void hash_without(struct sha256 *hash, const char *text, const char *scratch)
{
    size_t length = strlen(scratch);
    for (const char *found = strstr(text, scratch); found != NULL;
         found = strstr(text, scratch)) {
        sha256_add(hash, text, (size_t)(found - text));
        sha256_add(hash, "{scratch}", strlen("{scratch}"));
        text = found + length;
    }
    sha256_add(hash, text, strlen(text));
}

enum duet_code suite_definition_of(const struct benchmark *benchmark,
                                   const struct suite_check *check,
                                   const struct suite_folders *folders,
                                   char ret_definition[SHA256_TEXT_BYTES],
                                   struct duet_error *reterr)
{
    struct text text = {0};
    struct sha256 hash;
    add_plan(&text, &benchmark->plan);
    for (int side = 0; side < MODEL_SIDES; side++) {
        add_side(&text, &benchmark->plan.sides[side]);
    }
    if (check != NULL) {
        add_check(&text, check);
    }
    if (text_failed(&text)) {
        text_release(&text);
        return error_no_memory(reterr);
    }
    sha256_init(&hash);
    hash_without(&hash, text_string(&text), folders->scratch);
    sha256_finish(&hash, ret_definition);
    text_release(&text);
    return DUET_OK;
}
