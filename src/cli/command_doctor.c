/* duet doctor: is this machine fit? */
#include "analysis/remarks/fitness.h"
#include "base/day.h"
#include "base/field.h"
#include "base/file.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/options/option.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "report/doctor.h"
#include "session/examination.h"

#include <math.h>
#include <time.h>

static const struct cli_option doctor_rows[] = {
    {"cpus", 0, "A,B", CLI_OPTION_SETTING,
     "Check these two CPUs. Default: those that a comparison would get."},
    {"duration", 0, "T", CLI_OPTION_SETTING,
     "Run the probe for this long. Default: 2s."},
    {"export-json", 0, "FILE", CLI_OPTION_SETTING,
     "Write findings and figures as JSON to FILE ('-': standard output)."},
    {"no-color", 0, NULL, CLI_OPTION_SETTING,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

struct doctor_request {
    struct output_options output;
    const char *cpus;
    uint64_t duration_ns;
};

#define AT struct doctor_request
static const struct field doctor_fields[] = {
    FIELD_TEXT("--cpus", AT, cpus), FIELD_DURATION("--duration", AT, duration_ns),
    FIELD_TEXT("--export-json", AT, output.json),
    FIELD_FLAG("--no-color", AT, output.no_color), FIELD_END};
#undef AT

static json_t *document_of(const struct examination *examination)
{
    char date[DAY_MOMENT_BYTES];
    day_utc((int64_t)time(NULL) * 1000, date);
    struct report_context context = {
        .host = &examination->host,
        .load_before = &examination->before,
        .load_after = &examination->after,
        .date_utc = date,
        .duet_version = BASE_VERSION,
        .seed = UINT64_MAX, /* nothing random here */
        .steal_pct = examination->measured ? 100 * examination->fitness.steal_ratio
                                           : (double)NAN,
    };
    return report_fitness_json(report_json_context(&context), &examination->findings,
                               fitness_level(&examination->findings),
                               examination->measured ? &examination->fitness : NULL);
}

static enum duet_code show(const struct doctor_request *request,
                           const struct examination *examination,
                           struct duet_error *reterr)
{
    static const char *const conclusions[] = {
        "This machine is fit for comparing.",
        "This machine can compare; read the lines marked 'care'.",
        "This machine cannot run two sides at the same time.",
    };
    if (request->output.json != NULL) {
        enum duet_code code =
            file_write_json(request->output.json, document_of(examination), reterr);
        if (code != DUET_OK || output_takes_stdout(&request->output)) {
            return code;
        }
    }
    struct report_style style = output_style(&request->output);
    struct text text = {0};
    report_fitness_terminal(&text, &examination->findings, &style);
    text_append_format(&text, "\n%s\n",
                       conclusions[fitness_level(&examination->findings)]);
    return file_write_text("-", &text, reterr);
}

static int doctor_main(const struct cli_command *command, int argc, char **argv)
{
    struct doctor_request request = {.output = {.verbosity = 1},
                                     .duration_ns = UINT64_C(2000000000)};
    int status = cli_options_parse_all(command, argc, argv, NULL, &request);
    if (status >= 0) {
        return status;
    }
    struct machine *machine = NULL;
    struct examination examination = {.measured = false};
    struct duet_error error;
    enum duet_code code = output_check_files(&request.output.json, 1, NULL, &error);
    if (code == DUET_OK) {
        code = machine_open(NULL, &machine, &error);
    }
    if (code == DUET_OK) {
        code = examination_make(machine, request.cpus, request.duration_ns,
                                terminal_is(stderr) ? terminal_listener(false) : NULL,
                                &examination, &error);
    }
    if (code == DUET_OK) {
        code = show(&request, &examination, &error);
    }
    machine_free(machine);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    return fitness_level(&examination.findings) == MODEL_FINDING_UNFIT
               ? CLI_EXIT_UNSUITABLE
               : CLI_EXIT_OK;
}

const struct cli_command command_doctor = {
    .name = "doctor",
    .synopsis = "[OPTIONS]",
    .summary = "check whether this machine is fit for comparing",
    .description =
        "Checks the CPUs, their frequency, the clock and the load. Then runs a "
        "probe on two CPUs. It measures how well they start together, how often "
        "other programs take a CPU, how much the same work varies, and what pairing "
        "gains. Says what to change.\n\n"
        "Exit status: 0; 5 when two sides cannot run at the same time.",
    .options = doctor_rows,
    .examples = CLI_EXAMPLES(
        {"Check this machine:", "duet doctor"},
        {"Check two CPUs for three seconds, and keep the figures:",
         "duet doctor --cpus 0,1 --duration 3s --export-json doctor.json"}),
    .fields = doctor_fields,
    .main = doctor_main,
};
