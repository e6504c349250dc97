#include "cli/options/foreign_option.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum duet_code take_copy(char **into, const char *text, size_t length,
                                struct duet_error *reterr)
{
    char *copy = alloc_string_n(text, length);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    free(*into);
    *into = copy;
    return DUET_OK;
}

/* The word of this name; `count`: there is none. */
static unsigned word_called(const struct foreign_words *words, const char *name,
                            size_t length)
{
    unsigned word = words->first;
    while (word < words->count && (strlen(words->name_of(word)) != length ||
                                   strncmp(words->name_of(word), name, length) != 0)) {
        word++;
    }
    return word;
}

enum duet_code foreign_format_take(const struct foreign_words *formats,
                                   const char *value, unsigned *ret_kind,
                                   struct duet_error *reterr)
{
    if (strcmp(value, "jmh") == 0) { /* as it was once called */
        value = "json";
    }
    unsigned kind = word_called(formats, value, strlen(value));
    if (kind == formats->count) {
        return error_set(reterr, DUET_E_USAGE, "--format %s: the formats are %s", value,
                         formats->list);
    }
    *ret_kind = kind;
    return DUET_OK;
}

enum duet_code foreign_map_take(const struct foreign_words *roles, const char *value,
                                char **owned, const char **ret_columns,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (const char *at = value; *at != '\0' && code == DUET_OK;) {
        size_t length = strcspn(at, ",");
        size_t key = strcspn(at, "=");
        unsigned role = word_called(roles, at, key);
        if (role == roles->count || key + 1 >= length) {
            return error_set(reterr, DUET_E_USAGE,
                             "--map %s: write KEY=NAME; the keys are %s", value,
                             roles->list);
        }
        code = take_copy(&owned[role], at + key + 1, length - key - 1, reterr);
        ret_columns[role] = owned[role];
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return code;
}

enum duet_code foreign_separator_take(const char *value, char *ret_separator,
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
    *ret_separator = separator;
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

static const struct foreign_words formats = {
    formats_kind_name, FORMATS_KIND_AUTO, FORMATS_KINDS,
    "numbers, csv, hyperfine, json, go, tango"};
static const struct foreign_words roles = {
    formats_role_name, FORMATS_ROLE_VALUE, FORMATS_ROLES,
    "value, old, new, side, run, iteration, block, instance, benchmark"};

bool foreign_option_take(struct foreign_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr)
{
    const char **columns = options->request.csv.columns;
    unsigned kind = options->request.kind;
    *ret_code = DUET_OK;
    switch (id) {
    case FOREIGN_OPTION_FORMAT:
        *ret_code = foreign_format_take(&formats, value, &kind, reterr);
        options->request.kind = (enum formats_kind)kind;
        return true;
    case FOREIGN_OPTION_COLUMN:
        *ret_code = take_copy(&options->columns[FORMATS_ROLE_VALUE], value,
                              strlen(value), reterr);
        columns[FORMATS_ROLE_VALUE] = options->columns[FORMATS_ROLE_VALUE];
        return true;
    case FOREIGN_OPTION_MAP:
        *ret_code = foreign_map_take(&roles, value, options->columns, columns, reterr);
        return true;
    case FOREIGN_OPTION_BENCHMARK:
        options->request.benchmark = value;
        return true;
    case FOREIGN_OPTION_WHERE:
        *ret_code = formats_where_take(&options->request.csv.where, value, reterr);
        return true;
    case FOREIGN_OPTION_SEPARATOR:
        *ret_code =
            foreign_separator_take(value, &options->request.csv.separator, reterr);
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

bool foreign_option_take_files(struct foreign_options *options,
                               struct cli_options *parsed, int id,
                               enum duet_code *ret_code, struct duet_error *reterr)
{
    if (id != FOREIGN_OPTION_OLD && id != FOREIGN_OPTION_NEW) {
        return false;
    }
    int side = id == FOREIGN_OPTION_OLD ? MODEL_OLD : MODEL_NEW;
    for (const char *path = parsed->value; path != NULL;
         path = cli_options_more(parsed)) {
        char **paths = alloc_grow(options->paths[side], options->counts[side],
                                  &options->capacities[side], sizeof *paths);
        char *copy = paths != NULL ? alloc_string(path) : NULL;
        options->paths[side] = paths != NULL ? paths : options->paths[side];
        if (copy == NULL) {
            *ret_code = error_no_memory(reterr);
            return true;
        }
        paths[options->counts[side]++] = copy;
    }
    return true;
}

/* Which file is both on a side and twice. */
static const char *find_twice(const struct formats_request *request)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct formats_files *files = &request->sides[side];
        for (size_t i = 0; i < files->count; i++) {
            for (size_t k = 0; k < i; k++) {
                if (strcmp(files->paths[i], files->paths[k]) == 0) {
                    return files->paths[i];
                }
            }
        }
    }
    return NULL;
}

enum duet_code foreign_options_settle(struct foreign_options *options, char **operands,
                                      size_t count, struct duet_error *reterr)
{
    struct formats_files *sides = options->request.sides;
    const size_t *counts = options->counts;
    bool named = counts[MODEL_OLD] + counts[MODEL_NEW] > 0;
    if (named && count > 0) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' is neither of --old nor of --new: name all files behind one of them",
            operands[0]);
    }
    if (named && (counts[MODEL_OLD] == 0 || counts[MODEL_NEW] == 0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s is missing: name the files of both sides",
                         counts[MODEL_OLD] == 0 ? "old" : "new");
    }
    if (!named && count > 2) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' is one file too many; several of a side: --old FILE... --new FILE...",
            operands[2]);
    }
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        bool there = named || side < count;
        sides[side] = named ? (struct formats_files){options->paths[side], counts[side]}
                      : there ? (struct formats_files){operands + side, 1}
                              : (struct formats_files){NULL, 0};
    }
    const char *twice = find_twice(&options->request);
    return twice == NULL
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "'%s' is there twice on one side: its values would "
                           "count twice",
                           twice);
}

bool foreign_options_has_files(const struct foreign_options *options)
{
    return options->counts[MODEL_OLD] + options->counts[MODEL_NEW] > 0;
}

void foreign_warn(const struct formats_foreign *foreign)
{
    const struct formats_left_out *left_out = &foreign->left_out;
    if (left_out->count > 0) {
        cli_warn("%s", text_string(&left_out->lines));
    }
    if (left_out->count > FORMATS_LEFT_OUT_LINES) {
        cli_warn("%zu more were left out", left_out->count - FORMATS_LEFT_OUT_LINES);
    }
    if (foreign->counts.skipped > 0) {
        bool one = foreign->counts.skipped == 1;
        cli_warn("%" PRIu64
                 " row%s to neither side and %s left out; --sides names both",
                 foreign->counts.skipped, one ? " belongs" : "s belong",
                 one ? "was" : "were");
    }
    if (foreign->counts.missing > 0) {
        bool one = foreign->counts.missing == 1;
        cli_warn("%" PRIu64 " value%s missing (empty, NA) and %s not count; measure "
                 "%s again if %s",
                 foreign->counts.missing, one ? " is" : "s are", one ? "does" : "do",
                 one ? "it" : "them", one ? "it matters" : "they matter");
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (foreign->only[side].length > 0) {
            cli_warn("only %s has %s; only what both have is compared",
                     model_side_name((enum model_side)side),
                     text_string(&foreign->only[side]));
        }
    }
}

void foreign_options_release(struct foreign_options *options)
{
    for (int role = 0; role < FORMATS_ROLES; role++) {
        free(options->columns[role]);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        free(options->sides[side]);
        for (size_t i = 0; i < options->counts[side]; i++) {
            free(options->paths[side][i]);
        }
        free(options->paths[side]);
    }
    *options = (struct foreign_options){0};
}

const enum model_schedule *
foreign_options_schedule(const struct foreign_options *options)
{
    return options->schedule_given ? &options->schedule : NULL;
}
