/* duet study accuracy: how much narrower than the standard method's duet's intervals
 * are
 */
#include "cli/commands.h"
#include "cli/study/study_lab_option.h"
#include "figures/study_pictures.h"
#include "figures/widths_table.h"
#include "study/lab/study_measured.h"
#include "study/lab/widths_file.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum accuracy_option { OPTION_PUBLISHED = CLI_OPTION_FIRST, OPTION_WITH };

static const struct cli_option accuracy_rows[] = {
    {"published", 0, "[FILE]", OPTION_PUBLISHED,
     "Measure nothing: use the widths that the paper published, or those of FILE, "
     "in the form that --export-csv writes (docs/reproduction.md)."},
    {"with", 0, "FILE", OPTION_WITH,
     "Show the widths of FILE beside these, such as another machine's. May be "
     "repeated."},
    {"triples", 0, NULL, CLI_OPTION_SETTING,
     "With --published: show the widths of every workload, too."},
    {"timeslice", 0, NULL, CLI_OPTION_SETTING,
     "Measure with both sides on one CPU, too."},
    STUDY_LAB_ROWS,
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_ANSWER_ROWS,
    CLI_OPTION_END_ROWS};

struct accuracy_request {
    struct study_lab_request lab;
    bool published;
    const char *file; /* of --published; NULL: what is built in */
    const char **with;
    size_t with_count;
    struct widths others; /* of these files, when measured widths go before them */
    bool timeslice;
    bool triples;
};

#define AT struct accuracy_request
static const struct field accuracy_fields[] = {FIELD_FLAG("--timeslice", AT, timeslice),
                                               FIELD_FLAG("--triples", AT, triples),
                                               STUDY_LAB_FIELDS(AT, lab.), FIELD_END};
#undef AT

static enum duet_code read_others(const struct accuracy_request *request,
                                  struct widths *widths, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < request->with_count && code == DUET_OK; i++) {
        code = widths_read(request->with[i], widths, reterr);
    }
    return code;
}

static enum duet_code published(const struct accuracy_request *request,
                                struct study_session *session,
                                struct duet_error *reterr)
{
    struct widths widths = {0};
    enum duet_code code = request->file == NULL
                              ? widths_published(&widths, reterr)
                              : widths_read(request->file, &widths, reterr);
    if (code == DUET_OK) {
        code = read_others(request, &widths, reterr);
    }
    if (code == DUET_OK) {
        widths_table_gains(&session->table, &widths, request->file == NULL);
        widths_append_csv(&session->csv, &widths);
    }
    if (code == DUET_OK && request->triples) {
        text_append_char(&session->table, '\n');
        widths_table_triples(&session->table, &widths);
    }
    if (code == DUET_OK && request->lab.options.pictures != NULL) {
        code = study_pictures_widths(request->lab.options.pictures, &widths, reterr);
    }
    widths_release(&widths);
    return code;
}

static enum duet_code measure(void *context, struct study_lab *lab,
                              struct study_measured_list lists[2],
                              struct duet_error *reterr)
{
    const struct accuracy_request *request = context;
    const bool ways[STUDY_WAYS] = {true, true, request->timeslice};
    return study_measure_or_find(lab, ways, lists, reterr);
}

static enum duet_code add_others(const struct widths *others, struct widths *widths,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < others->count && code == DUET_OK; i++) {
        code = widths_add(widths, &others->rows[i], reterr);
    }
    widths->confidence = others->count > 0 ? others->confidence : widths->confidence;
    return code;
}

/* own: of what was measured here. */
static enum duet_code draw(const char *folder, struct study_lab *lab,
                           const struct study_measured_list *list,
                           const struct widths *own, const struct widths *all,
                           struct duet_error *reterr)
{
    struct study_measured_times times = {lab, list};
    const struct study_samples samples = study_measured_samples(&times);
    enum duet_code code = study_pictures_samples(folder, &samples, own, 0, reterr);
    return code == DUET_OK ? study_pictures_widths(folder, all, reterr) : code;
}

static enum duet_code tell(void *context, struct study_lab *lab,
                           const struct study_measured_list lists[2],
                           struct duet_error *reterr)
{
    const struct accuracy_request *request = context;
    struct study_session *session = lab->session;
    struct widths widths = {0};
    enum duet_code code =
        study_measured_widths(lab, lists, lab->platform, &widths, reterr);
    struct widths own = widths; /* rows: those of `widths` when it has them all */
    if (code == DUET_OK) {
        code = add_others(&request->others, &widths, reterr);
        own.rows = widths.rows;
    }
    if (code == DUET_OK) {
        widths_table_append(&session->table, &widths);
        widths_append_csv(&session->csv, &widths);
    }
    if (code == DUET_OK && request->lab.options.pictures != NULL) {
        code = draw(request->lab.options.pictures, lab, lists, &own, &widths, reterr);
    }
    widths_release(&widths);
    return code;
}

static enum duet_code accuracy(void *context, struct study_session *session,
                               struct duet_error *reterr)
{
    struct accuracy_request *request = context;
    const struct study_lab_work work = {measure, tell, context};
    if (request->published) {
        return published(request, session, reterr);
    }
    enum duet_code code = read_others(request, &request->others, reterr);
    if (code == DUET_OK) {
        code = study_lab_carry_out(&request->lab.options, session, &work, reterr);
    }
    widths_release(&request->others);
    return code;
}

static enum duet_code take_with(struct accuracy_request *request, const char *value,
                                struct duet_error *reterr)
{
    const char **grown =
        alloc_resize((void *)request->with, request->with_count + 1, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    request->with = grown;
    request->with[request->with_count++] = value;
    return DUET_OK;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct accuracy_request *request = context;
    if (id == OPTION_PUBLISHED) {
        request->published = true;
        request->file = parsed->value;
        return DUET_OK;
    }
    return id == OPTION_WITH
               ? take_with(request, parsed->value, reterr)
               : study_lab_option_take(&request->lab, id, parsed->value, reterr);
}

/* Whether there is something to measure. */
static bool measures(const struct accuracy_request *request)
{
    const struct study_lab_options *options = &request->lab.options;
    return request->timeslice || options->set != NULL || options->suite_file != NULL;
}

static int accuracy_main(const struct cli_command *command, int argc, char **argv)
{
    struct accuracy_request request = {.lab = study_lab_request_default()};
    char **operands = NULL;
    int count = 0;
    int status = study_lab_refuse_shares(command, argc, argv);
    if (status < 0) {
        status =
            cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    }
    /* "--published FILE": its argument is optional, so that FILE is an operand. */
    if (status < 0 && request.published && request.file == NULL && count == 1) {
        request.file = operands[0];
        count = 0;
    }
    if (status < 0 && request.published && count > 0) {
        status = cli_usage(command, "unexpected argument '%s'", operands[0]);
    }
    if (status < 0 && request.published && measures(&request)) {
        status =
            cli_usage(command, "--published measures nothing: leave out --workload, "
                               "--suite and --timeslice");
    }
    if (status < 0) {
        study_lab_request_settle(&request.lab, operands, count);
        status = study_run(&request.lab.common, "accuracy", accuracy, &request);
    }
    free((void *)request.with);
    return status;
}

const struct cli_command command_study_accuracy = {
    .name = "study accuracy",
    .measures = true,
    .synopsis = "[OPTIONS] [COMMAND...]",
    .summary = "measure what duet gains over the standard method",
    .description =
        "Asks whether comparisons are more accurate when both sides are measured at "
        "the same time. Compares each COMMAND (or artificial workload) with itself, "
        "measured together and one at a time. Shows the widths of the 99 % "
        "intervals, how many times narrower they are (table 1 of Bulej 2020), and "
        "the same for shuffled pairs. Without a COMMAND, uses the newest stored "
        "comparisons of a command with itself under the schedules duet and "
        "interleaved.\n\n"
        "Interrupted, it prints what is done. Everything measured is kept in the "
        "store.",
    .options = accuracy_rows,
    .examples =
        CLI_EXAMPLES({"Measure what measuring together gains here, for half a minute:",
                      "duet study accuracy --workload all --quick"},
                     {"Show the widths that the paper published:",
                      "duet study accuracy --published"}),
    .operand = "CMD",
    .fields = accuracy_fields,
    .main = accuracy_main,
};
