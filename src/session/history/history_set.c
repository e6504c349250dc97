#include "session/history/history_set.h"

#include "base/alloc.h"
#include "session/git/git_history.h"
#include "session/history/equal_commits.h"
#include "session/history/history_name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_LENGTH = 7 };

/* A p value is no less than 1 in as many orders as were drawn, with the measured one.
 */
enum duet_code history_request_check(const struct history_request *request,
                                     struct duet_error *reterr)
{
    const struct analysis_history_options *options = &request->options;
    return options->error * ((double)options->replicates + 1) >= 1
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "--error %g takes more random orders: --replicates %.0f",
                           options->error, ceil(10 / options->error) - 1);
}

void history_set_release(struct history_set *set)
{
    for (size_t i = 0; i < set->benchmark_count; i++) {
        free(set->benchmarks[i].name);
        free(set->benchmarks[i].last);
        analysis_history_release(&set->benchmarks[i].answer);
    }
    free(set->commits);
    free(set->benchmarks);
    store_links_release(set->links, set->link_count);
    *set = (struct history_set){0};
}

/* ---- Which comparisons ---- */

static enum duet_code nothing(const struct store *store,
                              const struct history_request *request,
                              const struct history_set *set, struct duet_error *reterr)
{
    if (set->link_count > 0 && request->benchmark != NULL && set->changed == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "no benchmark of '%s' matches '%s'; 'duet history' lists them",
                         store_path(store), request->benchmark);
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "'%s' has no comparison of two commits%s: measure some with duet git BASE HEAD",
        store_path(store),
        set->changed > 0 ? " (those of uncommitted changes are left out)" : "");
}

/* The wanted ones become the first of set->links, in order. */
static enum duet_code choose(const struct store *store,
                             const struct history_request *request,
                             struct history_set *set, struct duet_error *reterr)
{
    bool exact = false;
    for (size_t i = 0; i < set->link_count && request->benchmark != NULL; i++) {
        exact = exact || strcmp(set->links[i].benchmark, request->benchmark) == 0;
    }
    for (size_t i = 0; i < set->link_count; i++) {
        struct store_link link = set->links[i];
        const struct model_revision *sides = link.sides;
        bool wanted = history_name_chosen(request->benchmark, exact, link.benchmark);
        bool changed = sides[MODEL_OLD].changed || sides[MODEL_NEW].changed;
        set->changed += wanted && changed;
        if (wanted && !changed &&
            strcmp(sides[MODEL_OLD].commit, sides[MODEL_NEW].commit) != 0) {
            set->links[i] = set->links[set->used];
            set->links[set->used++] = link;
        }
    }
    return set->used > 0 ? DUET_OK : nothing(store, request, set, reterr);
}

/* ---- Their commits ---- */

static int compare_hashes(const void *a, const void *b)
{
    const struct history_commit *first = a;
    const struct history_commit *second = b;
    return strcmp(first->hash, second->hash);
}

/* Both commits of each comparison, each once, by hash. */
static enum duet_code collect_commits(struct history_set *set,
                                      struct duet_error *reterr)
{
    struct history_commit *commits =
        alloc_array(MODEL_SIDES * set->used, sizeof *commits);
    if (commits == NULL) {
        return error_no_memory(reterr);
    }
    set->commits = commits;
    for (size_t i = 0; i < MODEL_SIDES * set->used; i++) {
        const struct model_revision *side = &set->links[i / 2].sides[i % 2];
        memcpy(commits[i].hash, side->commit, sizeof commits[i].hash);
        commits[i].subject = side->subject;
        commits[i].committed_utc_ms = side->committed_utc_ms;
    }
    qsort(commits, MODEL_SIDES * set->used, sizeof *commits, compare_hashes);
    size_t kept = 0;
    for (size_t i = 0; i < MODEL_SIDES * set->used; i++) {
        if (kept == 0 || strcmp(commits[kept - 1].hash, commits[i].hash) != 0) {
            commits[kept++] = commits[i];
        }
    }
    set->count = kept;
    for (size_t i = 0; i < kept; i++) {
        commits[i].line = SIZE_MAX;
        (void)snprintf(commits[i].label, sizeof commits[i].label, "%.*s", LABEL_LENGTH,
                       commits[i].hash);
    }
    return DUET_OK;
}

static struct history_commit *find_commit(const struct history_set *set,
                                          const char *hash)
{
    struct history_commit wanted = {.line = SIZE_MAX};
    (void)snprintf(wanted.hash, sizeof wanted.hash, "%s", hash);
    return bsearch(&wanted, set->commits, set->count, sizeof wanted, compare_hashes);
}

/* Their lines on the branch (NULL: HEAD, of which a new repository has none), in a set
 * that is in order of hashes. */
static enum duet_code find_lines(const struct git_repo *repo, const char *branch,
                                 struct history_set *set, struct duet_error *reterr)
{
    struct git_history line = {0};
    struct duet_error error = {0};
    enum duet_code code =
        git_history_whole(repo, branch != NULL ? branch : "HEAD", &line, &error);
    if (code == DUET_E_USAGE && branch == NULL) {
        return DUET_OK;
    }
    set->shallow = repo->shallow;
    for (size_t i = 0; i < line.count; i++) {
        const struct git_revision *revision = &line.commits[i].revision;
        struct history_commit *commit = find_commit(set, revision->commit);
        if (commit != NULL) {
            commit->line = i;
            (void)snprintf(commit->label, sizeof commit->label, "%s", revision->label);
            set->by_branch = true;
        }
    }
    git_history_release(&line);
    return code == DUET_OK ? code : error_set(reterr, code, "%s", error.message);
}

/* Those of the branch first. Where none is, all have the same line. */
static int compare_order(const void *a, const void *b)
{
    const struct history_commit *first = a;
    const struct history_commit *second = b;
    if (first->line != second->line) {
        return first->line < second->line ? -1 : 1;
    }
    if (first->committed_utc_ms != second->committed_utc_ms) {
        return first->committed_utc_ms < second->committed_utc_ms ? -1 : 1;
    }
    return compare_hashes(a, b);
}

static void order_commits(struct history_set *set)
{
    qsort(set->commits, set->count, sizeof *set->commits, compare_order);
    set->shown = set->by_branch ? 0 : set->count;
    while (set->shown < set->count && set->commits[set->shown].line != SIZE_MAX) {
        set->shown++;
    }
    if (set->shown > ANALYSIS_HISTORY_MOST) {
        set->dropped = set->shown - ANALYSIS_HISTORY_MOST;
    }
}

/* ---- Answers ---- */

struct numbered {
    const char *hash;
    size_t at;
};

static int compare_numbered(const void *a, const void *b)
{
    return strcmp(((const struct numbered *)a)->hash,
                  ((const struct numbered *)b)->hash);
}

static size_t number_of(const struct numbered *numbers, size_t count, const char *hash)
{
    const struct numbered wanted = {.hash = hash};
    const struct numbered *found =
        bsearch(&wanted, numbers, count, sizeof wanted, compare_numbered);
    return found != NULL ? found->at : SIZE_MAX;
}

/* What git knows, else what a hash begins with. */
static enum duet_code find_reference(const struct history_set *set,
                                     const struct git_repo *repo,
                                     const struct history_request *request,
                                     size_t *ret_at, struct duet_error *reterr)
{
    struct git_revision revision = {0};
    const char *hash = request->reference;
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    *ret_at = SIZE_MAX;
    if (hash == NULL) {
        return DUET_OK;
    }
    if (repo != NULL) {
        code = git_revision_find(repo, hash, &revision, &error);
        hash = code == DUET_OK ? revision.commit : hash; /* else of another one */
    }
    size_t length = strlen(hash);
    size_t matches = 0;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < set->count && length > 0; i++) {
        if (strncmp(set->commits[i].hash, hash, length) == 0) {
            matches++;
            at = i;
        }
    }
    git_revision_release(&revision);
    if (matches == 1) {
        *ret_at = at;
        return DUET_OK;
    }
    if (matches > 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "--reference %s: %zu commits begin so: write more of it",
                         request->reference, matches);
    }
    return code != DUET_OK
               ? error_set(reterr, code, "%s", error.message)
               : error_set(reterr, DUET_E_USAGE,
                           "--reference %s: no stored comparison has this commit",
                           request->reference);
}

struct answering {
    struct history_set *set;
    struct analysis_history_options options;
    const struct numbered *numbers;
    struct analysis_link *links;
    bool *on_line;
    struct equal_commits *equal;
};

static size_t number_of_side(const struct answering *answering,
                             const struct store_link *link, enum model_side side)
{
    return number_of(answering->numbers, answering->set->count,
                     link->sides[side].commit);
}

/* Which commits of a benchmark are one: of the links from `first` to `end`. */
static void group(const struct answering *answering, size_t first, size_t end)
{
    struct equal_commits *equal = answering->equal;
    const struct store_link *links = answering->set->links;
    equal_commits_begin(equal);
    for (size_t i = first; i < end; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            equal->measured[number_of_side(answering, &links[i],
                                           (enum model_side)side)] = true;
        }
    }
    for (size_t i = first; i < end; i++) {
        if (links[i].verdict == MODEL_VERDICT_IDENTICAL) {
            equal_commits_join(equal, number_of_side(answering, &links[i], MODEL_OLD),
                               number_of_side(answering, &links[i], MODEL_NEW));
        }
    }
}

static enum duet_code keep_group(const struct answering *answering,
                                 struct history_benchmark *benchmark,
                                 struct duet_error *reterr)
{
    const struct equal_commits *equal = answering->equal;
    for (size_t i = 0; i < equal->count; i++) {
        benchmark->equal += equal->on_line[i] && equal->first[i] != i;
    }
    if (benchmark->equal == 0) {
        return DUET_OK;
    }
    benchmark->last = alloc_array(equal->count, sizeof *benchmark->last);
    if (benchmark->last == NULL) {
        return error_no_memory(reterr);
    }
    memcpy(benchmark->last, equal->last, equal->count * sizeof *benchmark->last);
    return DUET_OK;
}

/* Equal programs are no slower, and nothing of that is uncertain. */
static struct analysis_link link_of(const struct store_link *link, size_t from,
                                    size_t to)
{
    static const double usual_confidence = 0.99;
    return link->verdict == MODEL_VERDICT_IDENTICAL
               ? (struct analysis_link){.from = from,
                                        .to = to,
                                        .ratio = 1.0,
                                        .low = 1.0,
                                        .high = 1.0,
                                        .confidence = usual_confidence}
               : (struct analysis_link){.from = from,
                                        .to = to,
                                        .ratio = link->ratio,
                                        .low = link->low,
                                        .high = link->high,
                                        .confidence = link->confidence};
}

/* The next benchmark has the comparisons from `first` on, which are in order of names.
 * Returns the first of the one behind it. */
static enum duet_code answer_one(const struct answering *answering, size_t *first,
                                 struct duet_error *reterr)
{
    struct history_set *set = answering->set;
    struct history_benchmark *benchmark = &set->benchmarks[set->benchmark_count++];
    const char *name = set->links[*first].benchmark;
    size_t count = 0;
    benchmark->name = alloc_string(name);
    if (benchmark->name == NULL) {
        return error_no_memory(reterr);
    }
    size_t end = *first;
    while (end < set->used && strcmp(set->links[end].benchmark, name) == 0) {
        end++;
    }
    benchmark->named = set->links[end - 1].named; /* as it was measured last */
    benchmark->region = set->links[end - 1].region;
    benchmark->suite = set->links[end - 1].suite;
    group(answering, *first, end);
    for (; *first < end; ++*first) {
        const struct store_link *link = &set->links[*first];
        size_t from = equal_commits_first(answering->equal,
                                          number_of_side(answering, link, MODEL_OLD));
        size_t to = equal_commits_first(answering->equal,
                                        number_of_side(answering, link, MODEL_NEW));
        if (from != to) {
            answering->links[count] = link_of(link, from, to);
            benchmark->open += !analysis_link_usable(&answering->links[count++]);
        }
    }
    struct analysis_history_options options = answering->options;
    if (options.reference != SIZE_MAX) {
        options.reference = equal_commits_first(answering->equal, options.reference);
    }
    enum duet_code code = keep_group(answering, benchmark, reterr);
    if (code == DUET_OK) {
        code = analysis_history_make(answering->links, count, answering->on_line,
                                     set->count, &options, &benchmark->answer, reterr);
    }
    benchmark->comparisons = count - benchmark->open - benchmark->answer.vague_count;
    return code;
}

static int compare_links(const void *a, const void *b)
{
    const struct store_link *first = a;
    const struct store_link *second = b;
    int names = strcmp(first->benchmark, second->benchmark);
    return names != 0 ? names
                      : (first->experiment > second->experiment) -
                            (first->experiment < second->experiment);
}

static enum duet_code answer_all(struct history_set *set,
                                 const struct analysis_history_options *options,
                                 struct duet_error *reterr)
{
    struct numbered *numbers = alloc_array(set->count, sizeof *numbers);
    struct equal_commits equal = {.count = 0};
    struct answering answering = {
        .set = set,
        .options = *options,
        .numbers = numbers,
        .links = alloc_array(set->used, sizeof *answering.links),
        .on_line = alloc_array(set->count, sizeof *answering.on_line),
        .equal = &equal};
    set->benchmarks = alloc_array(set->used, sizeof *set->benchmarks);
    enum duet_code code = DUET_OK;
    if (numbers == NULL || answering.links == NULL || answering.on_line == NULL ||
        set->benchmarks == NULL) {
        code = error_no_memory(reterr);
    } else {
        for (size_t i = 0; i < set->count; i++) {
            numbers[i] = (struct numbered){.hash = set->commits[i].hash, .at = i};
            answering.on_line[i] = i >= set->dropped && i < set->shown;
        }
        qsort(numbers, set->count, sizeof *numbers, compare_numbered);
        qsort(set->links, set->used, sizeof *set->links, compare_links);
        code = equal_commits_new(answering.on_line, set->count, &equal, reterr);
    }
    for (size_t first = 0; first < set->used && code == DUET_OK;) {
        code = answer_one(&answering, &first, reterr);
    }
    equal_commits_release(&equal);
    free(numbers);
    free(answering.links);
    free(answering.on_line);
    return code;
}

static void count_models(struct history_set *set)
{
    for (size_t i = 0; i < set->used; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) {
            seen = strcmp(set->links[k].cpu_model, set->links[i].cpu_model) == 0;
        }
        set->cpu_models += !seen;
    }
}

static enum duet_code fill(struct store *store, const struct git_repo *repo,
                           const struct history_request *request,
                           struct history_set *set, struct duet_error *reterr)
{
    struct analysis_history_options options = request->options;
    enum duet_code code = store_links_load(store, &set->links, &set->link_count,
                                           &set->unanswered, reterr);
    if (code == DUET_OK) {
        code = choose(store, request, set, reterr);
    }
    if (code == DUET_OK) {
        code = collect_commits(set, reterr);
    }
    if (code == DUET_OK && repo != NULL) {
        code = find_lines(repo, request->branch, set, reterr);
    }
    if (code == DUET_OK && request->branch != NULL && !set->by_branch) {
        code =
            error_set(reterr, DUET_E_USAGE,
                      "--branch %s: none of its commits was measured", request->branch);
    }
    if (code == DUET_OK) {
        order_commits(set);
        count_models(set);
        code = find_reference(set, repo, request, &options.reference, reterr);
    }
    return code == DUET_OK ? answer_all(set, &options, reterr) : code;
}

enum duet_code history_set_load(struct store *store, const struct git_repo *repo,
                                const struct history_request *request,
                                struct history_set *ret_set, struct duet_error *reterr)
{
    struct history_set set = {0};
    enum duet_code code = fill(store, repo, request, &set, reterr);
    if (code != DUET_OK) {
        history_set_release(&set);
        return code;
    }
    *ret_set = set;
    return DUET_OK;
}
