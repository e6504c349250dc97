#include "cli/history/history_words.h"

#include "base/day.h"
#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/quote.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SUBJECT_LEAST = 20, LABEL_WIDTH = 10, GAP = 2 };

/* ---- Parts ---- */

void history_date(int64_t utc_ms, bool whole, char ret_date[DAY_MOMENT_BYTES])
{
    day_utc(utc_ms, ret_date);
    if (utc_ms == 0 || !whole) {
        ret_date[utc_ms == 0 ? 0 : DAY_BYTES - 1] = '\0';
    }
}

static int decimals_of(double low, double high)
{
    const int unknown = 2;
    return digits_decimals(50.0 * (high - low), unknown);
}

void history_append_change(struct text *text, double ratio, double low, double high)
{
    digits_append_estimate(text, ratio, decimals_of(low, high));
    text_append(text, " %");
}

/* "[+2.71, +3.34]". */
static void append_interval(struct text *text, double low, double high)
{
    int decimals = decimals_of(low, high);
    text_append_char(text, '[');
    digits_append_change(text, low, decimals);
    text_append(text, ", ");
    digits_append_change(text, high, decimals);
    text_append_char(text, ']');
}

const struct analysis_change *history_change_at(const struct analysis_history *history,
                                                size_t commit)
{
    for (size_t i = 0; i < history->change_count; i++) {
        if (history->changes[i].at == commit) {
            return &history->changes[i];
        }
    }
    return NULL;
}

static bool is_shown(const struct history_set *set,
                     const struct analysis_history *history, size_t commit)
{
    return commit >= set->dropped && commit < set->shown &&
           history->commits[commit].kind != ANALYSIS_COMMIT_UNKNOWN;
}

/* ---- The table ---- */

static void append_mark(struct text *text, const struct analysis_history *history,
                        size_t at, const struct report_style *style)
{
    const struct analysis_change *change = history_change_at(history, at);
    if (change != NULL) {
        bool slower = change->ratio > 1;
        struct text words = {0};
        text_append(&words, slower ? "slower " : "faster ");
        history_append_change(&words, change->ratio, change->low, change->high);
        display_append_painted(text, style, slower ? DISPLAY_WORSE : DISPLAY_BETTER,
                               text_string(&words));
        text_append(text, "  ");
        display_drop(text, &words);
    } else if (history->commits[at].kind == ANALYSIS_COMMIT_SPIKE) {
        text_append(text, "spike  ");
    } else if (history->commits[at].kind == ANALYSIS_COMMIT_EDGE) {
        text_append(text, "off, too few commits to tell  ");
    }
}

/* Ends the line, which began at `begin`, with what of the subject has room. */
static void append_subject(struct text *text, size_t begin,
                           const struct history_commit *commit,
                           const struct report_style *style)
{
    size_t used = text_failed(text) ? 0 : display_columns(text->bytes + begin);
    size_t room =
        style->width > used + SUBJECT_LEAST ? style->width - used : SUBJECT_LEAST;
    display_append_name(text, commit->subject, style->width == 0 ? 0 : room,
                        style->unicode);
    text_append_char(text, '\n');
}

static void append_row(struct text *text, const struct history_set *set,
                       const struct analysis_history *history, size_t at,
                       const struct report_style *style)
{
    enum { CHANGE_WIDTH = 11, INTERVAL_WIDTH = 18, DATE_WIDTH = -10 };
    const struct history_commit *commit = &set->commits[at];
    const struct analysis_commit *answer = &history->commits[at];
    struct text change = {0};
    struct text interval = {0};
    char date[DAY_MOMENT_BYTES];
    size_t begin = text->length;
    history_date(commit->committed_utc_ms, false, date);
    if (history->pieces[answer->piece].reference == at) {
        text_append(&change, "reference");
    } else {
        history_append_change(&change, answer->ratio, answer->low, answer->high);
        append_interval(&interval, answer->low, answer->high);
    }
    text_append(text, "  ");
    columns_append_cell(text, -LABEL_WIDTH, "%s", commit->label);
    columns_append_cell(text, DATE_WIDTH, "%s", date);
    columns_append_cell(text, CHANGE_WIDTH, "%s", text_string(&change));
    text_append(text, "  ");
    columns_append_cell(text, -INTERVAL_WIDTH, "%s", text_string(&interval));
    text_append(text, "  ");
    append_mark(text, history, at, style);
    append_subject(text, begin, commit, style);
    display_drop(text, &change);
    display_drop(text, &interval);
}

static void append_table(struct text *text, const struct history_set *set,
                         const struct analysis_history *history,
                         const struct report_style *style)
{
    for (size_t piece = 0; piece < history->piece_count; piece++) {
        if (history->piece_count > 1) {
            text_append_format(text, "%s  piece %zu, relative to %s:\n",
                               piece > 0 ? "\n" : "", piece + 1,
                               set->commits[history->pieces[piece].reference].label);
        }
        for (size_t i = 0; i < history->count; i++) {
            if (is_shown(set, history, i) && history->commits[i].piece == piece) {
                append_row(text, set, history, i, style);
            }
        }
    }
}

/* ---- Changes ---- */

/* Commits of the branch between the two, that were not measured; *ret_spikes: those
 * that were. */
static size_t between(const struct history_set *set,
                      const struct history_benchmark *benchmark,
                      const struct analysis_change *change, size_t *ret_spikes)
{
    size_t measured = 0;
    *ret_spikes = 0;
    for (size_t i = change->before; i < change->at; i++) {
        const struct analysis_commit *commit = &benchmark->answer.commits[i];
        if (commit->kind != ANALYSIS_COMMIT_UNKNOWN && commit->piece == change->piece) {
            /* Those behind it that are the same program count as measured, too. */
            size_t last = benchmark->last != NULL ? benchmark->last[i] : i;
            measured += set->commits[last].line - set->commits[i].line + 1;
            *ret_spikes += i > change->before;
        }
    }
    return set->by_branch ? set->commits[change->at].line -
                                set->commits[change->before].line - measured
                          : 0;
}

/* A text of any origin as a word of a command. */
static void append_word(struct text *text, const char *string, bool is_pattern,
                        const struct report_style *style)
{
    struct text plain = {0};
    struct text word = {0};
    for (; *string != '\0'; string++) {
        if (is_pattern && strchr("*?[\\", *string) != NULL) {
            text_append_char(&plain, '\\');
        }
        text_append_char(&plain, *string);
    }
    quote_append_shell(&word, text_string(&plain));
    display_append_clean(text, text_string(&word), style->unicode);
    display_drop(text, &plain);
    display_drop(text, &word);
}

/* The command that measures two commits, or looks between them. BENCH is what the store
 * does not know: the command line of a benchmark or a region that has a name. */
static void append_command(struct text *text, const char *command, const char *from,
                           const char *to, const struct history_benchmark *benchmark,
                           const struct report_style *style)
{
    bool is_git = strcmp(command, "git") == 0;
    text_append_format(text, "duet %s %s %s ", command, from, to);
    if (benchmark->region) {
        text_append(text, "-- BENCH");
    } else if (!benchmark->named) {
        text_append(text, "-- ");
        display_append_name(text, benchmark->name, 0, style->unicode);
    } else if (is_git && access(benchmark->suite, F_OK) == 0) {
        text_append(text, "--suite ");
        append_word(text, benchmark->suite, false, style);
        text_append(text, " --only ");
        append_word(text, benchmark->name, true, style);
    } else {
        text_append(text, "--name ");
        append_word(text, benchmark->name, false, style);
        text_append(text, " -- BENCH");
    }
    text_append_char(text, '\n');
}

static void append_one_change(struct text *text, const struct history_set *set,
                              const struct history_benchmark *benchmark,
                              const struct analysis_change *change,
                              const struct report_style *style)
{
    const struct history_commit *at = &set->commits[change->at];
    const struct history_commit *before = &set->commits[change->before];
    bool slower = change->ratio > 1;
    size_t spikes = 0;
    size_t skipped = between(set, benchmark, change, &spikes);
    size_t begin = text->length;
    text_append_format(text, "  %s ", at->label);
    display_append_painted(text, style, slower ? DISPLAY_WORSE : DISPLAY_BETTER,
                           slower ? "slower" : "faster");
    text_append_char(text, ' ');
    history_append_change(text, change->ratio, change->low, change->high);
    text_append_char(text, ' ');
    append_interval(text, change->low, change->high);
    text_append_format(text, ", p = %.2g: ", change->p_value);
    append_subject(text, begin, at, style);
    if (spikes > 0) {
        text_append(text, "    or a spike before it, when it began with that\n");
    }
    if (skipped > 0) {
        text_append_format(text,
                           "    or one of the %zu commit%s before it, which %s not "
                           "measured%s",
                           skipped, skipped == 1 ? "" : "s",
                           skipped == 1 ? "was" : "were", slower ? ": " : "\n");
    }
    if (skipped > 0 && slower) { /* what is faster a bisection does not look for */
        append_command(text, "bisect", before->label, at->label, benchmark, style);
    } else if (skipped == 0 && !change->beside) {
        text_append(text, "    to check it by itself: ");
        append_command(text, "git", before->label, at->label, benchmark, style);
    }
}

static size_t count_shown(const struct history_set *set,
                          const struct analysis_history *history)
{
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++) {
        count += is_shown(set, history, i);
    }
    return count;
}

static void append_changes(struct text *text, const struct history_set *set,
                           const struct history_benchmark *benchmark,
                           const struct report_style *style)
{
    const struct analysis_history *history = &benchmark->answer;
    size_t longest = 0;
    for (size_t i = 0; i < history->piece_count; i++) {
        size_t commits = history->pieces[i].commits;
        longest = commits > longest ? commits : longest;
    }
    if (history->change_count > 0) {
        text_append_format(text, "%zu change%s:\n", history->change_count,
                           history->change_count == 1 ? "" : "s");
    } else if (longest < ANALYSIS_HISTORY_LEAST) {
        text_append_format(text,
                           "  %zu connected commit%s too few to look for changes: "
                           "it takes %d\n",
                           longest, longest == 1 ? " is" : "s are",
                           ANALYSIS_HISTORY_LEAST);
    } else {
        text_append(text, "no change\n");
    }
    for (size_t i = 0; i < history->change_count; i++) {
        append_one_change(text, set, benchmark, &history->changes[i], style);
    }
}

/* What was too vague to connect two pieces, and the command that connects them. */
static void append_vague(struct text *text, const struct history_set *set,
                         const struct history_benchmark *benchmark,
                         const struct report_style *style)
{
    const struct analysis_history *history = &benchmark->answer;
    for (size_t i = 0; i < history->vague_count; i++) {
        const struct analysis_link *link = &history->vague[i];
        const char *from = set->commits[link->from].label;
        const char *to = set->commits[link->to].label;
        text_append_format(text, "  left out, too vague to connect them: %s..%s ", from,
                           to);
        append_interval(text, link->low, link->high);
        text_append(text, "; measure it again: ");
        append_command(text, "git", from, to, benchmark, style);
    }
}

void history_append_benchmark(struct text *text, const struct history_set *set,
                              const struct history_benchmark *benchmark, bool brief,
                              const struct report_style *style)
{
    const struct analysis_history *history = &benchmark->answer;
    size_t commits = count_shown(set, history);
    display_append_name(text, benchmark->name, 0, style->unicode);
    text_append_format(text, ": %zu commit%s, %zu comparison%s", commits,
                       commits == 1 ? "" : "s", benchmark->comparisons,
                       benchmark->comparisons == 1 ? "" : "s");
    if (history->piece_count == 1) {
        text_append_format(text, ", relative to %s",
                           set->commits[history->pieces[0].reference].label);
    }
    text_append_char(text, '\n');
    if (benchmark->open > 0) {
        text_append_format(
            text, "  %zu comparison%s left out: too few runs for an interval\n",
            benchmark->open, benchmark->open == 1 ? " is" : "s are");
    }
    if (benchmark->equal > 0) {
        text_append_format(text,
                           "  %zu commit%s the same program as an earlier one, which "
                           "stands for %s\n",
                           benchmark->equal, benchmark->equal == 1 ? " has" : "s have",
                           benchmark->equal == 1 ? "it" : "them");
    }
    append_vague(text, set, benchmark, style);
    if (history->piece_count > 1) {
        text_append_format(text,
                           "  %zu pieces that no comparison connects, each with a "
                           "reference of its own\n",
                           history->piece_count);
    }
    if (!brief) {
        append_table(text, set, history, style);
    }
    append_changes(text, set, benchmark, style);
}

/* ---- Notes ---- */

void history_append_notes(struct text *text, const struct history_set *set)
{
    size_t others = set->by_branch ? set->count - set->shown : 0;
    if (!set->by_branch) {
        text_append(text, "  in the order of the commits' times\n");
    }
    if (others > 0) {
        text_append_format(text,
                           "  %zu measured commit%s not on this branch%s, and only "
                           "connect%s others%s\n",
                           others, others == 1 ? " is" : "s are",
                           set->shallow ? ", as far as this shallow clone knows" : "",
                           others == 1 ? "s" : "",
                           set->shallow ? ": git fetch --unshallow shows all" : "");
    }
    if (set->dropped > 0) {
        text_append_format(text, "  only the newest %d commits are shown\n",
                           ANALYSIS_HISTORY_MOST);
    }
    if (set->changed > 0) {
        text_append_format(text, "  %zu comparison%s of uncommitted changes left out\n",
                           set->changed, set->changed == 1 ? "" : "s");
    }
    if (set->unanswered > 0) {
        text_append_format(text, "  %zu comparison%s without an answer left out\n",
                           set->unanswered, set->unanswered == 1 ? "" : "s");
    }
    if (set->cpu_models > 1) {
        text_append_format(text,
                           "  measured on %zu CPU models: a change may differ between "
                           "them\n",
                           set->cpu_models);
    }
}
