#include "cli/dataset_option.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "cli/dataset_source.h"

#include <stdlib.h>
#include <string.h>

enum { RANK_COLUMNS = 8 };

struct dataset_options dataset_options_default(void)
{
    return (struct dataset_options){.outliers = 10};
}

void dataset_options_release(struct dataset_options *options)
{
    for (int role = 0; role < FORMATS_DATASET_ROLES; role++) {
        free(options->columns[role]);
        options->columns[role] = NULL;
    }
}

static enum duet_code take_format(struct dataset_options *options, const char *value,
                                  struct duet_error *reterr)
{
    for (int kind = FORMATS_DATASET_CSV; kind < FORMATS_DATASET_KINDS; kind++) {
        if (strcmp(value, formats_dataset_kind_name((enum formats_dataset_kind)kind)) ==
            0) {
            options->kind = (enum formats_dataset_kind)kind;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "--format %s: the formats are csv, jmh, go",
                     value);
}

static int role_called(const char *name, size_t length)
{
    int role = 0;
    while (role < FORMATS_DATASET_ROLES) {
        const char *known = formats_dataset_role_name((enum formats_dataset_role)role);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            break;
        }
        role++;
    }
    return role;
}

/* "KEY=NAME", or several with commas between them. */
static enum duet_code take_map(struct dataset_options *options, const char *value,
                               struct duet_error *reterr)
{
    for (const char *at = value; *at != '\0';) {
        size_t length = strcspn(at, ",");
        size_t key = strcspn(at, "=");
        int role = role_called(at, key);
        if (role == FORMATS_DATASET_ROLES || key + 1 >= length) {
            return error_set(reterr, DUET_E_USAGE,
                             "--map %s: write KEY=NAME; the keys are benchmark, "
                             "environment, instance, trial, value, old, new, count",
                             value);
        }
        char *copy = alloc_string_n(at + key + 1, length - key - 1);
        if (copy == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "out of memory");
        }
        free(options->columns[role]);
        options->columns[role] = copy;
        options->csv.columns[role] = copy;
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return DUET_OK;
}

static enum duet_code take_where(struct dataset_options *options, const char *value,
                                 struct duet_error *reterr)
{
    if (strchr(value, '=') == NULL || value[0] == '=') {
        return error_set(reterr, DUET_E_USAGE, "--where %s: write COLUMN=VALUE", value);
    }
    if (options->csv.where_count == FORMATS_DATASET_WHERE_MAX) {
        return error_set(reterr, DUET_E_USAGE, "--where: at most %d of them",
                         FORMATS_DATASET_WHERE_MAX);
    }
    options->csv.where[options->csv.where_count++] = value;
    return DUET_OK;
}

static enum duet_code take_separator(struct dataset_options *options, const char *value,
                                     struct duet_error *reterr)
{
    if (strcmp(value, "tab") == 0) {
        options->csv.separator = '\t';
    } else if (strcmp(value, ",") == 0 || strcmp(value, ";") == 0) {
        options->csv.separator = value[0];
    } else {
        return error_set(reterr, DUET_E_USAGE,
                         "--separator '%s': the separators are ',', ';' and 'tab'",
                         value);
    }
    return DUET_OK;
}

static enum duet_code take_outliers(struct dataset_options *options, const char *value,
                                    struct duet_error *reterr)
{
    if (strcmp(value, "none") == 0) {
        options->outliers = 0;
        return DUET_OK;
    }
    double multiple = 0;
    enum duet_code code = parse_number(value, "--outliers", &multiple, reterr);
    if (code == DUET_OK && !(multiple > 1)) {
        code = error_set(reterr, DUET_E_USAGE,
                         "--outliers %s: a number above 1, or 'none'", value);
    }
    if (code == DUET_OK) {
        options->outliers = multiple;
    }
    return code;
}

static enum duet_code take_first(struct dataset_options *options, const char *value,
                                 struct duet_error *reterr)
{
    static const char *const levels[] = {"instances=", "trials=", "iterations="};
    size_t *const limits[] = {&options->limits.instances, &options->limits.trials,
                              &options->limits.iterations};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        size_t length = strlen(levels[i]);
        if (strncmp(value, levels[i], length) == 0) {
            uint64_t limit = 0;
            enum duet_code code =
                parse_whole(value + length, "--first", 1, UINT32_MAX, &limit, reterr);
            *limits[i] = (size_t)limit;
            return code;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--first %s: write instances=N, trials=N or iterations=N", value);
}

static bool is_word(const char *word, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(known, word, length) == 0;
}

static enum duet_code take_rank(struct dataset_options *options, const char *value,
                                struct duet_error *reterr)
{
    for (const char *at = value; *at != '\0';) {
        size_t length = strcspn(at, ",");
        unsigned found = is_word(at, length, "all") ? (1U << STUDY_RANKS) - 1U : 0;
        for (int rank = 0; rank < STUDY_RANKS; rank++) {
            if (is_word(at, length, study_rank_name((enum study_rank)rank))) {
                found |= 1U << (unsigned)rank;
            }
        }
        if (found == 0) {
            return error_set(reterr, DUET_E_USAGE,
                             "--rank %s: there is stable, q1, median, q3, least, all",
                             value);
        }
        options->ranks |= found;
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return options->ranks != 0
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE, "--rank: none is given");
}

bool dataset_option_take(struct dataset_options *options, int id, const char *value,
                         enum duet_code *ret_code, struct duet_error *reterr)
{
    *ret_code = DUET_OK;
    switch (id) {
    case DATASET_OPTION_FORMAT:
        *ret_code = take_format(options, value, reterr);
        return true;
    case DATASET_OPTION_MAP:
        *ret_code = take_map(options, value, reterr);
        return true;
    case DATASET_OPTION_WHERE:
        *ret_code = take_where(options, value, reterr);
        return true;
    case DATASET_OPTION_SEPARATOR:
        *ret_code = take_separator(options, value, reterr);
        return true;
    case DATASET_OPTION_THROUGHPUT:
        options->csv.throughput = true;
        return true;
    case DATASET_OPTION_OUTLIERS:
        *ret_code = take_outliers(options, value, reterr);
        return true;
    case DATASET_OPTION_RANK:
        *ret_code = take_rank(options, value, reterr);
        return true;
    case SHARED_OPTION_STORE:
        options->store = value;
        return true;
    case DATASET_OPTION_FIRST:
        *ret_code = take_first(options, value, reterr);
        return true;
    default:
        return false;
    }
}

enum duet_code dataset_read(const struct dataset_options *options, char *const *words,
                            int count, struct model_dataset *ret_dataset,
                            struct formats_dataset_counts *ret_counts,
                            struct duet_error *reterr)
{
    struct dataset_sources sources = {.stores = NULL};
    bool old = options->csv.columns[FORMATS_DATASET_OLD] != NULL;
    if (old != (options->csv.columns[FORMATS_DATASET_NEW] != NULL)) {
        return error_set(reterr, DUET_E_USAGE, "--map: pairs need both old= and new=");
    }
    enum duet_code code =
        dataset_sources_find(options->store, words, (size_t)count, &sources, reterr);
    if (code == DUET_OK) {
        code = dataset_sources_read(&sources, options->kind, &options->csv, ret_dataset,
                                    ret_counts, reterr);
    }
    dataset_sources_release(&sources);
    return code;
}

static enum duet_code clean(const struct dataset_options *options,
                            struct dataset_loaded *loaded, struct duet_error *reterr)
{
    enum duet_code code = study_keep_first(&loaded->dataset, &options->limits, reterr);
    if (code != DUET_OK) {
        return code;
    }
    loaded->cleaned =
        alloc_array(loaded->dataset.configuration_count, sizeof *loaded->cleaned);
    if (loaded->cleaned == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    if (options->outliers > 0) {
        return study_clean(&loaded->dataset, options->outliers, loaded->cleaned,
                           reterr);
    }
    study_clean_none(&loaded->dataset, loaded->cleaned);
    return DUET_OK;
}

static void describe_rank(struct text *text, const struct dataset_loaded *loaded,
                          enum study_rank rank, const struct study_ranked *ranked,
                          size_t of)
{
    if (text->length == 0) {
        text_append_format(text, "Selected by variability (CV), of %zu benchmarks:\n",
                           of);
    }
    text_append_format(text, "  %-*s%8.2f %%  %s\n", RANK_COLUMNS,
                       study_rank_name(rank), 100.0 * ranked->cv,
                       loaded->dataset.benchmarks[ranked->benchmark]);
}

/* The cleaning's counts follow their configurations. */
static void keep_counts(struct dataset_loaded *loaded, const bool *keeps)
{
    size_t kept = 0;
    for (size_t c = 0; c < loaded->dataset.configuration_count; c++) {
        if (keeps[loaded->dataset.configurations[c].benchmark]) {
            loaded->cleaned[kept++] = loaded->cleaned[c];
        }
    }
}

static enum duet_code keep_ranks(unsigned ranks, struct dataset_loaded *loaded,
                                 struct duet_error *reterr)
{
    struct study_ranked ranked[STUDY_RANKS];
    struct text text = {0};
    size_t of = 0;
    enum duet_code code = study_rank_benchmarks(&loaded->dataset, ranked, &of, reterr);
    bool *keeps = alloc_array(loaded->dataset.benchmark_count, sizeof *keeps);
    if (code == DUET_OK && keeps == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    for (int r = 0; r < STUDY_RANKS && code == DUET_OK; r++) {
        if ((ranks >> (unsigned)r & 1U) != 0) {
            keeps[ranked[r].benchmark] = true;
            describe_rank(&text, loaded, (enum study_rank)r, &ranked[r], of);
        }
    }
    if (code == DUET_OK) {
        keep_counts(loaded, keeps);
        model_dataset_keep_benchmarks(&loaded->dataset, keeps);
        loaded->ranked = alloc_string(text_string(&text));
        if (loaded->ranked == NULL) {
            code = error_set(reterr, DUET_E_NOMEM, "out of memory");
        }
    }
    free(keeps);
    text_release(&text);
    return code;
}

enum duet_code dataset_load(const struct dataset_options *options, char *const *words,
                            int count, struct dataset_loaded *ret_loaded,
                            struct duet_error *reterr)
{
    struct dataset_loaded loaded = {.cleaned = NULL};
    enum duet_code code =
        dataset_read(options, words, count, &loaded.dataset, &loaded.counts, reterr);
    if (code == DUET_OK) {
        code = clean(options, &loaded, reterr);
    }
    if (code == DUET_OK && options->ranks != 0) {
        code = keep_ranks(options->ranks, &loaded, reterr);
    }
    if (code == DUET_OK) {
        *ret_loaded = loaded;
    } else {
        dataset_loaded_release(&loaded);
    }
    return code;
}

void dataset_loaded_release(struct dataset_loaded *loaded)
{
    model_dataset_release(&loaded->dataset);
    free(loaded->cleaned);
    free(loaded->ranked);
    loaded->cleaned = NULL;
    loaded->ranked = NULL;
}
