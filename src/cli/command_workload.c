/* duet workload NAME: an artificial benchmark of known length */
#include "base/field.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/option.h"
#include "report/columns.h"
#include "workloads/calibration.h"
#include "workloads/workload.h"

#include <duet/duet.h>
#include <stdio.h>

static const struct cli_option workload_rows[] = {
    {"duration", 0, "T", CLI_OPTION_SETTING,
     "Make an iteration take about T on this machine. Default: 100ms."},
    {"scale", 0, "X", CLI_OPTION_SETTING,
     "Multiply the number of operations by X: 1.01 makes exactly 1 % more work."},
    {"operations", 0, "N", CLI_OPTION_SETTING,
     "Execute exactly N operations (times --scale) instead of calibrating."},
    {"seed", 0, "N", CLI_OPTION_SETTING, "Seed the data with N. Default: 1."},
    {"list", 0, NULL, CLI_OPTION_SETTING, "List the workloads."},
    CLI_OPTION_END_ROWS};

struct workload_request {
    uint64_t duration_ns;
    double scale;
    uint64_t operations; /* 0: calibrated */
    uint64_t seed;
    bool list;
};

#define AT struct workload_request
static const struct field workload_fields[] = {
    FIELD_DURATION("--duration", AT, duration_ns),
    FIELD_DOUBLE("--scale", FIELD_IS_POSITIVE, AT, scale),
    FIELD_WHOLE("--operations", AT, operations, 1, INT64_MAX),
    FIELD_WHOLE("--seed", AT, seed, 0, INT64_MAX),
    FIELD_FLAG("--list", AT, list),
    FIELD_END};
#undef AT

static int list_kinds(void)
{
    static const int columns[] = {-9, 0};
    struct text text = {0};
    struct duet_error error;
    for (size_t i = 0; workload_kind_at(i) != NULL; i++) {
        const struct workload_kind *kind = workload_kind_at(i);
        columns_append(&text, columns, "%s\t%s\n", kind->name, kind->description);
    }
    return file_write_text("-", &text, &error) == DUET_OK ? CLI_EXIT_OK
                                                          : cli_fail(&error);
}

static enum duet_code operations_of(const struct workload_kind *kind,
                                    struct workload_request *request,
                                    struct duet_error *reterr)
{
    /* So many operations, as if a second's worth were asked of a machine that does so
     * many a second. */
    uint64_t rate = request->operations;
    uint64_t duration_ns = 1000000000;
    enum duet_code code = DUET_OK;
    if (request->operations == 0) {
        code = workload_calibrate(kind, &rate, reterr);
        duration_ns = request->duration_ns;
    }
    return code != DUET_OK ? code
                           : workload_operations(rate, duration_ns, request->scale,
                                                 &request->operations, reterr);
}

static int execute(const struct workload_kind *kind,
                   const struct workload_request *request)
{
    struct workload *workload = NULL;
    struct duet_error error;
    if (workload_new(kind, request->seed, &workload, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    struct duet *harness = duet_open(kind->name);
    while (duet_next(harness)) {
        duet_begin(harness);
        uint64_t checksum = workload_execute(workload, request->operations);
        duet_end(harness);
        duet_keep(&checksum);
    }
    int status = duet_close(harness);
    workload_free(workload);
    if (status != 0 && ferror(stdout) != 0) { /* which the harness has said */
        return CLI_EXIT_UNSUITABLE;
    }
    return status == 0 ? CLI_EXIT_OK : CLI_EXIT_WORKLOAD;
}

static int workload_main(const struct cli_command *command, int argc, char **argv)
{
    struct workload_request request = {
        .duration_ns = UINT64_C(100000000), .scale = 1, .seed = 1};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, NULL, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (request.list) {
        return list_kinds();
    }
    if (count != 1) {
        return cli_usage(command,
                         "expected one workload; 'duet workload --list' shows them");
    }
    const struct workload_kind *kind = NULL;
    struct duet_error error;
    if (workload_kind_find(operands[0], &kind, &error) != DUET_OK ||
        operations_of(kind, &request, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    return execute(kind, &request);
}

const struct cli_command command_workload = {
    .name = "workload",
    .synopsis = "[OPTIONS] NAME",
    .summary = "run an artificial benchmark of exactly known length",
    .description =
        "Executes one of four artificial workloads (integer, float, cache, memory). "
        "The number of operations is calibrated once per machine. --scale changes "
        "it by a known factor, to test whether a comparison finds it:\n\n"
        "  duet 'duet workload integer' 'duet workload integer --scale 1.01'",
    .options = workload_rows,
    .examples = CLI_EXAMPLES(
        {"Show the workloads:", "duet workload --list"},
        {"Execute one that takes about 10 ms:",
         "duet workload integer --duration 10ms"},
        {"Look for a change of exactly 5 %:",
         "duet 'duet workload integer' 'duet workload integer --scale 1.05'"}),
    .operand = "integer|float|cache|memory",
    .fields = workload_fields,
    .main = workload_main,
};
