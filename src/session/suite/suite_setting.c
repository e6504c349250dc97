#include "session/suite/suite_setting.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Keys whose value chooses between settings, or turns one off again. */
static bool take_switch(const struct model_suite_setting *setting,
                        struct run_request *options, const char **ret_name,
                        const char **ret_value)
{
    bool yes = strcmp(setting->value, "true") == 0;
    bool no = strcmp(setting->value, "false") == 0;
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"ignore-failure", &options->plan.ignore_failure},
                 {"usage", &options->plan.usage},
                 {"confirm", &options->confirm},
                 {"control", &options->control},
                 {"same-output", &options->same_output},
                 {"skip-identical", &options->skip_identical}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(setting->name, flags[i].name) == 0) {
            *flags[i].flag = yes;
            return true;
        }
    }
    if (strcmp(setting->name, "fill") == 0) {
        *ret_name = no ? "no-fill" : "fill";
        *ret_value = yes || no ? NULL : setting->value;
    } else if (strcmp(setting->name, "shell") == 0) {
        *ret_name = no ? "no-shell" : "shell";
        *ret_value = yes ? "default" : setting->value;
    }
    return false;
}

/* "--runs: ..." begins with what the place says already. */
static const char *without_option(const char *message, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(message, "--", 2) == 0 && strncmp(message + 2, name, length) == 0) {
        const char *rest = message + 2 + length;
        return strncmp(rest, ": ", 2) == 0 ? rest + 2 : message;
    }
    return message;
}

static enum duet_code apply_one(const struct model_suite_setting *setting,
                                struct run_request *options, struct duet_error *reterr)
{
    const char *name = setting->name;
    const char *value = setting->value;
    return take_switch(setting, options, &name, &value)
               ? DUET_OK
               : run_setting_take(options, name, value, reterr);
}

/* Those that `runs` and `until` of a later source put aside. */
static bool is_amount(const char *name)
{
    static const char *const names[] = {"runs", "until", "min-runs", "max-runs"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has(const struct model_suite_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool overrides(const struct suite_request *request, const char *name)
{
    for (size_t i = 0; i < request->override_count; i++) {
        if (strcmp(request->overrides[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* What belongs to the interval of an earlier source goes with it. */
static void forget_blocks(struct run_request *options)
{
    const struct model_analysis fresh = model_analysis_default();
    options->analysis.block_scheme = fresh.block_scheme;
    options->analysis.block_length = fresh.block_length;
}

/* Those of the amount are checked, but change nothing where `amount` is false: a later
 * source says it. */
static enum duet_code apply_all(const struct model_suite *suite,
                                const struct model_suite_settings *settings,
                                const char *where, bool amount,
                                struct run_request *options, struct duet_error *reterr)
{
    if (has(settings, "interval")) {
        forget_blocks(options);
    }
    for (size_t i = 0; i < settings->count; i++) {
        const struct model_suite_setting *setting = &settings->items[i];
        struct duet_error error;
        struct run_request unused = *options;
        bool used = amount || !is_amount(setting->name);
        enum duet_code code = apply_one(setting, used ? options : &unused, &error);
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s:%llu:%llu: %s.%s: %s", suite->path,
                             (unsigned long long)setting->position.line,
                             (unsigned long long)setting->position.column, where,
                             setting->name,
                             without_option(error.message, setting->name));
        }
    }
    return DUET_OK;
}

enum duet_code suite_settings_apply(const struct suite_request *request,
                                    const struct model_suite *suite, size_t index,
                                    struct run_request *options,
                                    struct duet_error *reterr)
{
    const struct model_suite_benchmark *benchmark = &suite->benchmarks[index];
    char *where = alloc_format("benchmarks[%zu]", index);
    if (where == NULL) {
        return error_no_memory(reterr);
    }
    const struct model_suite_settings *own = &benchmark->settings;
    bool amount = !overrides(request, "runs") && !overrides(request, "until");
    bool owns_amount = has(own, "runs") || has(own, "until");
    enum duet_code code = apply_all(suite, &suite->defaults, "defaults",
                                    amount && !owns_amount, options, reterr);
    if (code == DUET_OK) {
        code = apply_all(suite, own, where, amount, options, reterr);
    }
    free(where);
    if (overrides(request, "interval")) {
        forget_blocks(options);
    }
    for (size_t i = 0; i < request->override_count && code == DUET_OK; i++) {
        code = run_setting_take(options, request->overrides[i].name,
                                request->overrides[i].value, reterr);
    }
    return code;
}
