#include "cli/options/foreign_option.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static enum duet_code take_copy(char **place, const char *text, size_t length,
                                struct duet_error *reterr)
{
    char *copy = alloc_string_n(text, length);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    free(*place);
    *place = copy;
    return DUET_OK;
}

static enum duet_code take_format(struct foreign_options *options, const char *value,
                                  struct duet_error *reterr)
{
    if (strcmp(value, "jmh") == 0) { /* as it was once called */
        value = formats_kind_name(FORMATS_KIND_JSON);
    }
    for (int kind = 0; kind < FORMATS_KINDS; kind++) {
        if (strcmp(value, formats_kind_name((enum formats_kind)kind)) == 0) {
            options->request.kind = (enum formats_kind)kind;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--format %s: the formats are numbers, csv, hyperfine, json, go",
                     value);
}

static enum duet_code take_column(struct foreign_options *options,
                                  enum formats_role role, const char *name,
                                  size_t length, struct duet_error *reterr)
{
    enum duet_code code = take_copy(&options->columns[role], name, length, reterr);
    options->request.csv.columns[role] = options->columns[role];
    return code;
}

/* "KEY=NAME", or several with commas between them. */
static enum duet_code take_map(struct foreign_options *options, const char *value,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (const char *at = value; *at != '\0' && code == DUET_OK;) {
        size_t length = strcspn(at, ",");
        size_t key = strcspn(at, "=");
        int role = 0;
        while (role < FORMATS_ROLES &&
               (strlen(formats_role_name((enum formats_role)role)) != key ||
                strncmp(formats_role_name((enum formats_role)role), at, key) != 0)) {
            role++;
        }
        if (role == FORMATS_ROLES || key + 1 >= length) {
            return error_set(
                reterr, DUET_E_USAGE,
                "--map %s: write KEY=NAME; the keys are value, old, new, side, run, iteration, block, instance, "
                "benchmark",
                value);
        }
        code = take_column(options, (enum formats_role)role, at + key + 1,
                           length - key - 1, reterr);
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return code;
}

static enum duet_code take_separator(struct foreign_options *options, const char *value,
                                     struct duet_error *reterr)
{
    bool tab = strcmp(value, "tab") == 0 || strcmp(value, "\\t") == 0;
    char separator = '\t';
    if (!tab) {
        separator = value[0];
    }
    if (!tab && (strlen(value) != 1 || strchr(",;\t", separator) == NULL)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--separator '%s': the separators are ',', ';' and 'tab'",
                         value);
    }
    options->request.csv.separator = separator;
    return DUET_OK;
}

static enum duet_code take_sides(struct foreign_options *options, const char *value,
                                 struct duet_error *reterr)
{
    const char *comma = strchr(value, ',');
    if (comma == NULL || comma == value || comma[1] == '\0' ||
        strchr(comma + 1, ',') != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--sides %s: write two names with a comma, OLD,NEW", value);
    }
    enum duet_code code =
        take_copy(&options->sides[MODEL_OLD], value, (size_t)(comma - value), reterr);
    if (code == DUET_OK) {
        code =
            take_copy(&options->sides[MODEL_NEW], comma + 1, strlen(comma + 1), reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        options->request.csv.side_names[side] = options->sides[side];
    }
    return code;
}

static enum duet_code take_schedule(struct foreign_options *options, const char *value,
                                    struct duet_error *reterr)
{
    if (!model_schedule_from_name(value, &options->schedule) ||
        options->schedule == MODEL_SCHEDULE_TIMESLICE) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--schedule %s: the schedules of other programs' data are duet, interleaved, sequential",
            value);
    }
    options->schedule_given = true;
    options->request.pairing = model_schedule_is_paired(options->schedule)
                                   ? FORMATS_PAIRING_PAIRS
                                   : FORMATS_PAIRING_UNPAIRED;
    return DUET_OK;
}

bool foreign_option_take(struct foreign_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr)
{
    *ret_code = DUET_OK;
    switch (id) {
    case FOREIGN_OPTION_FORMAT:
        *ret_code = take_format(options, value, reterr);
        return true;
    case FOREIGN_OPTION_COLUMN:
        *ret_code =
            take_column(options, FORMATS_ROLE_VALUE, value, strlen(value), reterr);
        return true;
    case FOREIGN_OPTION_MAP:
        *ret_code = take_map(options, value, reterr);
        return true;
    case FOREIGN_OPTION_BENCHMARK:
        options->request.benchmark = value;
        return true;
    case FOREIGN_OPTION_SEPARATOR:
        *ret_code = take_separator(options, value, reterr);
        return true;
    case FOREIGN_OPTION_SIDES:
        *ret_code = take_sides(options, value, reterr);
        return true;
    case FOREIGN_OPTION_UNIT:
        if (!formats_unit_from_name(value, &options->request.csv.unit.ns)) {
            *ret_code =
                error_set(reterr, DUET_E_USAGE,
                          "--unit %s: the units are ns, us, ms, s, min, h", value);
        }
        return true;
    case FOREIGN_OPTION_THROUGHPUT:
        options->request.csv.unit.throughput = true;
        return true;
    case FOREIGN_OPTION_PAIRED:
        *ret_code = take_schedule(options, "duet", reterr);
        return true;
    case FOREIGN_OPTION_SCHEDULE:
        *ret_code = take_schedule(options, value, reterr);
        return true;
    default:
        return false;
    }
}

void foreign_options_release(struct foreign_options *options)
{
    for (int role = 0; role < FORMATS_ROLES; role++) {
        free(options->columns[role]);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(options->sides[side]);
    }
    *options = (struct foreign_options){0};
}

const enum model_schedule *
foreign_options_schedule(const struct foreign_options *options)
{
    return options->schedule_given ? &options->schedule : NULL;
}
