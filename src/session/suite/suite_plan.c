#include "session/suite/suite_plan.h"

#include "base/alloc.h"
#include "base/fnv.h"
#include "base/random.h"
#include "session/suite/suite_definition.h"
#include "session/suite/suite_setting.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 10000 };

/* Puts the line of a benchmark before a message. */
static enum duet_code with_benchmark(const struct model_suite *suite,
                                     const struct model_suite_benchmark *benchmark,
                                     enum duet_code code,
                                     const struct duet_error *error,
                                     struct duet_error *reterr)
{
    return error_set(reterr, code, "%s:%llu:%llu: benchmarks[%zu]: %s", suite->path,
                     (unsigned long long)benchmark->position.line,
                     (unsigned long long)benchmark->position.column,
                     (size_t)(benchmark - suite->benchmarks), error->message);
}

void suite_request_release(struct suite_request *request)
{
    free(request->overrides);
    free((void *)request->only);
    free((void *)request->sides[MODEL_OLD]);
    free((void *)request->sides[MODEL_NEW]);
    run_request_release(&request->base);
    *request = (struct suite_request){0};
}

/* ---- Options of a benchmark ---- */

static enum duet_code check_names(const struct run_request *options,
                                  struct duet_error *reterr)
{
    for (size_t i = 0; i < options->parameters.count; i++) {
        for (size_t j = 0; j < options->variables[MODEL_OLD].count; j++) {
            const char *name = options->parameters.parameters[i].name;
            if (strcmp(name, options->variables[MODEL_OLD].parameters[j].name) == 0) {
                return error_set(reterr, DUET_E_USAGE,
                                 "'%s' is a variable and a parameter; rename one",
                                 name);
            }
        }
    }
    return DUET_OK;
}

static enum duet_code options_compose(const struct suite_request *request,
                                      const struct suite_folders *folders,
                                      const struct model_suite *suite,
                                      const struct model_suite_benchmark *benchmark,
                                      struct run_request *options,
                                      struct duet_error *reterr)
{
    struct duet_error error = {0};
    options->names[MODEL_OLD] = options->names[MODEL_NEW] = NULL;
    for (int side = 0; side < MODEL_SIDES; side++) {
        options->commands[side] = benchmark->commands[side];
    }
    options->name = benchmark->name;
    options->acceptance = benchmark->accept;
    enum duet_code code =
        suite_variables_set(request, folders, suite, benchmark, options, reterr);
    if (code == DUET_OK) {
        code = suite_parameters_set(suite, benchmark, options, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    code = check_names(options, &error);
    if (code == DUET_OK && benchmark->check.given &&
        benchmark->check.exit_status != 0) {
        options->plan.ignore_failure = true;
    }
    options->confirm = options->confirm && run_request_has_gate(options);
    if (code == DUET_OK) {
        code = run_request_settle(options, &error);
    }
    /* Half of its time is old's in `sequential`, and its share of the suite's is not
     * known before. */
    if (request->time_budget_ns > 0 && !options->plan.budget_given &&
        options->plan.schedule != MODEL_SCHEDULE_SEQUENTIAL) {
        options->plan.budget_ns = request->time_budget_ns;
    }
    return code == DUET_OK ? DUET_OK
                           : with_benchmark(suite, benchmark, code, &error, reterr);
}

static enum duet_code options_make(const struct suite_request *request,
                                   const struct suite_folders *folders,
                                   struct suite_plan *plan, size_t index,
                                   struct duet_error *reterr)
{
    const struct model_suite *suite = &plan->suite;
    struct run_request *options = &plan->options[index];
    run_request_init(options);
    options->plan.seed = plan->seed;
    options->store = request->base.store;
    enum duet_code code = suite_settings_apply(request, suite, index, options, reterr);
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (options->folders[side] == NULL) {
            options->folders[side] = request->folders[side];
        }
    }
    return code == DUET_OK ? options_compose(request, folders, suite,
                                             &suite->benchmarks[index], options, reterr)
                           : code;
}

/* Of several benchmarks it is enough that one has a gate. */
static enum duet_code check_confirm(const struct suite_request *request,
                                    const struct suite_plan *plan,
                                    struct duet_error *reterr)
{
    bool wanted = !request->base.confirm;
    for (size_t i = 0; i < plan->suite.count && !wanted; i++) {
        wanted = plan->options[i].confirm;
    }
    return wanted ? DUET_OK
                  : error_set(reterr, DUET_E_USAGE,
                              "--confirm measures again what fails its gate, and no "
                              "benchmark of '%s' has one: give --fail-on or "
                              "--max-slowdown, too, or leave it out",
                              plan->suite.path);
}

/* Where the data decide when to stop, Holm's rule does not hold, for any of them. */
static void settle_family(struct suite_plan *plan)
{
    enum model_multiplicity rule = plan->options[0].analysis.multiplicity;
    for (size_t i = 0; i < plan->suite.count; i++) {
        if (plan->options[i].plan.until != MODEL_UNTIL_FIXED &&
            rule != MODEL_MULTIPLICITY_NONE) {
            rule = MODEL_MULTIPLICITY_BONFERRONI;
        }
    }
    for (size_t i = 0; i < plan->suite.count; i++) {
        plan->options[i].analysis.multiplicity = rule;
        plan->options[i].family = plan->count;
    }
}

/* ---- Entries ---- */

/* {build} that nobody has given would be passed on as it is, to fail much later. */
static enum duet_code check_build(const struct benchmark *benchmark,
                                  struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (strstr(benchmark->commands[side], "{build}") != NULL) {
            return error_set(
                reterr, DUET_E_USAGE,
                "{build} has no value: give --old and --new, or put it into 'variables'");
        }
    }
    return DUET_OK;
}

enum duet_code suite_entry_make(const struct suite_plan *plan,
                                const struct suite_entry *entry,
                                struct benchmark *ret_benchmark,
                                struct duet_error *reterr)
{
    struct duet_error error = {0};
    struct benchmark benchmark = {0};
    enum duet_code code =
        benchmark_make(entry->options, entry->index, &benchmark, &error);
    if (code == DUET_OK) {
        code = check_build(&benchmark, &error);
    }
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return with_benchmark(&plan->suite, entry->source, code, &error, reterr);
    }
    benchmark.plan.seed = entry->seed;
    *ret_benchmark = benchmark;
    return DUET_OK;
}

static enum duet_code check_expand(struct suite_entry *entry, struct duet_error *reterr)
{
    const struct model_suite_check *wanted = &entry->source->check;
    entry->checked = wanted->given;
    entry->check.wanted = wanted;
    for (int side = 0; side < MODEL_SIDES && wanted->given; side++) {
        const char *const texts[2] = {wanted->command, wanted->file};
        char **const into[2] = {&entry->check.commands[side],
                                &entry->check.files[side]};
        for (size_t i = 0; i < 2; i++) {
            if (texts[i] != NULL) {
                *into[i] = benchmark_expand(entry->options, entry->index,
                                            (enum model_side)side, texts[i]);
                if (*into[i] == NULL) {
                    return error_no_memory(reterr);
                }
            }
        }
    }
    return DUET_OK;
}

static char **side_word(struct parameter_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->parameters[i].name, "side") == 0) {
            return &list->parameters[i].values[0];
        }
    }
    return NULL;
}

static bool folders_differ(const struct run_request *options)
{
    const char *const *folders = options->folders;
    return (folders[MODEL_OLD] == NULL) != (folders[MODEL_NEW] == NULL) ||
           (folders[MODEL_OLD] != NULL &&
            strcmp(folders[MODEL_OLD], folders[MODEL_NEW]) != 0);
}

/* Whether the sides are something else, and not just at other paths: the folders, and
 * the commands when {side} stands for the same on both. */
static enum duet_code compare_sides(struct run_request *options, size_t index,
                                    bool *ret_differ, struct duet_error *reterr)
{
    char **words[MODEL_SIDES] = {side_word(&options->variables[MODEL_OLD]),
                                 side_word(&options->variables[MODEL_NEW])};
    if (words[MODEL_OLD] == NULL || words[MODEL_NEW] == NULL) {
        return error_set(reterr, DUET_E_INTERNAL, "{side} is lost");
    }
    char *own = *words[MODEL_NEW];
    *words[MODEL_NEW] = *words[MODEL_OLD];
    char *old =
        benchmark_expand(options, index, MODEL_OLD, options->commands[MODEL_OLD]);
    char *new =
        benchmark_expand(options, index, MODEL_NEW, options->commands[MODEL_NEW]);
    *words[MODEL_NEW] = own;
    enum duet_code code =
        old == NULL || new == NULL ? error_no_memory(reterr) : DUET_OK;
    if (code == DUET_OK) {
        *ret_differ = strcmp(old, new) != 0 || folders_differ(options);
    }
    free(old);
    free(new);
    return code;
}

static enum duet_code entry_fill(struct suite_plan *plan,
                                 const struct suite_folders *folders,
                                 struct suite_entry *entry, struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = suite_entry_make(plan, entry, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t which = (size_t)(entry->source - plan->suite.benchmarks);
    entry->name = alloc_string(benchmark.name);
    code = entry->name == NULL ? error_no_memory(reterr) : check_expand(entry, reterr);
    if (code == DUET_OK) {
        code =
            compare_sides(&plan->options[which], entry->index, &entry->differs, reterr);
    }
    if (code == DUET_OK) {
        code = suite_definition_of(&benchmark, entry->checked ? &entry->check : NULL,
                                   folders, entry->definition, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

static void entry_release(struct suite_entry *entry)
{
    suite_check_release(&entry->check);
    free(entry->name);
    *entry = (struct suite_entry){0};
}

static bool is_named(const char *pattern, const struct suite_entry *entry)
{
    return fnmatch(pattern, entry->name, 0) == 0 ||
           fnmatch(pattern, entry->source->name, 0) == 0;
}

static bool is_wanted(const struct suite_request *request,
                      const struct suite_entry *entry)
{
    bool wanted = request->only_count == 0;
    for (size_t i = 0; i < request->only_count && !wanted; i++) {
        wanted = is_named(request->only[i], entry);
    }
    return wanted;
}

/* A pattern that names nothing is a slip, or a benchmark that has another name by now:
 * a gate would pass without it. */
static enum duet_code check_only(const struct suite_request *request,
                                 const struct suite_plan *plan,
                                 struct duet_error *reterr)
{
    for (size_t i = 0; i < request->only_count; i++) {
        bool named = false;
        for (size_t j = 0; j < plan->count && !named; j++) {
            named = is_named(request->only[i], &plan->entries[j]);
        }
        if (!named) {
            return error_set(reterr, DUET_E_NOT_FOUND,
                             "'%s' has no benchmark that --only '%s' asks for (--list "
                             "without it shows them)",
                             plan->suite.path, request->only[i]);
        }
    }
    return DUET_OK;
}

static enum duet_code count_entries(const struct suite_plan *plan, size_t *ret_count,
                                    struct duet_error *reterr)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->suite.count; i++) {
        size_t mine = 1;
        const struct parameter_list *list = &plan->options[i].parameters;
        for (size_t j = 0; j < list->count && mine <= ENTRIES_MAX; j++) {
            mine *= list->parameters[j].count;
        }
        count += mine <= ENTRIES_MAX ? mine : ENTRIES_MAX + 1;
        if (count > ENTRIES_MAX) {
            struct duet_error error;
            (void)error_set(&error, DUET_E_USAGE,
                            "with its parameters the suite has more than %d benchmarks",
                            (int)ENTRIES_MAX);
            return with_benchmark(&plan->suite, &plan->suite.benchmarks[i],
                                  DUET_E_USAGE, &error, reterr);
        }
    }
    *ret_count = count;
    return DUET_OK;
}

static enum duet_code entries_make(const struct suite_request *request,
                                   const struct suite_folders *folders,
                                   struct suite_plan *plan, struct duet_error *reterr)
{
    size_t capacity = 0;
    enum duet_code code = count_entries(plan, &capacity, reterr);
    if (code != DUET_OK) {
        return code;
    }
    plan->entries = alloc_array(capacity, sizeof *plan->entries);
    plan->order = alloc_array(capacity, sizeof *plan->order);
    if (plan->entries == NULL || plan->order == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < plan->suite.count; i++) {
        size_t combinations = parameter_combinations(&plan->options[i].parameters);
        for (size_t j = 0; j < combinations; j++) {
            struct suite_entry *entry = &plan->entries[plan->count];
            *entry = (struct suite_entry){.source = &plan->suite.benchmarks[i],
                                          .options = &plan->options[i],
                                          .index = j};
            code = entry_fill(plan, folders, entry, reterr);
            if (code != DUET_OK || !is_wanted(request, entry)) {
                entry_release(entry);
            } else {
                plan->count++;
            }
            if (code != DUET_OK) {
                return code;
            }
        }
    }
    return check_only(request, plan, reterr);
}

/* ---- Seeds ---- */

struct drawn {
    uint64_t number;
    size_t entry;
};

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *left = a;
    const struct drawn *right = b;
    if (left->number != right->number) {
        return left->number < right->number ? -1 : 1;
    }
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

/* Each draws its number by itself: what --only leaves out changes nothing for the rest.
 */
enum duet_code suite_plan_seed(struct suite_plan *plan, uint64_t seed,
                               struct duet_error *reterr)
{
    static const uint64_t use = UINT64_C(0xB000) << 48U;
    struct drawn *drawn = alloc_array(plan->count, sizeof *drawn);
    if (drawn == NULL) {
        return error_no_memory(reterr);
    }
    plan->seed = seed;
    for (size_t i = 0; i < plan->count; i++) {
        struct suite_entry *entry = &plan->entries[i];
        /* By its name: one benchmark's coins do not depend on the others. */
        struct random_stream stream = random_stream_at(seed ^ fnv_of(entry->name), use);
        drawn[i] = (struct drawn){.number = random_u64(&stream), .entry = i};
        entry->seed = random_u64(&stream) >> 1U; /* a JSON integer */
    }
    qsort(drawn, plan->count, sizeof *drawn, compare_drawn);
    for (size_t i = 0; i < plan->count; i++) {
        plan->order[i] = drawn[i].entry;
    }
    free(drawn);
    return DUET_OK;
}

/* ---- All of it ---- */

/* The file's, unless the command line has one. */
static enum duet_code seed_of(const struct suite_request *request,
                              const struct model_suite *suite, uint64_t *ret_seed,
                              struct duet_error *reterr)
{
    struct run_request options;
    *ret_seed = request->base.plan.seed;
    if (request->seed_given) {
        return DUET_OK;
    }
    run_request_init(&options);
    options.plan.seed = *ret_seed;
    enum duet_code code = suite_settings_apply(request, suite, 0, &options, reterr);
    if (code == DUET_OK) {
        *ret_seed = options.plan.seed;
    }
    return code;
}

enum duet_code suite_plan_make(const struct suite_request *request,
                               struct model_suite *take_suite,
                               const struct suite_folders *folders,
                               struct suite_plan *ret_plan, struct duet_error *reterr)
{
    struct suite_plan plan = {.suite = *take_suite};
    *take_suite = (struct model_suite){0};
    enum duet_code code = seed_of(request, &plan.suite, &plan.seed, reterr);
    if (code == DUET_OK) {
        plan.options = alloc_array(plan.suite.count, sizeof *plan.options);
        code = plan.options == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < plan.suite.count && code == DUET_OK; i++) {
        code = options_make(request, folders, &plan, i, reterr);
    }
    if (code == DUET_OK) {
        code = check_confirm(request, &plan, reterr);
    }
    if (code == DUET_OK) {
        code = entries_make(request, folders, &plan, reterr);
    }
    if (code == DUET_OK) {
        settle_family(&plan);
        code = suite_plan_seed(&plan, plan.seed, reterr);
    }
    if (code == DUET_OK) {
        *ret_plan = plan;
    } else {
        suite_plan_release(&plan);
    }
    return code;
}

void suite_plan_release(struct suite_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        entry_release(&plan->entries[i]);
    }
    for (size_t i = 0; i < plan->suite.count && plan->options != NULL; i++) {
        run_request_release(&plan->options[i]);
    }
    free(plan->entries);
    free(plan->order);
    free(plan->options);
    model_suite_release(&plan->suite);
    *plan = (struct suite_plan){0};
}
