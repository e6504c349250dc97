#include "session/suite/suite_measure.h"

#include "base/alloc.h"
#include "session/comparison/answer_done.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/comparison/skip.h"
#include "sync/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is told ---- */

/* Whether a benchmark's plan says what it will take. */
static bool is_planned(const struct suite_entry *entry)
{
    const struct model_plan *plan = &entry->options->plan;
    return plan->runs == 0 && plan->until == MODEL_UNTIL_FIXED;
}

/* An entry becomes one that has not ended (sign 1), or has (-1). */
static void count_open(struct suite_session *session, size_t index, int sign)
{
    const struct suite_entry *entry = &session->plan->entries[index];
    if (!is_planned(entry)) {
        session->unplanned += (size_t)sign;
    } else {
        session->planned_ns += (uint64_t)sign * entry->options->plan.budget_ns;
    }
}

/* `at`: in the order of measuring; without the entry there. */
static struct live_ordinal ordinal_of(const struct suite_session *session, size_t at)
{
    const struct suite_plan *plan = session->plan;
    struct live_ordinal ordinal = {.index = at + 1,
                                   .count = plan->count,
                                   .before_ns =
                                       (double)(clock_mono_ns() - session->began_ns)};
    memcpy(ordinal.found, session->found, sizeof ordinal.found);
    size_t index = plan->order[at];
    const struct suite_entry *entry = &plan->entries[index];
    bool open = session->outcomes[index] == SUITE_OUTCOME_NONE;
    uint64_t own_ns = open && is_planned(entry) ? entry->options->plan.budget_ns : 0;
    size_t others = session->unplanned - (open && !is_planned(entry));
    ordinal.after_ns = (double)(session->planned_ns - own_ns);
    if (session->measured > 0) {
        ordinal.after_ns +=
            (double)others * (session->done_ns / (double)session->measured);
    } else {
        ordinal.unknown = others;
    }
    return ordinal;
}

static void tell_failed(const struct suite_session *session, size_t index,
                        const struct measure_result *result,
                        const struct duet_error *error)
{
    const struct listener *listener = session->with.listener;
    listener_tell(listener, "%s: %s", session->plan->entries[index].name,
                  error->message);
    if (result->runs > 0 && !store_is_gone(session->with.store)) {
        listener_tell(listener,
                      "its %" PRIu64 " finished run%s %s kept: duet show %" PRId64,
                      result->runs, result->runs == 1 ? "" : "s",
                      result->runs == 1 ? "is" : "are", session->experiments[index]);
    }
}

/* With the answer as far as it can be said by now. */
static void tell_ended(struct suite_session *session, size_t at)
{
    const struct suite_plan *plan = session->plan;
    const struct listener *listener = session->with.listener;
    const struct live_ordinal ordinal = ordinal_of(session, at);
    size_t index = plan->order[at];
    bool failed = session->outcomes[index] == SUITE_OUTCOME_FAILED;
    struct answer answer = {.comparison.verdict = MODEL_VERDICT_FAILED};
    struct duet_error ignored;
    bool wanted = listener->ended != NULL || listener->progress != NULL;
    if (!wanted ||
        (!failed && answer_done(session->with.store, session->experiments[index], NULL,
                                &answer, &ignored) != DUET_OK)) {
        return; /* what is wrong is found again at the end */
    }
    session->found[answer.comparison.verdict]++;
    if (listener->ended != NULL) {
        const struct session_ended ended = {
            .name = plan->entries[index].name,
            .comparison = failed ? NULL : &answer.comparison,
            .index = session->taken + session->measured + session->failed,
            .count = plan->count,
            .left_ns = ordinal.unknown == 0 ? ordinal.after_ns : (double)NAN};
        listener->ended(listener->context, &ended);
    }
    answer_release(&answer);
}

/* ---- One entry ---- */

/* An entry that is being measured. */
struct open_entry {
    struct benchmark benchmark;
    struct benchmark_suite suite;
    struct controlled controlled;
    bool begun;
    bool over;
    uint64_t spent_ns;    /* of the wall clock, in all */
    double suspicion;     /* ongoing_suspicion() */
    uint64_t overhead_ns; /* of the last slice: what was not measuring */
};

enum duet_code suite_benchmark_make(const struct suite_session *session,
                                    const struct suite_entry *entry,
                                    struct benchmark *ret_benchmark,
                                    struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = suite_entry_make(session->plan, entry, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = benchmark_pick_cpus(entry->options, session->with.machine, &benchmark.plan,
                               reterr);
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return code;
    }
    benchmark.revisions = session->request->base.revisions;
    *ret_benchmark = benchmark;
    return DUET_OK;
}

/* *ret_skipped: it was answered without measuring. */
static enum duet_code entry_begin(struct suite_session *session, size_t at,
                                  struct open_entry *open, bool *ret_skipped,
                                  struct duet_error *reterr)
{
    size_t index = session->plan->order[at];
    struct suite_entry *entry = &session->plan->entries[index];
    enum duet_code code =
        suite_benchmark_make(session, entry, &open->benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    open->suite =
        (struct benchmark_suite){.run = session->run,
                                 .definition = entry->definition,
                                 .ordinal = ordinal_of(session, at),
                                 .check = entry->checked ? &entry->check : NULL};
    open->benchmark.suite = &open->suite;
    open->benchmark.advised = true;
    code = skip_identical(entry->options, &open->benchmark, &session->with,
                          &session->experiments[index], reterr);
    *ret_skipped = session->experiments[index] != 0;
    if (code != DUET_OK || *ret_skipped) {
        return code;
    }
    code = controlled_begin(&open->benchmark, &session->with, entry->options->control,
                            &open->controlled, reterr);
    session->experiments[index] = open->controlled.experiment;
    open->begun = code == DUET_OK;
    return code;
}

/* for_ns: 0: to the end. */
static enum duet_code entry_slice(struct open_entry *open, uint64_t for_ns,
                                  bool *ret_ended, struct duet_error *reterr)
{
    uint64_t began_ns = clock_mono_ns();
    uint64_t measured_ns = ongoing_result(open->controlled.main)->wall_ns;
    enum duet_code code =
        controlled_continue(&open->controlled, for_ns, ret_ended, reterr);
    uint64_t took_ns = clock_mono_ns() - began_ns;
    measured_ns = ongoing_result(open->controlled.main)->wall_ns - measured_ns;
    open->spent_ns += took_ns;
    open->suspicion = ongoing_suspicion(open->controlled.main);
    open->overhead_ns = took_ns > measured_ns ? took_ns - measured_ns : 0;
    return code;
}

static void entry_release(struct open_entry *open)
{
    controlled_close(&open->controlled);
    benchmark_release(&open->benchmark);
}

/* Keeps how an entry has ended and tells it. Returns what ends the whole suite. */
static enum duet_code settle(struct suite_session *session, size_t at,
                             const struct measure_result *result, enum duet_code code,
                             const struct duet_error *error)
{
    size_t index = session->plan->order[at];
    leftovers_warn(session->with.listener, session->plan->entries[index].name, result);
    count_open(session, index, -1);
    if (code == DUET_OK) {
        session->outcomes[index] = SUITE_OUTCOME_DONE;
        session->measured++;
        tell_ended(session, at);
        return DUET_OK;
    }
    tell_failed(session, index, result, error);
    if (benchmark_is_at_fault(code)) {
        session->outcomes[index] = SUITE_OUTCOME_FAILED;
        session->reasons[index] = alloc_string(error->message);
        session->failed++;
        tell_ended(session, at);
        return DUET_OK;
    }
    if (code == DUET_E_INTERRUPTED && result->runs > 0) {
        session->outcomes[index] = SUITE_OUTCOME_CUT;
    }
    return code;
}

static enum duet_code entry_end(struct suite_session *session, size_t at,
                                struct open_entry *open, enum duet_code code,
                                struct duet_error *error)
{
    struct measure_result result = {0};
    open->over = true;
    if (open->begun) {
        result = *ongoing_result(open->controlled.main);
        code = controlled_end(&open->controlled, code, error);
    }
    session->done_ns += code == DUET_OK ? (double)open->spent_ns : 0;
    code = settle(session, at, &result, code, error);
    entry_release(open);
    return code;
}

/* ---- One after the other ---- */

static enum duet_code entry_to_end(struct suite_session *session, size_t at,
                                   struct duet_error *reterr)
{
    struct open_entry open = {.begun = false};
    bool skipped = false;
    bool ended = false;
    enum duet_code code = entry_begin(session, at, &open, &skipped, reterr);
    if (code == DUET_OK && !skipped) {
        code = entry_slice(&open, 0, &ended, reterr);
    }
    return entry_end(session, at, &open, code, reterr);
}

static enum duet_code measure_in_order(struct suite_session *session,
                                       struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t at = 0; at < session->plan->count && code == DUET_OK; at++) {
        if (session->outcomes[session->plan->order[at]] != SUITE_OUTCOME_DONE) {
            code = entry_to_end(session, at, reterr);
        }
    }
    return code;
}

/* ---- In slices, within one budget ---- */

/* Slices are short beside the budget, and long beside what starting one costs. */
static const uint64_t shortest_slice_ns = UINT64_C(100000000);
static const uint64_t longest_slice_ns = UINT64_C(2000000000);
enum { SLICES_WANTED = 8, OVERHEAD_SHARE = 4 };

static uint64_t slice_of(const struct suite_session *session,
                         const struct open_entry *open)
{
    uint64_t share = session->request->time_budget_ns / session->plan->count;
    uint64_t slice = share / SLICES_WANTED;
    slice = slice < shortest_slice_ns ? shortest_slice_ns : slice;
    slice = slice > longest_slice_ns ? longest_slice_ns : slice;
    uint64_t worth = OVERHEAD_SHARE * open->overhead_ns;
    return slice > worth ? slice : worth;
}

/* A benchmark that looks changed goes first, until it has had so many times what the
 * least measured one has had: bench/time_budget_sim. */
static const double suspicious = 0.2;
enum { SUSPECTS_LEAD = 16 };

/* Of those that are open the one whose sides seem farthest apart, else the one
 * that has had the least time, in the order of measuring; plan->count: all are over. */
static size_t next_open(const struct suite_session *session,
                        const struct open_entry *all)
{
    size_t none = session->plan->count;
    size_t least = none;
    size_t suspect = none;
    for (size_t at = 0; at < none; at++) {
        if (all[at].over) {
            continue;
        }
        if (least == none || all[at].spent_ns < all[least].spent_ns) {
            least = at;
        }
        if (all[at].begun && all[at].suspicion <= suspicious &&
            (suspect == none || all[at].suspicion < all[suspect].suspicion)) {
            suspect = at;
        }
    }
    bool first =
        suspect != none && all[suspect].spent_ns < SUSPECTS_LEAD * all[least].spent_ns;
    return first ? suspect : least;
}

static enum duet_code give_slice(struct suite_session *session, size_t at,
                                 struct open_entry *open, uint64_t left_ns,
                                 struct duet_error *reterr)
{
    bool ended = false;
    enum duet_code code = DUET_OK;
    if (!open->begun) {
        code = entry_begin(session, at, open, &ended, reterr);
    }
    if (code == DUET_OK && !ended) {
        const struct live_ordinal ordinal = ordinal_of(session, at);
        uint64_t slice_ns = slice_of(session, open);
        ongoing_set_ordinal(open->controlled.main, &ordinal);
        code =
            entry_slice(open, slice_ns < left_ns ? slice_ns : left_ns, &ended, reterr);
    }
    return code != DUET_OK || ended ? entry_end(session, at, open, code, reterr)
                                    : DUET_OK;
}

/* What is left when the time is over has its answer from the runs so far. */
static enum duet_code end_open(struct suite_session *session, size_t at,
                               struct open_entry *open, enum duet_code code,
                               struct duet_error *error)
{
    if (open->begun) {
        return entry_end(session, at, open, code, error);
    }
    open->over = true;
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error late;
    const struct measure_result none = {0};
    return settle(session, at, &none,
                  error_set(&late, DUET_E_TIMEOUT,
                            "the time budget of %.3g s was over before its first run; "
                            "give more (--time-budget)",
                            (double)session->request->time_budget_ns / 1e9),
                  &late);
}

static enum duet_code measure_in_turns(struct suite_session *session,
                                       struct duet_error *reterr)
{
    const struct suite_plan *plan = session->plan;
    struct open_entry *all = alloc_array(plan->count, sizeof *all);
    uint64_t budget_ns = session->request->time_budget_ns;
    uint64_t began_ns = clock_mono_ns();
    enum duet_code code = all == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t at = 0; at < plan->count && all != NULL; at++) {
        all[at].over = session->outcomes[plan->order[at]] == SUITE_OUTCOME_DONE;
    }
    while (code == DUET_OK) {
        uint64_t spent_ns = clock_mono_ns() - began_ns;
        size_t at = next_open(session, all);
        if (at == plan->count || spent_ns >= budget_ns) {
            break;
        }
        code = give_slice(session, at, &all[at], budget_ns - spent_ns, reterr);
    }
    for (size_t at = 0; at < plan->count && all != NULL; at++) {
        enum duet_code ended =
            all[at].over ? DUET_OK : end_open(session, at, &all[at], code, reterr);
        code = code == DUET_OK ? ended : code;
    }
    free(all);
    return code;
}

enum duet_code suite_measure_all(struct suite_session *session,
                                 struct duet_error *reterr)
{
    for (size_t i = 0; i < session->plan->count; i++) {
        if (session->outcomes[i] == SUITE_OUTCOME_NONE) {
            count_open(session, i, 1);
        }
    }
    return session->request->time_budget_ns > 0 ? measure_in_turns(session, reterr)
                                                : measure_in_order(session, reterr);
}
