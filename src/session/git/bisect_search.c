#include "session/git/bisect_search.h"

#include "base/alloc.h"
#include "session/comparison/benchmark.h"
#include "session/comparison/definition.h"
#include "session/git/bisect_log.h"
#include "session/git/bisect_measure.h"
#include "stats/sequential/bisect.h"
#include "sync/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the time for all, the first comparison may take a quarter. */
enum { WHOLE_SHARE = 4 };
/* The last one, of a commit with the one before it. */
static const uint64_t step_budget_ns = UINT64_C(20000000000);

enum duet_code bisect_request_settle(struct bisect_request *request,
                                     struct duet_error *reterr)
{
    const struct run_request *run = request->run;
    struct run_request settled = *run;
    request->alpha = 1 - run->analysis.confidence;
    if (!isnan(request->effect) && !(request->effect > 0)) {
        return error_set(reterr, DUET_E_USAGE, "--effect must be above 0 %%");
    }
    if (parameter_combinations(&run->parameters) > 1 || run->scan[0] != NULL ||
        run->folders[MODEL_OLD] != NULL || run->folders[MODEL_NEW] != NULL) {
        return error_set(
            reterr, DUET_E_USAGE,
            "one benchmark at a time, in the commits' folders: leave -L, -P and --cwd out");
    }
    if (!model_schedule_is_paired(run->plan.schedule) || run->paper) {
        return error_set(reterr, DUET_E_USAGE,
                         "a search needs pairs: use --schedule duet or timeslice");
    }
    settled.plan.until = MODEL_UNTIL_DECIDED;
    return run_request_settle(&settled, reterr);
}

struct search {
    const struct bisect_request *request;
    const struct session *session;
    struct bisect_result *result;
    struct bisect_measure measure;
    struct stats_bisect *state;
    struct bisect_log log;
    size_t at;     /* the commit that was measured last; 0: none */
    bool *visited; /* by commit; the result's `skipped` is beside it */
    uint64_t begun_ns;
    uint64_t searching_ns; /* when the search began, behind the first comparison */
    double bits;           /* what was not known then, of the weights */
};

const char *bisect_end_name(enum bisect_end end)
{
    static const char *const names[] = {[BISECT_FOUND] = "found",
                                        [BISECT_GROUP] = "group",
                                        [BISECT_SEVERAL] = "several",
                                        [BISECT_UNSURE] = "unsure",
                                        [BISECT_NOT_SLOWER] = "not_slower"};
    return names[end];
}

void bisect_result_release(struct bisect_result *result)
{
    if (result->has_whole) {
        answer_release(&result->whole);
    }
    if (result->has_step) {
        answer_release(&result->step);
    }
    free(result->weights);
    free(result->skipped);
    git_history_release(&result->history);
    *result = (struct bisect_result){0};
}

/* ---- How far it is ---- */

static void note_state(struct search *search)
{
    struct bisect_result *result = search->result;
    struct stats_bisect_left left = stats_bisect_left(search->state);
    for (size_t b = 1; b < result->history.count; b++) {
        result->weights[b] = stats_bisect_weight(search->state, b);
    }
    result->first = left.first;
    result->last = left.last;
    result->count = left.count;
    result->blocks = stats_bisect_blocks(search->state);
    result->builds = search->measure.folders.builds;
    result->elapsed_ns = clock_mono_ns() - search->begun_ns;
}

static void tell(struct search *search, size_t next)
{
    struct bisect_result *result = search->result;
    note_state(search);
    double bits = stats_bisect_entropy_bits(search->state);
    double known = search->bits - bits;
    double spent = (double)(clock_mono_ns() - search->searching_ns);
    struct bisect_step step = {.fresh = !search->visited[next],
                               .history = &result->history,
                               .weights = result->weights,
                               .at = next,
                               .candidates = result->count,
                               .builds = result->builds,
                               .blocks = result->blocks,
                               .elapsed_ns = result->elapsed_ns,
                               .builds_left = ceil(bits),
                               .left_ns =
                                   known >= 1 ? spent / known * bits : (double)NAN};
    if (search->request->tell != NULL) {
        search->request->tell(search->request->context, &step);
    }
}

/* ---- The measurements ---- */

static enum duet_code skip(struct search *search, size_t at, const char *why,
                           struct duet_error *reterr)
{
    const struct bisect_entry entry = {.at = at, .skipped = true};
    listener_warn(search->session->listener, "%s is left out: %s",
                  search->result->history.commits[at].revision.label, why);
    search->result->skipped[at] = true;
    stats_bisect_skip(search->state, at);
    return bisect_log_add(&search->log, &entry, reterr);
}

/* A block has failed, of which GOOD is the other side: where GOOD fails by itself, no
 * commit can be measured, and none is to be left out for it. */
static enum duet_code check_good(struct search *search, struct duet_error *reterr)
{
    double log_ratio = 0;
    struct duet_error error = {0};
    enum duet_code code = bisect_measure_block(&search->measure, 0, &log_ratio, &error);
    if (benchmark_is_at_fault(code)) {
        return error_set(reterr, code, "GOOD (%s) fails by now: %s",
                         search->result->history.commits[0].revision.label,
                         error.message);
    }
    return code == DUET_OK ? code : error_set(reterr, code, "%s", error.message);
}

/* A block of a commit, or the news that it cannot be measured. */
static enum duet_code visit(struct search *search, size_t at, struct duet_error *reterr)
{
    struct bisect_entry entry = {.at = at};
    struct duet_error error = {0};
    enum duet_code code =
        bisect_measure_block(&search->measure, at, &entry.log_ratio, &error);
    if (benchmark_is_at_fault(code)) {
        code = check_good(search, reterr);
        return code == DUET_OK ? skip(search, at, error.message, reterr) : code;
    }
    if (code == DUET_OK && !isfinite(entry.log_ratio)) {
        return skip(search, at, "its times have no ratio", reterr);
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    code = stats_bisect_add(search->state, at, entry.log_ratio, reterr);
    return code == DUET_OK ? bisect_log_add(&search->log, &entry, reterr) : code;
}

static bool is_over(const struct search *search)
{
    return clock_mono_ns() - search->begun_ns >= search->request->budget_ns;
}

static enum duet_code look(struct search *search, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    size_t next = stats_bisect_next(search->state, search->at);
    while (next != 0 && code == DUET_OK && !is_over(search)) {
        if (next != search->at) {
            tell(search, next);
        }
        search->visited[next] = true;
        search->at = next;
        code = visit(search, next, reterr);
        next = stats_bisect_next(search->state, next);
    }
    tell(search, 0);
    return code;
}

/* ---- Before and after ---- */

/* What an earlier call has measured. */
static enum duet_code replay(struct search *search, const struct bisect_entry *entries,
                             size_t count, struct duet_error *reterr)
{
    size_t last = search->result->history.count - 1;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        const struct bisect_entry *entry = &entries[i];
        if (entry->at == 0 || entry->at >= last) {
            continue; /* not written by us */
        }
        if (entry->skipped) {
            search->result->skipped[entry->at] = true;
            stats_bisect_skip(search->state, entry->at);
        } else {
            code = stats_bisect_add(search->state, entry->at, entry->log_ratio, reterr);
            search->at = entry->at;
        }
    }
    search->result->resumed = stats_bisect_blocks(search->state);
    return code;
}

/* How a block is measured. */
static void append_manner(struct text *text, const struct run_request *run,
                          enum model_schedule schedule)
{
    struct model_plan plan = run->plan;
    plan.schedule = schedule;
    definition_add_plan(text, &plan);
    definition_add_text(text, "setup", run->setup);
    definition_add_text(text, "prepare", run->prepare);
    definition_add_text(text, "conclude", run->conclude);
    definition_add_text(text, "cleanup", run->cleanup);
    definition_add_text(text, "shell", run->shell);
    definition_add_text(text, "cpus", run->cpus);
    definition_add_number(text, "cpus-per-side", run->cpus_per_side);
    for (size_t i = 0; i < run->parameters.count; i++) {
        const struct parameter *parameter = &run->parameters.parameters[i];
        definition_add_text(text, parameter->name, parameter->values[0]);
    }
}

/* All that the evidence depends on, but for the machine and the environment that the
 * benchmark finds, in a line. */
static void append_question(struct text *text, const struct search *search,
                            enum model_schedule schedule)
{
    const struct bisect_request *request = search->request;
    const struct git_history *history = &search->result->history;
    char built[WORKTREE_NAME_BYTES];
    worktree_name(&history->commits[0].revision, request->build, built);
    text_append_format(text, "duet bisect 2 %s %s %s ",
                       history->commits[0].revision.commit,
                       history->commits[history->count - 1].revision.commit, built);
    definition_add_text(text, "bench", request->bench);
    append_manner(text, request->run, schedule);
    for (size_t i = 0; i < text->length; i++) {
        if (text->bytes[i] == '\n') {
            text->bytes[i] = ' ';
        }
    }
}

/* The log of blocks by this schedule; *ret_any: there are some already. */
static enum duet_code open_log_of(struct search *search, enum model_schedule schedule,
                                  bool resume, bool *ret_any, struct duet_error *reterr)
{
    struct bisect_entry *entries = NULL;
    size_t count = 0;
    struct text question = {0};
    append_question(&question, search, schedule);
    enum duet_code code =
        text_failed(&question)
            ? error_no_memory(reterr)
            : bisect_log_open(search->measure.folders.cache, text_string(&question),
                              resume, &search->log, &entries, &count, reterr);
    *ret_any = count > 0;
    if (code == DUET_OK && count > 0) {
        search->measure.schedule = schedule;
        /* With the same --seed, the coins of an earlier call are known by now: for an
         * entry a block, and perhaps one of GOOD alone. */
        search->measure.count += 2 * (uint64_t)count;
        code = replay(search, entries, count, reterr);
    }
    free(entries);
    text_release(&question);
    return code;
}

/* An earlier call may have chosen another schedule: its blocks go on. */
static enum duet_code open_log(struct search *search, struct duet_error *reterr)
{
    static const enum model_schedule schedules[] = {MODEL_SCHEDULE_DUET,
                                                    MODEL_SCHEDULE_TIMESLICE};
    bool any = false;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0] &&
                       search->request->resume && !any && code == DUET_OK;
         i++) {
        code = open_log_of(search, schedules[i], true, &any, reterr);
        if (!any) {
            bisect_log_close(&search->log, true);
        }
    }
    if (any || code != DUET_OK) {
        return code;
    }
    if (search->request->resume) {
        listener_warn(search->session->listener,
                      "nothing is kept of a search with these commits and options: it "
                      "begins anew");
    }
    return open_log_of(search, search->measure.schedule, false, &any, reterr);
}

/* Whether bad is slower at all, and from which slowdown on a commit counts as slow. */
static enum duet_code compare_ends(struct search *search, struct duet_error *reterr)
{
    const struct bisect_request *request = search->request;
    struct bisect_result *result = search->result;
    const size_t ends[2] = {0, result->history.count - 1};
    enum duet_code code = commit_folders_open(
        &search->measure.folders, &result->history.commits[0].revision,
        &result->history.commits[ends[1]].revision, reterr);
    if (code == DUET_OK) {
        code = bisect_measure_decide(&search->measure, ends, 1 - request->alpha / 2,
                                     request->budget_ns / WHOLE_SHARE, &result->whole,
                                     reterr);
        result->has_whole = code == DUET_OK;
    }
    if (code != DUET_OK) {
        return code;
    }
    const struct model_comparison *whole = &result->whole.comparison;
    double surely = log(whole->interval.low);
    double least = isnan(request->effect) ? surely / 2 : log1p(request->effect) / 2;
    result->threshold = expm1(2 * least);
    search->measure.schedule = whole->schedule;
    search->measure.schedule_known = true;
    if (!(surely > 0) || !(surely > least)) {
        result->end = BISECT_NOT_SLOWER;
    }
    return DUET_OK;
}

/* Stays at a commit while it may be on either side of the step with at least this
 * probability: bisect.md's, and where a build costs more than blocks do. */
static const double eta_usual = 0.2;
static const double eta_dear = 0.05;

static enum duet_code begin_state(struct search *search, struct duet_error *reterr)
{
    const struct bisect_request *request = search->request;
    struct bisect_result *result = search->result;
    const struct stats_bisect_options options = {
        .alpha = request->alpha,
        .threshold = log1p(result->threshold) / 2,
        .eta = request->dear_builds ? eta_dear : eta_usual};
    size_t count = result->history.count;
    enum duet_code code = stats_bisect_new(count - 1, &options, &search->state, reterr);
    if (code != DUET_OK) {
        return code; /* there is no state to note */
    }
    code = store_open_scratch(&search->measure.scratch, reterr);
    if (code == DUET_OK) {
        code = open_log(search, reterr);
    }
    note_state(search);
    search->searching_ns = clock_mono_ns();
    search->bits = stats_bisect_entropy_bits(search->state);
    return code;
}

/* The commit that was found, measured against the one before it. A number for the
 * reader: what cannot be measured changes nothing of the answer. */
static enum duet_code measure_step(struct search *search, struct duet_error *reterr)
{
    struct bisect_result *result = search->result;
    const size_t commits[2] = {result->first - 1, result->first};
    struct duet_error error = {0};
    if (result->skipped[commits[0]] || result->skipped[commits[1]]) {
        return DUET_OK;
    }
    enum duet_code code =
        bisect_measure_decide(&search->measure, commits, 1 - search->request->alpha,
                              step_budget_ns, &result->step, &error);
    result->has_step = code == DUET_OK;
    if (result->has_step) {
        double high = result->step.comparison.interval.high;
        result->step_is_part = high < result->whole.comparison.interval.low;
        result->step_is_small = high - 1 < result->threshold;
        if (log(high) < log1p(result->threshold) / 2) { /* it is not across */
            result->end = BISECT_SEVERAL;
        }
    }
    return code == DUET_E_INTERRUPTED ? error_set(reterr, code, "%s", error.message)
                                      : DUET_OK;
}

static enum duet_code conclude(struct search *search, struct duet_error *reterr)
{
    static const enum bisect_end ends[] = {[STATS_BISECT_OPEN] = BISECT_UNSURE,
                                           [STATS_BISECT_ONE] = BISECT_FOUND,
                                           [STATS_BISECT_GROUP] = BISECT_GROUP,
                                           [STATS_BISECT_NONE] = BISECT_SEVERAL};
    search->result->end = ends[stats_bisect_left(search->state).outcome];
    note_state(search);
    enum duet_code code =
        search->result->end == BISECT_FOUND ? measure_step(search, reterr) : DUET_OK;
    search->result->builds = search->measure.folders.builds;
    search->result->elapsed_ns = clock_mono_ns() - search->begun_ns;
    return code;
}

static enum duet_code carry_out(struct search *search, struct duet_error *reterr)
{
    struct bisect_result *result = search->result;
    result->end = BISECT_UNSURE;
    enum duet_code code = compare_ends(search, reterr);
    result->builds = search->measure.folders.builds;
    result->elapsed_ns = clock_mono_ns() - search->begun_ns;
    if (code != DUET_OK || result->end == BISECT_NOT_SLOWER) {
        return code;
    }
    code = begin_state(search, reterr);
    if (code == DUET_OK) {
        code = look(search, reterr);
    }
    return code == DUET_OK ? conclude(search, reterr) : code;
}

/* Before anything is measured. */
static enum duet_code find_history(const struct bisect_request *request,
                                   const struct git_repo *repo,
                                   struct git_history *ret_history,
                                   struct duet_error *reterr)
{
    enum duet_code code =
        git_history_find(repo, request->good, request->bad, ret_history, reterr);
    if (code == DUET_OK && ret_history->count - 1 > STATS_BISECT_COMMITS_MAX) {
        return error_set(reterr, DUET_E_USAGE,
                         "'%s' has %zu commits since '%s', and a search takes %d at "
                         "most: name a later good commit",
                         request->bad, ret_history->count - 1, request->good,
                         STATS_BISECT_COMMITS_MAX);
    }
    return code;
}

enum duet_code bisect_search(const struct bisect_request *request,
                             struct git_cache *cache, const struct session *session,
                             struct bisect_result *ret_result,
                             struct duet_error *reterr)
{
    struct bisect_result *result = ret_result;
    enum duet_code code = find_history(request, cache->repo, &result->history, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct search search = {
        .request = request,
        .session = session,
        .result = result,
        .measure = {.request = request,
                    .session = session,
                    .folders = {.cache = cache, .build = request->build},
                    .history = &result->history},
        .begun_ns = clock_mono_ns()};
    result->weights = alloc_array(result->history.count, sizeof *result->weights);
    result->skipped = alloc_array(result->history.count, sizeof *result->skipped);
    search.visited = alloc_array(result->history.count, sizeof *search.visited);
    code = result->weights == NULL || result->skipped == NULL || search.visited == NULL
               ? error_no_memory(reterr)
               : carry_out(&search, reterr);
    bisect_log_close(&search.log, code == DUET_OK && result->end != BISECT_UNSURE);
    stats_bisect_free(search.state);
    free(search.visited);
    store_close(search.measure.scratch);
    commit_folders_close(&search.measure.folders);
    return code;
}
