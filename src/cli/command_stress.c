/* duet stress: competing load that comes and goes */
#include "base/field.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "workloads/stress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum stress_option { OPTION_LOAD = CLI_OPTION_FIRST, OPTION_WAVE, OPTION_CPUS };

static const struct cli_option stress_rows[] = {
    {"load", 0, "cpu|cache|memory|mix", OPTION_LOAD,
     "Load this resource. Default: mix."},
    {"wave", 0, "triangle|sine|constant", OPTION_WAVE,
     "Vary the load over time in this shape. Default: triangle."},
    {"peak", 0, "P", CLI_OPTION_SETTING,
     "Take this share of each CPU at the peak. Default: 100%."},
    {"period", 0, "T", CLI_OPTION_SETTING,
     "Go from zero to the peak and back in T. Default: 150min, as in the paper."},
    {"duration", 0, "T", CLI_OPTION_SETTING, "Stop after T. Default: at Ctrl-C."},
    {"cpus", 0, "LIST", OPTION_CPUS,
     "Run one thread on each of these CPUs, such as 0-3,6. Default: all."},
    {"profile", 0, NULL, CLI_OPTION_SETTING,
     "Print the time, the requested and the achieved share once a second, as CSV."},
    CLI_OPTION_END_ROWS};

struct stress_request {
    struct stress_plan plan;
    unsigned cpus[1024];
    bool profile;
};

#define AT struct stress_request
static const struct field stress_fields[] = {
    FIELD_DOUBLE("--peak", FIELD_IS_FRACTION, AT, plan.peak_ratio),
    FIELD_DURATION("--period", AT, plan.period_ns),
    FIELD_DURATION("--duration", AT, plan.duration_ns),
    FIELD_FLAG("--profile", AT, profile), FIELD_END};
#undef AT

static atomic_bool *stop_flag; /* set once, before the handler is installed */

static void stop_handler(int number)
{
    (void)number;
    atomic_store(stop_flag, true);
}

static void print_sample(const struct stress_sample *sample, void *context)
{
    (void)context;
    (void)printf("%.1f,%.4f,%.4f\n", (double)sample->elapsed_ns / 1e9,
                 sample->level_ratio, sample->achieved_ratio);
    (void)fflush(stdout);
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct stress_request *request = context;
    const char *value = parsed->value;
    struct stress_plan *plan = &request->plan;
    switch ((enum stress_option)id) {
    case OPTION_LOAD:
        return stress_load_parse(value, &plan->load, reterr);
    case OPTION_WAVE:
        return stress_wave_parse(value, &plan->wave, reterr);
    case OPTION_CPUS:
        plan->cpus = request->cpus;
        return parse_cpu_list(value, "--cpus", request->cpus,
                              sizeof request->cpus / sizeof request->cpus[0],
                              &plan->cpu_count, reterr);
    }
    return DUET_OK;
}

static int execute(const struct stress_request *request)
{
    static atomic_bool stop; /* a signal handler has nowhere else to say it */
    stop_flag = &stop;
    struct sigaction action = {.sa_handler = stop_handler,
                               .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct stress_result result;
    struct duet_error error;
    if (request->profile) {
        (void)printf("elapsed_s,level_ratio,achieved_ratio\n");
    }
    enum duet_code code =
        stress_run(&request->plan, &stop, request->profile ? print_sample : NULL, NULL,
                   &result, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    (void)fprintf(stderr,
                  "duet: took %.1f %% of %zu CPUs for %.1f s (asked: %.1f %%)\n",
                  100 * result.achieved_ratio, result.cpu_count,
                  (double)result.elapsed_ns / 1e9, 100 * result.asked_ratio);
    return CLI_EXIT_OK;
}

static int stress_main(const struct cli_command *command, int argc, char **argv)
{
    struct stress_request request = {.plan = stress_plan_default()};
    struct stress_plan *plan = &request.plan;
    const uint64_t default_ns = plan->period_ns;
    plan->period_ns = 0;
    int status = cli_options_parse_all(command, argc, argv, take_option, &request);
    if (status >= 0) {
        return status;
    }
    if (plan->wave == STRESS_WAVE_CONSTANT && plan->period_ns != 0) {
        return cli_usage(command, "--wave constant has no period: leave --period out");
    }
    plan->period_ns = plan->period_ns == 0 ? default_ns : plan->period_ns;
    return execute(&request);
}

const struct cli_command command_stress = {
    .name = "stress",
    .synopsis = "[OPTIONS]",
    .summary = "load the CPUs, in a wave between zero and a peak",
    .description =
        "Takes a share of the CPUs' time that rises and falls in a slow wave, to "
        "test how measurements hold up under load. It runs in the same system as "
        "the measured programs and imitates a neighbour on the host.",
    .options = stress_rows,
    .examples = CLI_EXAMPLES(
        {"Take half of every CPU until Ctrl-C:",
         "duet stress --wave constant --peak 50%"},
        {"Raise and lower the load once a minute for ten minutes, on two CPUs:",
         "duet stress --period 1min --duration 10min --cpus 0,1"}),
    .fields = stress_fields,
    .main = stress_main,
};
