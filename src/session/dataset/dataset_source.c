#include "session/dataset/dataset_source.h"

#include "base/alloc.h"
#include "base/text.h"
#include "session/comparison/answer.h"
#include "session/comparison/answer_source.h"
#include "session/storage.h"
#include "store/postgresql/remote_url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENVIRONMENT_BYTES = sizeof(((struct dataset_source *)0)->environment) };

static const char newest_run_mark[] = "suite:";
static const char all_runs_mark[] = "suites:";

/* ---- Finding ---- */

/* A new, empty one at the end; NULL when memory is short. */
static struct dataset_source *append(struct dataset_sources *sources)
{
    struct dataset_source *longer =
        alloc_resize(sources->list, sources->count + 1, sizeof *longer);
    if (longer == NULL) {
        return NULL;
    }
    sources->list = longer;
    struct dataset_source *source = &longer[sources->count++];
    *source = (struct dataset_source){.path = NULL};
    return source;
}

static bool is_file(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

/* The store at path[0 .. length), or the one of `option` (length 0), opened once. */
static enum duet_code find_store(struct dataset_sources *sources, const char *option,
                                 const char *path, size_t length, size_t *ret_store,
                                 struct duet_error *reterr)
{
    for (size_t i = 0; i < sources->store_count; i++) {
        const char *own = sources->stores[i].path;
        if (own == NULL ? length == 0
                        : strlen(own) == length && memcmp(own, path, length) == 0) {
            *ret_store = i;
            return DUET_OK;
        }
    }
    struct dataset_store *longer =
        alloc_resize(sources->stores, sources->store_count + 1, sizeof *longer);
    if (longer == NULL) {
        return error_no_memory(reterr);
    }
    sources->stores = longer;
    struct dataset_store opened = {.path = NULL};
    if (length > 0) {
        opened.path = alloc_string_n(path, length);
        if (opened.path == NULL) {
            return error_no_memory(reterr);
        }
    }
    enum duet_code code =
        storage_open(length > 0 ? opened.path : option, false, &opened.store, reterr);
    if (code != DUET_OK) {
        free(opened.path);
        return code;
    }
    *ret_store = sources->store_count;
    longer[sources->store_count++] = opened;
    return DUET_OK;
}

static enum duet_code add_stored(struct dataset_sources *sources, size_t store,
                                 const char *what, const char *environment,
                                 struct duet_error *reterr)
{
    struct store_experiment experiment;
    enum duet_code code =
        store_experiment_find(sources->stores[store].store, what, &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct dataset_source *source = append(sources);
    if (source == NULL) {
        store_experiment_release(&experiment);
        return error_no_memory(reterr);
    }
    source->store = store;
    source->experiment = experiment;
    (void)snprintf(source->environment, sizeof source->environment, "%s", environment);
    return DUET_OK;
}

static enum duet_code add_suite(struct dataset_sources *sources, size_t store,
                                const char *name, bool all_runs,
                                const char *environment, struct duet_error *reterr)
{
    int64_t *list = NULL;
    size_t count = 0;
    enum duet_code code = store_suite_experiments(sources->stores[store].store, name,
                                                  all_runs, &list, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%lld", (long long)list[i]);
        code = add_stored(sources, store, number, environment, reterr);
    }
    free(list);
    return code;
}

static bool begins_with(const char *text, const char *mark)
{
    return strncmp(text, mark, strlen(mark)) == 0;
}

/* Of "STORE:WHAT" the length of STORE, a file; 0: there is none. */
static size_t store_length(const char *word)
{
    const char *colon = strchr(word, ':');
    size_t length = 0;
    while (colon != NULL && length == 0) {
        char *path = alloc_string_n(word, (size_t)(colon - word));
        if (path != NULL && *path != '\0' && access(path, F_OK) == 0) {
            length = (size_t)(colon - word);
        }
        free(path);
        colon = strchr(colon + 1, ':');
    }
    return length;
}

/* No file is called so. */
static enum duet_code find_stored(struct dataset_sources *sources, const char *option,
                                  const char *what, const char *environment,
                                  struct duet_error *reterr)
{
    struct duet_error error = {0};
    bool is_suite =
        begins_with(what, newest_run_mark) || begins_with(what, all_runs_mark);
    size_t length = is_suite ? 0 : store_length(what);
    size_t store = 0;
    enum duet_code code = find_store(sources, option, what, length, &store, &error);
    what += length > 0 ? length + 1 : 0;
    bool all_runs = begins_with(what, all_runs_mark);
    if (code == DUET_OK && (all_runs || begins_with(what, newest_run_mark))) {
        code = add_suite(sources, store, strchr(what, ':') + 1, all_runs, environment,
                         &error);
    } else if (code == DUET_OK) {
        code = add_stored(sources, store, what, environment, &error);
    }
    if (code == DUET_E_NOT_FOUND && length == 0) {
        return error_set(reterr, code, "no file '%s', and %s", what, error.message);
    }
    return code == DUET_OK ? code : error_set(reterr, code, "%s", error.message);
}

/* "ENVIRONMENT=WHAT", unless a file is called so. */
const char *dataset_word_path(const char *word)
{
    size_t length = strcspn(word, "=");
    bool given = word[length] == '=' && length > 0 && length < ENVIRONMENT_BYTES &&
                 memchr(word, '/', length) == NULL && !is_file(word);
    return given ? word + length + 1 : word;
}

/* Only files are looked into: of a pipe the beginning would be lost. */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof magic] = "";
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = regular ? fopen(path, "rb") : NULL;
    if (file != NULL) {
        if (fread(begin, 1, sizeof begin, file) != sizeof begin) {
            begin[0] = '\0';
        }
        (void)fclose(file);
    }
    return memcmp(begin, magic, sizeof magic) == 0;
}

static enum duet_code find_word(struct dataset_sources *sources, const char *option,
                                const char *word, struct duet_error *reterr)
{
    char environment[ENVIRONMENT_BYTES] = "-";
    const char *what = dataset_word_path(word);
    if (what != word) {
        (void)snprintf(environment, sizeof environment, "%.*s", (int)(what - word) - 1,
                       word);
    }
    if (remote_is_url(what)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "a store in PostgreSQL is named with --store, and here only what is in it: --store URL WHAT");
    }
    if (!is_file(what)) {
        return find_stored(sources, option, what, environment, reterr);
    }
    if (is_database(what)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' is a store: write %s:WHAT ('duet list --store %s' shows what there is)",
            what, what, what);
    }
    struct dataset_source *source = append(sources);
    if (source == NULL) {
        return error_no_memory(reterr);
    }
    source->path = what;
    memcpy(source->environment, environment, sizeof environment);
    return DUET_OK;
}

enum duet_code dataset_sources_find(const char *option, char *const *words,
                                    size_t count, struct dataset_sources *ret_sources,
                                    struct duet_error *reterr)
{
    struct dataset_sources sources = {.stores = NULL};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = find_word(&sources, option, words[i], reterr);
    }
    if (code == DUET_OK) {
        *ret_sources = sources;
    } else {
        dataset_sources_release(&sources);
    }
    return code;
}

void dataset_sources_release(struct dataset_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        store_experiment_release(&sources->list[i].experiment);
    }
    free(sources->list);
    for (size_t i = 0; i < sources->store_count; i++) {
        store_close(sources->stores[i].store);
        free(sources->stores[i].path);
    }
    free(sources->stores);
    *sources = (struct dataset_sources){.stores = NULL};
}

/* ---- Experiments that were measured ---- */

struct measured {
    const struct dataset_source *source;
    struct model_dataset_builder *builder;
    struct formats_dataset_counts *counts;
};

/* Times below the clock's resolution are none. */
static size_t keep_times(struct model_run_values *values, bool paired,
                         enum model_side side)
{
    size_t kept = 0;
    double *of = values->values[side];
    for (size_t i = 0; i < values->counts[side]; i++) {
        if (of[i] > 0 && (!paired || values->values[MODEL_OLD][i] > 0)) {
            of[kept] = of[i];
            if (paired) {
                values->values[MODEL_OLD][kept] = values->values[MODEL_OLD][i];
            }
            kept++;
        }
    }
    return kept;
}

static enum duet_code add_side(const struct measured *measured, const char *instance,
                               const char *trial, struct model_run_values *values,
                               enum model_side side, struct duet_error *reterr)
{
    const struct store_experiment *experiment = &measured->source->experiment;
    const char *environment = measured->source->environment;
    bool paired = model_dataset_builder_is_paired(measured->builder);
    size_t kept = keep_times(values, paired, side);
    struct text name = {0};
    text_append_format(&name, "%s%s%s", experiment->name, paired ? "" : ":",
                       paired ? "" : model_side_name(side));
    const struct model_name names[MODEL_LEVELS] = {
        [MODEL_LEVEL_BENCHMARK] = {text_string(&name), name.length},
        [MODEL_LEVEL_ENVIRONMENT] = {environment, strlen(environment)},
        [MODEL_LEVEL_INSTANCE] = {instance, strlen(instance)},
        [MODEL_LEVEL_TRIAL] = {trial, strlen(trial)}};
    enum duet_code code = text_failed(&name) ? error_no_memory(reterr) : DUET_OK;
    measured->counts->missing += values->counts[side] - kept;
    if (code == DUET_OK && kept > 0) {
        code = model_dataset_builder_add_trial(measured->builder, names,
                                               values->values[side],
                                               values->values[MODEL_OLD], kept, reterr);
    }
    text_release(&name);
    return code;
}

static enum duet_code add_run(void *context, struct store_run_reader *reader,
                              const struct model_run *run, struct duet_error *reterr)
{
    const struct measured *measured = context;
    const struct store_experiment *experiment = &measured->source->experiment;
    struct model_run_values values = {0};
    char instance[64];
    char trial[64];
    (void)snprintf(trial, sizeof trial, "%zu:%lld:%llu", measured->source->store,
                   (long long)experiment->id, (unsigned long long)run->index);
    enum duet_code code =
        store_runs_instance(reader, instance, sizeof instance, reterr);
    if (code == DUET_OK) {
        code = store_runs_values(reader, answer_metric(experiment->schedule),
                                 answer_drop(experiment), &values, reterr);
    }
    if (code == DUET_OK) {
        code = add_side(measured, instance, trial, &values, MODEL_NEW, reterr);
    }
    if (code == DUET_OK && !model_dataset_builder_is_paired(measured->builder)) {
        code = add_side(measured, instance, trial, &values, MODEL_OLD, reterr);
    }
    model_run_values_release(&values);
    return code;
}

/* ---- Reading ---- */

static bool is_measured(const struct dataset_source *source)
{
    return source->path == NULL && source->experiment.dataset.trials == 0;
}

static bool has_pairs(const struct dataset_source *source, bool files_paired)
{
    if (source->path != NULL) {
        return files_paired;
    }
    return is_measured(source) ? model_schedule_is_paired(source->experiment.schedule)
                               : source->experiment.dataset.paired;
}

static enum duet_code read_source(const struct dataset_sources *sources,
                                  const struct dataset_source *source,
                                  enum formats_dataset_kind kind,
                                  const struct formats_dataset_options *options,
                                  struct model_dataset_builder *builder,
                                  struct formats_dataset_counts *counts,
                                  struct duet_error *reterr)
{
    struct measured measured = {.source = source, .builder = builder, .counts = counts};
    if (source->path != NULL) {
        return formats_dataset_read(source->path, source->environment, kind, options,
                                    builder, counts, reterr);
    }
    struct store *store = sources->stores[source->store].store;
    if (is_measured(source)) {
        return store_runs_each(store, source->experiment.id, add_run, &measured,
                               reterr);
    }
    counts->rows += source->experiment.dataset.rows_read;
    counts->filtered += source->experiment.dataset.rows_filtered;
    counts->missing += source->experiment.dataset.values_missing;
    return store_dataset_load(store, source->experiment.id, source->environment,
                              builder, reterr);
}

/* *ret_paired: whether all have pairs. A measured experiment is the only one whose
 * pairs can be taken apart. */
static enum duet_code agree(const struct dataset_sources *sources, bool files_paired,
                            bool *ret_paired, struct duet_error *reterr)
{
    bool all = true;
    bool fixed = false;
    for (size_t i = 0; i < sources->count; i++) {
        bool paired = has_pairs(&sources->list[i], files_paired);
        all = all && paired;
        fixed = fixed || (paired && !is_measured(&sources->list[i]));
    }
    if (fixed && !all) {
        return error_set(
            reterr, DUET_E_USAGE,
            "some of the data has pairs, and some has not: study them one after the other");
    }
    *ret_paired = all;
    return DUET_OK;
}

/* Known where all was measured by experiments: files do not say when theirs was. */
static void find_days(const struct dataset_sources *sources,
                      struct model_dataset *dataset)
{
    int64_t first = INT64_MAX;
    int64_t last = 0;
    for (size_t i = 0; i < sources->count; i++) {
        const struct store_experiment *experiment = &sources->list[i].experiment;
        if (!is_measured(&sources->list[i]) || experiment->host.host_name[0] == '\0') {
            return;
        }
        int64_t own = experiment->started_utc_ms;
        first = own < first ? own : first;
        last = own > last ? own : last;
    }
    dataset->first_utc_ms = first;
    dataset->last_utc_ms = last;
}

enum duet_code dataset_sources_read(struct dataset_sources *sources,
                                    enum formats_dataset_kind kind,
                                    const struct formats_dataset_options *options,
                                    struct model_dataset *ret_dataset,
                                    struct formats_dataset_counts *ret_counts,
                                    struct duet_error *reterr)
{
    struct model_dataset_builder *builder = NULL;
    struct formats_dataset_counts counts = {0};
    bool paired = false;
    enum duet_code code =
        agree(sources, formats_dataset_is_paired(options), &paired, reterr);
    if (code == DUET_OK) {
        code = model_dataset_builder_new(paired, &builder, reterr);
    }
    for (size_t i = 0; i < sources->count && code == DUET_OK; i++) {
        code = read_source(sources, &sources->list[i], kind, options, builder, &counts,
                           reterr);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, ret_dataset, reterr);
        if (code == DUET_OK) {
            find_days(sources, ret_dataset);
        }
        if (code == DUET_E_TOO_FEW && counts.rows > 0 &&
            counts.filtered == counts.rows) {
            code = error_set(reterr, DUET_E_TOO_FEW,
                             "--where left out all %" PRIu64
                             " rows (of several, each must hold)",
                             counts.rows);
        }
    }
    if (code == DUET_OK) {
        *ret_counts = counts;
    }
    model_dataset_builder_free(builder);
    return code;
}
