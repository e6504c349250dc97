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

enum accuracy_option {
    OPTION_PUBLISHED = CLI_OPTION_FIRST,
    OPTION_WITH,
    OPTION_TIMESLICE,
    OPTION_TRIPLES
};

static const struct cli_option accuracy_rows[] = {
    {"published", 0, "[FILE]", OPTION_PUBLISHED,
     "Measure nothing: take the widths that the paper published, "
     "or those of FILE (docs/reproduction.md says its form, which --export-csv writes)."},
    {"with", 0, "FILE", OPTION_WITH,
     "Put the widths of FILE beside these, such as another machine's; may be given several times."},
    {"triples", 0, NULL, OPTION_TRIPLES,
     "With --published: show the widths of every workload, too."},
    {"timeslice", 0, NULL, OPTION_TIMESLICE,
     "Measure with both sides on one CPU, too."},
    STUDY_LAB_ROWS,
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_OPTION_ROWS,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct accuracy_request {
    struct study_lab_request lab;
    bool published;
    const char *file; /* of --published; NULL: what is built in */
    const char **with;
    size_t with_count;
    bool timeslice;
    bool triples;
};

static enum duet_code add_others(const struct accuracy_request *request,
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
        code = add_others(request, &widths, reterr);
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

static enum duet_code gather(const struct accuracy_request *request,
                             struct study_lab *lab, struct study_measured_list *list,
                             struct duet_error *reterr)
{
    const bool ways[STUDY_WAYS] = {true, true, request->timeslice};
    if (lab->workload_count == 0) {
        return study_measured_stored(lab, false, list, reterr);
    }
    lab->planned = lab->workload_count * (request->timeslice ? 3 : 2);
    enum duet_code code = study_lab_fit(lab, request->timeslice ? 5 : 3, reterr);
    return code == DUET_OK ? study_measure_all(lab, ways, "", list, reterr) : code;
}

static enum duet_code tell(const struct accuracy_request *request,
                           struct study_lab *lab,
                           const struct study_measured_list *list,
                           struct duet_error *reterr)
{
    struct study_session *session = lab->session;
    struct widths widths = {0};
    enum duet_code code =
        study_measured_widths(lab, list, lab->platform, &widths, reterr);
    if (code == DUET_OK && request->lab.options.pictures != NULL) {
        struct study_measured_times times = {lab, list};
        const struct study_samples samples = study_measured_samples(&times);
        code = study_pictures_samples(request->lab.options.pictures, &samples, &widths,
                                      0, reterr);
    }
    if (code == DUET_OK) {
        code = add_others(request, &widths, reterr);
    }
    if (code == DUET_OK) {
        widths_table_gains(&session->table, &widths, false);
        text_append_char(&session->table, '\n');
        widths_table_triples(&session->table, &widths);
        widths_append_csv(&session->csv, &widths);
    }
    if (code == DUET_OK && request->lab.options.pictures != NULL) {
        code = study_pictures_widths(request->lab.options.pictures, &widths, reterr);
    }
    widths_release(&widths);
    return code == DUET_OK ? study_lab_conclude(lab, reterr) : code;
}

static enum duet_code accuracy(void *context, struct study_session *session,
                               struct duet_error *reterr)
{
    const struct accuracy_request *request = context;
    struct study_lab lab;
    struct study_measured_list list = {0};
    if (request->published) {
        return published(request, session, reterr);
    }
    enum duet_code code = study_lab_open(&request->lab.options, session, &lab, reterr);
    if (code == DUET_OK) {
        code = gather(request, &lab, &list, reterr);
    }
    struct duet_error ignored;
    if (code == DUET_OK) {
        code = tell(request, &lab, &list, reterr);
    } else if (code == DUET_E_INTERRUPTED) {
        (void)!tell(request, &lab, &list, &ignored);
    }
    study_measured_release(&list);
    study_lab_release(&lab);
    return code;
}

static enum duet_code take_with(struct accuracy_request *request, const char *value,
                                struct duet_error *reterr)
{
    const char **grown =
        alloc_resize((void *)request->with, request->with_count + 1, sizeof *grown);
    if (grown == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    request->with = grown;
    request->with[request->with_count++] = value;
    return DUET_OK;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct accuracy_request *request = context;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_PUBLISHED:
        request->published = true;
        request->file = parsed->value;
        return DUET_OK;
    case OPTION_WITH:
        return take_with(request, parsed->value, reterr);
    case OPTION_TIMESLICE:
        request->timeslice = true;
        return DUET_OK;
    case OPTION_TRIPLES:
        request->triples = true;
        return DUET_OK;
    default:
        (void)study_lab_option_take(&request->lab, id, parsed->value, &code, reterr);
        return code;
    }
}

static int accuracy_main(const struct cli_command *command, int argc, char **argv)
{
    struct accuracy_request request = {.lab = study_lab_request_default()};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    /* "--published FILE": its argument is optional, so that FILE is an operand. */
    if (status < 0 && request.published && request.file == NULL && count == 1) {
        request.file = operands[0];
        count = 0;
    }
    if (status < 0 && request.published && count > 0) {
        status = cli_usage(command, "unexpected argument '%s'", operands[0]);
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
    .summary = "what measuring together gains over the standard method",
    .description =
        "Are comparisons more accurate when both sides are measured at the same time? "
        "Compares each COMMAND (or artificial workload) with itself, measured together and one at a time, "
        "and shows the widths of the 99 % intervals, how many times narrower they are (table 1 of Bulej "
        "2020), and the same for pairs torn apart. Without a COMMAND it answers from what is stored: "
        "the newest comparisons of a command with itself under the schedules duet and interleaved.\n"
        "\n"
        "Interrupted, it prints what is done. Everything measured is kept in the store.",
    .options = accuracy_rows,
    .main = accuracy_main,
};
