#include "cli/watch_derive.h"

#include "analysis/cadence.h"
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/file.h"
#include "formats/series_folder.h"
#include "report/json_fields.h"

#include <math.h>
#include <stdlib.h>

/* slices.csv says how many of a series' first measurements are three weeks' worth; what
 * follows was measured at another rate. */
static const double slice_hours = 21.0 * 24.0;

/* One series' answer. */
struct derived {
    const char *name;
    size_t points;
    double per_hour; /* of the series */
    struct analysis_cadence cadence;
    double block_hours;
    double wanted_per_hour; /* that keep its autocorrelation */
};

/* That of all together: the longest block, the most frequent executions. */
struct advice {
    const struct derived *longest;
    const struct derived *fastest;
    double every_hours; /* whole ones */
    double per_hour;    /* whole ones where there are any */
};

static enum duet_code derive_one(const struct formats_series *series, double per_hour,
                                 double loss, struct derived *ret_derived,
                                 struct duet_error *reterr)
{
    struct duet_error error = {0};
    bool sliced = !(per_hour > 0.0) && series->test_points > 0;
    struct derived made = {
        .name = series->name,
        .points = sliced ? series->test_points : series->count,
        .per_hour = sliced ? (double)series->test_points / slice_hours : per_hour};
    if (!(made.per_hour > 0.0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "nothing says how often %s was executed: give "
                         "--executions-per-hour",
                         series->name);
    }
    enum duet_code code = analysis_cadence_derive(series->values, made.points, loss,
                                                  &made.cadence, &error);
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s: %s", series->name, error.message);
    }
    made.block_hours = made.cadence.block_length / made.per_hour;
    made.wanted_per_hour = made.per_hour / (double)made.cadence.thinning;
    *ret_derived = made;
    return DUET_OK;
}

/* Whether `one` asks for more than `other`: of limited ones the most frequent, before
 * any that is not. */
static bool asks_more(const struct derived *one, const struct derived *other)
{
    if (one->cadence.limited != other->cadence.limited) {
        return one->cadence.limited;
    }
    return one->wanted_per_hour > other->wanted_per_hour;
}

static struct advice advise(const struct derived *list, size_t count)
{
    struct advice advice = {.longest = &list[0], .fastest = &list[0]};
    for (size_t i = 1; i < count; i++) {
        if (list[i].block_hours > advice.longest->block_hours) {
            advice.longest = &list[i];
        }
        if (asks_more(&list[i], advice.fastest)) {
            advice.fastest = &list[i];
        }
    }
    double wanted = advice.fastest->wanted_per_hour;
    advice.every_hours = ceil(advice.longest->block_hours);
    advice.per_hour = wanted < 1.0 ? wanted : ceil(wanted);
    return advice;
}

static void append_table(struct text *text, const struct derived *list, size_t count,
                         double loss)
{
    text_append_format(text, "%-22s%8s%8s%8s%8s%7s%8s%10s%9s\n", "series", "points",
                       "per h", "block", "hours", "acf", "thinned", "acf then",
                       "per h");
    for (size_t i = 0; i < count; i++) {
        const struct derived *derived = &list[i];
        const struct analysis_cadence *cadence = &derived->cadence;
        text_append_format(
            text, "%-22s%8zu%8.2f%8.1f%8.1f%7.2f%7zu%s%10.2f%9.2f\n", derived->name,
            derived->points, derived->per_hour, cadence->block_length,
            derived->block_hours, cadence->correlation, cadence->thinning,
            cadence->limited ? " " : "+", cadence->thinned, derived->wanted_per_hour);
    }
    text_append_format(text,
                       "\nblock: optimal length (Politis and White), in points and in "
                       "hours. thinned: one point in so many\nstill has a lag-1 "
                       "autocorrelation less than %.3g below that of the series (+: "
                       "and no thinning that was\ntried has not).\n",
                       loss);
}

static void append_advice(struct text *text, const struct advice *advice)
{
    text_append_format(text,
                       "\ninterval: %.6g h, the longest block (%.3g h of %s)\n"
                       "executions: %.6g an hour, ",
                       advice->every_hours, advice->longest->block_hours,
                       advice->longest->name, advice->per_hour);
    if (advice->fastest->cadence.limited) {
        text_append_format(text, "the most that a series needs (%.3g of %s)\n",
                           advice->fastest->wanted_per_hour, advice->fastest->name);
    } else {
        text_append(text, "although no series has an autocorrelation that thinning "
                          "would lose\n");
    }
    text_append_format(text,
                       "\nduet watch --every %.6gh --executions-per-hour %.6g "
                       "COMMAND\n",
                       advice->every_hours, advice->per_hour);
}

static json_t *derived_object(const struct derived *derived)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", derived->name);
    json_fields_uint(&fields, "points", derived->points);
    json_fields_real(&fields, "executions_per_hour", derived->per_hour);
    json_fields_real(&fields, "block_length", derived->cadence.block_length);
    json_fields_real(&fields, "block_hours", derived->block_hours);
    json_fields_real(&fields, "autocorrelation", derived->cadence.correlation);
    json_fields_uint(&fields, "thinning", derived->cadence.thinning);
    json_fields_real(&fields, "autocorrelation_thinned", derived->cadence.thinned);
    json_fields_take(&fields, "limited", json_boolean(derived->cadence.limited));
    json_fields_real(&fields, "enough_per_hour", derived->wanted_per_hour);
    return json_fields_end(&fields);
}

static json_t *derivation_document(const struct derived *list, size_t count,
                                   const struct advice *advice, double loss)
{
    struct json_fields inner = json_fields_begin();
    json_t *series = json_array();
    bool complete = series != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        complete = json_fields_push(series, derived_object(&list[i]));
    }
    if (!complete) {
        json_decref(series);
        series = NULL;
    }
    json_fields_real(&inner, "loss", loss);
    json_fields_real(&inner, "every_s", advice->every_hours * 3600.0);
    json_fields_real(&inner, "executions_per_hour", advice->per_hour);
    json_fields_take(&inner, "series", series);
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "derivation", json_fields_end(&inner));
    return json_fields_end(&fields);
}

static enum duet_code show(const struct derived *list, size_t count, double loss,
                           bool json, struct duet_error *reterr)
{
    struct advice advice = advise(list, count);
    struct text text = {0};
    if (json) {
        json_t *document = derivation_document(list, count, &advice, loss);
        return document == NULL ? error_set(reterr, DUET_E_NOMEM, "out of memory")
                                : file_write_json("-", document, reterr);
    }
    append_table(&text, list, count, loss);
    append_advice(&text, &advice);
    return file_write_text("-", &text, reterr);
}

int watch_derive(const char *path, double per_hour, double loss, bool json)
{
    struct formats_series_folder folder = {0};
    struct duet_error error = {0};
    struct derived *list = NULL;
    enum duet_code code = formats_series_folder_read(path, &folder, &error);
    if (code == DUET_OK) {
        list = alloc_array(folder.count, sizeof *list);
        code =
            list == NULL ? error_set(&error, DUET_E_NOMEM, "out of memory") : DUET_OK;
    }
    for (size_t i = 0; i < folder.count && code == DUET_OK && list != NULL; i++) {
        code = derive_one(&folder.series[i], per_hour, loss, &list[i], &error);
    }
    if (code == DUET_OK && list != NULL) {
        code = show(list, folder.count, loss, json, &error);
    }
    free(list);
    formats_series_folder_release(&folder);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}
