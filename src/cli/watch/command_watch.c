/* duet watch CMD: a performance test that goes on until its result is known */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/json_file.h"
#include "cli/terminal.h"
#include "cli/watch/watch_option.h"
#include "cli/watch/watch_show.h"
#include "report/columns.h"
#include "report/display.h"
#include "session/storage.h"
#include "session/watch/watch_derive.h"
#include "json/json_fields.h"

static const struct cli_option watch_rows[] = {
    {"every", 0, "T", CLI_OPTION_SETTING,
     "Set the length of an interval. Default: "
     "1d."},
    {"executions-per-hour", 0, "X", CLI_OPTION_SETTING,
     "Execute the command this often. Default: 4."},
    {"batch", 0, "N", CLI_OPTION_SETTING,
     "Execute the command N times in a row, so that a machine is rented less often. "
     "Default: 1, at equal distances."},
    {"rule", 0, "metior|metior-artifact|basicbt|cov|pt4cloud|steady", OPTION_RULE,
     "Stop by this rule. Default: metior."},
    {"statistic", 0, "WHICH", OPTION_STATISTIC,
     "Measure this result: mean, or a percentile such as p90. Default: mean."},
    {"error", 0, "P", CLI_OPTION_SETTING,
     "Allow this error of the result. Default: 3%."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the result. "
     "Default: 0.95."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates. "
     "Default: 1000."},
    {"max-intervals", 0, "N", OPTION_INTERVALS,
     "Give up after N intervals; 0: never. Default: 21."},
    {"metric", 0, "time|throughput|REGEX", CLI_OPTION_SETTING,
     "Measure the time of an execution (the default), or a number that the command "
     "prints: a regular expression, as Perl has it, whose first parentheses hold it."},
    {"pattern", 0, "REGEX", CLI_OPTION_SETTING,
     "With --metric time or throughput: find the number in the command's output by "
     "this regular expression."},
    {"provision", 0, "CMD", CLI_OPTION_SETTING,
     "Run this shell command before each batch, to rent a machine."},
    {"release", 0, "CMD", CLI_OPTION_SETTING,
     "Run this shell command after each batch, whatever happened in it."},
    {"attempts", 0, "N", CLI_OPTION_SETTING,
     "Try these two commands N times before the watch ends. Default: 3."},
    {"retry-after", 0, "T", CLI_OPTION_SETTING,
     "Wait T between two attempts. "
     "Default: 10s."},
    {"prepare", 'p', "CMD", CLI_OPTION_SETTING,
     "Run this shell command before every execution, untimed."},
    {"conclude", 'C', "CMD", CLI_OPTION_SETTING,
     "Run this shell command after every execution, untimed."},
    {"shell", 'S', "SHELL", OPTION_SHELL,
     "Run the command by this shell ('default': /bin/sh); its start is then measured, too. Default: none."},
    {"timeout", 0, "T", CLI_OPTION_SETTING,
     "Kill an execution that takes longer, and end the watch. Default: none."},
    {"ignore-failure", 'i', NULL, CLI_OPTION_SETTING,
     "Also count executions that exit non-zero."},
    {"cpus", 0, "A", CLI_OPTION_SETTING,
     "Run the command on these CPUs: a number, a range 0-3 or a list 0+2. Default: "
     "all."},
    {"name", 0, "NAME", CLI_OPTION_SETTING, "Name the watch. Default: the command."},
    {"seed", 0, "N", CLI_OPTION_SETTING,
     "Seed all random choices. Default: drawn, and kept."},
    {"resume", 0, NULL, CLI_OPTION_SETTING,
     "Go on with the watch of that name (or number). Default: the only unfinished "
     "one."},
    {"status", 0, NULL, CLI_OPTION_SETTING,
     "Show all watches of the store, or the one of that name (or number)."},
    {"derive", 0, "SERIES", CLI_OPTION_SETTING,
     "Execute nothing: find --every and --executions-per-hour from a first series "
     "(a file with a number a line, or a folder of them), measured at "
     "--executions-per-hour."},
    {"loss", 0, "X", CLI_OPTION_SETTING,
     "With --derive: let a series lose this much autocorrelation by thinning. "
     "Default: 0.1."},
    {"fail-on", 0, "unsure", OPTION_FAIL_ON,
     "Exit with 3 when --max-intervals ends it. Default: with 0."},
    {"json", 0, NULL, CLI_OPTION_SETTING,
     "Print the answer, or the status, as JSON (docs/schema/duet-watch-1.schema.json)."},
    {"quiet", 'q', NULL, CLI_OPTION_SETTING, "Print no progress."},
    {"verbose", 'v', NULL, CLI_OPTION_SETTING, "Print a line for each execution."},
    {"store", 0, "PATH", CLI_OPTION_SETTING,
     "Store everything in this database. Default: .duet/results.db in the nearest "
     "parent folder that has one, else in this one."},
    CLI_OPTION_END_ROWS};

static int show_status(const struct watch_words *words)
{
    const struct watch_request *request = &words->request;
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request->store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = request->command != NULL
                     ? watch_show(store, request->command, words->json)
                     : watch_show_all(store, words->json);
    store_close(store);
    return status;
}

enum { NAME_COLUMNS = 22 };

static void append_table(struct text *text, const struct watch_derived *list,
                         size_t count, double loss)
{
    static const int columns[] = {8, 8, 8, 8, 7, 8, 10, 9};
    columns_append_name(text, NAME_COLUMNS, "series");
    columns_append(text, columns,
                   "points\tper h\tblock\thours\tacf\tthinned\tacf then\tper h\n");
    for (size_t i = 0; i < count; i++) {
        const struct watch_derived *derived = &list[i];
        const struct analysis_cadence *cadence = &derived->cadence;
        columns_append_name(text, NAME_COLUMNS, derived->name);
        columns_append(
            text, columns, "%zu\t%.2f\t%.1f%s\t%.1f\t%.2f\t%zu%s\t%.2f\t%.2f\n",
            derived->points, derived->per_hour, cadence->block_length,
            cadence->block_cut ? "+" : " ", derived->block_hours, cadence->correlation,
            cadence->thinning, cadence->limited ? " " : "+", cadence->thinned,
            derived->wanted_per_hour);
    }
    text_append_format(
        text,
        "\n"
        "block: optimal length (Politis and White), in points and in hours (+: cut at "
        "ceil(3 sqrt(points));\n"
        "the series is too short to tell it).\n"
        "thinning: one point in this many keeps the lag-1 autocorrelation within "
        "%.3g of the series'\n"
        "(+: every thinning that was tried does).\n",
        loss);
}

static void append_advice(struct text *text, const struct watch_advice *advice)
{
    bool unicode = terminal_is_utf8();
    text_append_format(text, "\ninterval: %.6g h, the longest block (%.3g h of ",
                       advice->every_hours, advice->longest->block_hours);
    display_append_clean(text, advice->longest->name, unicode);
    text_append_format(
        text, "%s)\nexecutions: %.6g an hour, ",
        advice->longest->cadence.block_cut ? ", or longer: measure more points" : "",
        advice->per_hour);
    if (advice->fastest->cadence.limited) {
        text_append_format(text, "the most that a series needs (%.3g of ",
                           advice->fastest->wanted_per_hour);
        display_append_clean(text, advice->fastest->name, unicode);
        text_append(text, ")\n");
    } else {
        text_append(text,
                    "as given: thinning loses no autocorrelation of any series\n");
    }
    text_append_format(text,
                       "\n"
                       "duet watch --every %.6gh --executions-per-hour %.6g COMMAND\n",
                       advice->every_hours, advice->per_hour);
}

static json_t *derived_object(const struct watch_derived *derived)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", derived->name);
    json_fields_uint(&fields, "points", derived->points);
    json_fields_real(&fields, "executions_per_hour", derived->per_hour);
    json_fields_real(&fields, "block_length", derived->cadence.block_length);
    json_fields_take(&fields, "block_cut", json_boolean(derived->cadence.block_cut));
    json_fields_real(&fields, "block_hours", derived->block_hours);
    json_fields_real(&fields, "autocorrelation", derived->cadence.correlation);
    json_fields_uint(&fields, "thinning", derived->cadence.thinning);
    json_fields_real(&fields, "autocorrelation_thinned", derived->cadence.thinned);
    json_fields_take(&fields, "limited", json_boolean(derived->cadence.limited));
    json_fields_real(&fields, "enough_per_hour", derived->wanted_per_hour);
    return json_fields_end(&fields);
}

static json_t *derivation_document(const struct watch_derived *list, size_t count,
                                   const struct watch_advice *advice, double loss)
{
    struct json_fields inner = json_fields_begin();
    json_fields_real(&inner, "loss", loss);
    json_fields_real(&inner, "every_s", advice->every_hours * 3600.0);
    json_fields_real(&inner, "executions_per_hour", advice->per_hour);
    json_t *series = json_fields_list(&inner, "series");
    for (size_t i = 0; i < count; i++) {
        json_fields_add(&inner, series, derived_object(&list[i]));
    }
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "derivation", json_fields_end(&inner));
    return json_fields_end(&fields);
}

static enum duet_code show(const struct watch_derivation *derivation, bool json,
                           struct duet_error *reterr)
{
    const struct watch_advice advice = watch_advise(derivation);
    const struct watch_derived *list = derivation->list;
    size_t count = derivation->folder.count;
    struct text text = {0};
    if (json) {
        json_t *document = derivation_document(list, count, &advice, derivation->loss);
        return document == NULL ? error_no_memory(reterr)
                                : file_write_json("-", document, reterr);
    }
    append_table(&text, list, count, derivation->loss);
    append_advice(&text, &advice);
    return file_write_text("-", &text, reterr);
}

/* As watch_derive(); prints the answer, `json`: as JSON. Returns an exit status, after
 * a message when it is not 0. */
static int show_advice(const char *path, double per_hour, double loss, bool json)
{
    struct watch_derivation derivation = {.list = NULL};
    struct duet_error error = {0};
    enum duet_code code = watch_derive(path, per_hour, loss, &derivation, &error);
    if (code == DUET_OK) {
        code = show(&derivation, json, &error);
    }
    watch_derivation_release(&derivation);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static int watch_main(const struct cli_command *command, int argc, char **argv)
{
    struct watch_words words;
    struct watch_request *request = &words.request;
    struct duet_error error;
    char **operands = NULL;
    int count = 0;
    watch_words_init(&words);
    int status = cli_options_parse(command, argc, argv, watch_words_take, &words,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (watch_words_settle(&words, count, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    request->command = count > 0 ? operands[0] : NULL;
    if (words.series != NULL) {
        double per_hour = words.per_hour_given ? request->watch.per_hour : 0.0;
        return show_advice(words.series, per_hour, words.loss, words.json);
    }
    return words.status ? show_status(&words) : watch_show_session(&words);
}

const struct cli_command command_watch = {
    .name = "watch",
    .measures = true,
    .synopsis = "[OPTIONS] COMMAND|NAME",
    .summary = "execute a command for days, until its performance is known",
    .description =
        "On a machine whose speed changes over hours and days, one minute of "
        "measurements says little. A watch executes the command a few times an "
        "hour. After each interval a stop rule decides whether the result would "
        "still change (Metior: He et al. 2021). When it would not, the watch ends "
        "and prints the result with its error. With --resume and --status, NAME is "
        "a watch that has begun.\n\n"
        "Each execution is stored as soon as it has ended. After an interruption, a "
        "crash or a restart of the machine, --resume goes on in the folder where "
        "the watch began. It skips the executions that were due meanwhile and "
        "reports them. docs/watch.md tells more.\n\n"
        "Exit status: 0 the result is known, or --max-intervals are over; 2 wrong "
        "usage, no such watch, or the watch is already running; 3 --max-intervals "
        "are over and --fail-on names unsure; 4 the command failed or did not print "
        "the number, or --provision or --release failed in all attempts; 5 "
        "unsuitable machine; 130 interrupted.",
    .options = watch_rows,
    .examples = CLI_EXAMPLES(
        {"Execute a program four times an hour until its mean is known within 3 %:",
         "duet watch ./old"},
        {"Try it for five seconds at most:",
         "duet watch true --every 1s --executions-per-hour 36000 --max-intervals 5"},
        {"Show how far all watches are:", "duet watch --status"}),
    .operand = "CMD",
    .fields = watch_fields,
    .main = watch_main,
};
