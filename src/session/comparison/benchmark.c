#include "session/comparison/benchmark.h"

#include "analysis/gate.h"
#include "base/alloc.h"
#include "base/day.h"
#include "base/fnv.h"
#include "base/parse.h"
#include "base/random.h"
#include "session/comparison/braces.h"
#include "session/cpu_choice.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum duet_code benchmark_words(const char *command, const char *shell,
                               char ***ret_words, struct duet_error *reterr)
{
    if (shell == NULL) {
        return parse_command_words(command, ret_words, reterr);
    }
    size_t shell_size = strlen(shell) + 1;
    size_t command_size = strlen(command) + 1;
    size_t pointers = 4 * sizeof(char *);
    char **words = alloc_array(pointers + shell_size + 3 + command_size, 1);
    if (words == NULL) {
        return error_no_memory(reterr);
    }
    char *bytes = (char *)words + pointers;
    words[0] = memcpy(bytes, shell, shell_size);
    words[1] = memcpy(bytes + shell_size, "-c", 3);
    words[2] = memcpy(bytes + shell_size + 3, command, command_size);
    *ret_words = words;
    return DUET_OK;
}

char *benchmark_expand(const struct run_request *options, size_t index,
                       enum model_side side, const char *text)
{
    char *half = parameter_expand(&options->variables[side], 0, text);
    char *whole =
        half == NULL ? NULL : parameter_expand(&options->parameters, index, half);
    free(half);
    return whole;
}

static enum duet_code hooks_make(const struct run_request *options, size_t index,
                                 enum model_side side, struct benchmark *benchmark,
                                 struct duet_error *reterr)
{
    const char *const hooks[4] = {options->setup, options->prepare, options->conclude,
                                  options->cleanup};
    for (size_t i = 0; i < 4; i++) {
        if (hooks[i] != NULL) {
            benchmark->hooks[side][i] =
                benchmark_expand(options, index, side, hooks[i]);
            if (benchmark->hooks[side][i] == NULL) {
                return error_no_memory(reterr);
            }
        }
    }
    return DUET_OK;
}

/* Absolute, so that an experiment can go on from another folder. */
static enum duet_code folder_make(const struct run_request *options, size_t index,
                                  enum model_side side, struct benchmark *benchmark,
                                  struct duet_error *reterr)
{
    if (options->folders[side] == NULL) {
        return DUET_OK;
    }
    char *folder = benchmark_expand(options, index, side, options->folders[side]);
    if (folder == NULL) {
        return error_no_memory(reterr);
    }
    benchmark->folders[side] = realpath(folder, NULL);
    enum duet_code code =
        benchmark->folders[side] != NULL
            ? DUET_OK
            : error_set_errno(reterr, errno == ENOMEM ? DUET_E_NOMEM : DUET_E_USAGE,
                              errno, "--cwd-%s '%s'", model_side_name(side), folder);
    free(folder);
    return code;
}

static enum duet_code side_make(const struct run_request *options, size_t index,
                                enum model_side side, struct benchmark *benchmark,
                                struct duet_error *reterr)
{
    const char *name =
        options->names[side] != NULL ? options->names[side] : options->commands[side];
    benchmark->commands[side] =
        benchmark_expand(options, index, side, options->commands[side]);
    benchmark->names[side] = benchmark_expand(options, index, side, name);
    if (benchmark->commands[side] == NULL || benchmark->names[side] == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = folder_make(options, index, side, benchmark, reterr);
    if (code == DUET_OK) {
        code = braces_check(options, side, reterr);
    }
    if (code == DUET_OK) {
        code = hooks_make(options, index, side, benchmark, reterr);
    }
    if (code == DUET_OK) {
        code = benchmark_words(benchmark->commands[side], options->shell,
                               &benchmark->words[side], reterr);
    }
    if (code == DUET_OK) {
        benchmark->plan.sides[side] = (struct model_workload){
            .name = benchmark->names[side],
            .command = benchmark->commands[side],
            .argv = (const char *const *)benchmark->words[side],
            .setup = benchmark->hooks[side][0],
            .prepare = benchmark->hooks[side][1],
            .conclude = benchmark->hooks[side][2],
            .cleanup = benchmark->hooks[side][3],
            .folder = benchmark->folders[side],
        };
    }
    return code;
}

/* The comparison's name: what the user says (NULL: nothing), with the parameters. */
static char *name_make(const struct run_request *options, size_t index,
                       const char *given, const char *old)
{
    char *label = parameter_label(&options->parameters, index);
    char *name = NULL;
    if (label == NULL) {
        return NULL;
    }
    if (given != NULL && *label != '\0') {
        name = alloc_format("%s %s", given, label);
    } else if (given != NULL || *label == '\0') {
        name = alloc_string(given != NULL ? given : old);
    } else {
        name = alloc_string(label);
    }
    free(label);
    return name;
}

/* Both sides read the same input, so that their variables must agree about it. */
static enum duet_code streams_make(const struct run_request *options, size_t index,
                                   struct benchmark *benchmark,
                                   struct duet_error *reterr)
{
    struct model_stream *const streams[3] = {
        &benchmark->plan.input, &benchmark->plan.output, &benchmark->plan.error_output};
    static const char *const names[3] = {"input", "output", "stderr"};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < 3 && code == DUET_OK; i++) {
        if (streams[i]->kind != MODEL_STREAM_FILE) {
            continue;
        }
        benchmark->streams[i] =
            benchmark_expand(options, index, MODEL_OLD, streams[i]->path);
        char *other = benchmark_expand(options, index, MODEL_NEW, streams[i]->path);
        if (benchmark->streams[i] == NULL || other == NULL) {
            code = error_no_memory(reterr);
        } else if (strcmp(benchmark->streams[i], other) != 0) {
            code = error_set(
                reterr, DUET_E_USAGE,
                "--%s: the sides cannot have different files here; use a shell's redirection in the command",
                names[i]);
        }
        free(other);
        streams[i]->path = benchmark->streams[i];
    }
    return code;
}

/* Several toss their coins and lay out their memory independently of each other. With
 * one seed, a layout that suits one side in a run does so for all of them, and their
 * geometric mean is far less certain than its interval says. */
static uint64_t seed_of(const struct run_request *options, const char *name)
{
    static const uint64_t use = UINT64_C(0xB001) << 48U;
    if (parameter_combinations(&options->parameters) < 2) {
        return options->plan.seed;
    }
    struct random_stream stream =
        random_stream_at(options->plan.seed ^ fnv_of(name), use);
    return random_u64(&stream) >> 1U; /* a JSON integer */
}

enum duet_code benchmark_make(const struct run_request *options, size_t index,
                              struct benchmark *ret_benchmark,
                              struct duet_error *reterr)
{
    struct benchmark benchmark = {.plan = options->plan, .folder = realpath(".", NULL)};
    enum duet_code code = streams_make(options, index, &benchmark, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = side_make(options, index, (enum model_side)side, &benchmark, reterr);
    }
    if (code == DUET_OK) {
        benchmark.name =
            name_make(options, index, options->name, benchmark.names[MODEL_OLD]);
        code = benchmark.name == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    if (code == DUET_OK && options->benchmark != NULL) {
        benchmark.benchmark = name_make(options, index, options->benchmark, NULL);
        code = benchmark.benchmark == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return code;
    }
    benchmark.revisions = options->revisions;
    benchmark.plan.name = benchmark.name;
    benchmark.plan.folder = benchmark.folder;
    benchmark.plan.seed = seed_of(options, benchmark.name);
    benchmark.plan.shell = options->shell;
    benchmark.analysis = options->analysis;
    benchmark.analysis.family = run_request_family(options);
    benchmark.same_output = options->same_output;
    benchmark.size_known = options->size_known;
    benchmark.acceptance = options->acceptance;
    char today[DAY_BYTES];
    day_today(today);
    benchmark.accepts = analysis_gate_accepts(&benchmark.acceptance, today);
    *ret_benchmark = benchmark;
    return DUET_OK;
}

void benchmark_release(struct benchmark *benchmark)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(benchmark->commands[side]);
        free(benchmark->names[side]);
        free(benchmark->folders[side]);
        free((void *)benchmark->words[side]);
        for (size_t i = 0; i < 4; i++) {
            free(benchmark->hooks[side][i]);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        free(benchmark->streams[i]);
    }
    free(benchmark->name);
    free(benchmark->folder);
    free(benchmark->benchmark);
    *benchmark = (struct benchmark){0};
}

enum duet_code benchmark_pick_cpus(const struct run_request *options,
                                   const struct machine *machine,
                                   struct model_plan *plan, struct duet_error *reterr)
{
    struct cpu_choice wish = {.cpus = options->cpus,
                              .per_position = options->cpus_per_side,
                              .solo = plan->schedule != MODEL_SCHEDULE_DUET};
    struct duet_error error = {0};
    enum duet_code code = cpu_choice_find(machine, &wish, plan->cpus, &error);
    if (code == DUET_E_UNSUITABLE && plan->choose_schedule) {
        /* One CPU is enough for one of the two. */
        plan->choose_schedule = false;
        plan->schedule = MODEL_SCHEDULE_TIMESLICE;
        wish.solo = true;
        code = cpu_choice_find(machine, &wish, plan->cpus, &error);
    }
    return code == DUET_OK ? DUET_OK : error_set(reterr, code, "%s", error.message);
}

enum duet_code benchmark_prepare(const struct run_request *options,
                                 const struct machine *machine, size_t index,
                                 struct benchmark *ret_benchmark,
                                 struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = benchmark_make(options, index, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = benchmark_pick_cpus(options, machine, &benchmark.plan, reterr);
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return code;
    }
    *ret_benchmark = benchmark;
    return DUET_OK;
}

enum store_state benchmark_state(enum duet_code code)
{
    if (code == DUET_OK) {
        return STORE_DONE;
    }
    return code == DUET_E_INTERRUPTED ? STORE_INTERRUPTED : STORE_FAILED;
}

bool benchmark_is_at_fault(enum duet_code code)
{
    switch (code) {
    case DUET_OK:
    case DUET_E_NOMEM:
    case DUET_E_IO:
    case DUET_E_UNSUITABLE:
    case DUET_E_SYSTEM:
    case DUET_E_INTERNAL:
    case DUET_E_INTERRUPTED:
        return false;
    case DUET_E_USAGE:
    case DUET_E_DOMAIN:
    case DUET_E_TOO_FEW:
    case DUET_E_NOT_FOUND:
    case DUET_E_FORMAT:
    case DUET_E_VERSION:
    case DUET_E_WORKLOAD:
    case DUET_E_TIMEOUT:
    case DUET_E_PEER:
    case DUET_E_PROTOCOL:
        break;
    }
    return true;
}

struct model_analysis benchmark_describe(const struct model_analysis *analysis,
                                         const struct model_plan *plan)
{
    struct model_analysis described = *analysis;
    described.seed = plan->seed;
    described.until = plan->until;
    described.precision =
        plan->until == MODEL_UNTIL_PRECISION ? plan->precision_ratio : (double)NAN;
    return described;
}
