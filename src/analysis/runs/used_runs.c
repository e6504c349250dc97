#include "analysis/runs/used_runs.h"

#include "analysis/runs/losses.h"
#include "base/alloc.h"
#include "base/random.h"

#include <stdlib.h>

typedef const struct analysis_run_summary *summary_ref;

/* A run, and the block that it is taken for a part of. */
struct member {
    summary_ref summary;
    uint64_t block;
    struct member *below; /* an earlier run without a partner yet; NULL: none */
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_by_run(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    return compare_u64(a->summary->run, b->summary->run);
}

static int compare_by_block(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    int order = compare_u64(a->block, b->block);
    return order != 0 ? order : compare_u64(a->summary->run, b->summary->run);
}

/* Runs sorted by block: how many from `at` on share its block. */
static size_t block_size_at(const struct member *runs, size_t count, size_t at)
{
    size_t size = 1;
    while (at + size < count && runs[at + size].block == runs[at].block) {
        size++;
    }
    return size;
}

static void swap(struct member *a, struct member *b)
{
    struct member moved = *a;
    *a = *b;
    *b = moved;
}

/* Sorts by block and moves the whole blocks to the front; returns their number. */
static size_t bring_blocks_forward(struct member *runs, size_t count)
{
    size_t blocks = 0;
    qsort(runs, count, sizeof *runs, compare_by_block);
    for (size_t i = 0; i < count;) {
        size_t size = block_size_at(runs, count, i);
        if (size == 2) {
            for (size_t j = 0; j < 2; j++) {
                swap(&runs[2 * blocks + j], &runs[i + j]);
            }
            blocks++;
        }
        i += size;
    }
    return blocks;
}

/* Runs alone become blocks. */
static void pair_up(struct member *runs, size_t count)
{
    struct member *waiting = NULL; /* all of one assignment */
    qsort(runs, count, sizeof *runs, compare_by_block);
    for (size_t i = 0; i < count;) {
        size_t size = block_size_at(runs, count, i);
        struct member *run = &runs[i];
        i += size;
        if (size > 1) {
            continue;
        }
        if (waiting != NULL &&
            waiting->summary->old_position != run->summary->old_position) {
            run->block = waiting->block;
            waiting = waiting->below;
        } else {
            run->below = waiting;
            waiting = run;
        }
    }
}

/* Brings a random choice of `wanted` units of `unit` runs each to the front. */
static void sample_units(struct member *runs, size_t units, size_t unit, size_t wanted,
                         struct random_stream *stream)
{
    for (size_t i = 0; i < wanted; i++) {
        size_t chosen = i + random_below(stream, (uint32_t)(units - i));
        for (size_t j = 0; j < unit; j++) {
            swap(&runs[i * unit + j], &runs[chosen * unit + j]);
        }
    }
}

/* Returns how many runs, at the front of the array, are the sample. */
static size_t sample(struct member *runs, size_t count, uint64_t wanted, bool by_block,
                     struct random_stream *stream)
{
    if (wanted == 0 || wanted >= count) {
        return count;
    }
    if (!by_block) {
        qsort(runs, count, sizeof *runs, compare_by_run);
        sample_units(runs, count, 1, (size_t)wanted, stream);
        return (size_t)wanted;
    }
    size_t blocks = bring_blocks_forward(runs, count);
    size_t wanted_blocks = (size_t)wanted / 2;
    if (blocks > wanted_blocks) {
        sample_units(runs, blocks, 2, wanted_blocks, stream);
        blocks = wanted_blocks;
    }
    return 2 * blocks;
}

/* Runs 2b and 2b + 1 are block b, here and below. */
static void describe_blocks(struct analysis_used_runs *made)
{
    for (size_t b = 0; b < made->block_count; b++) {
        struct stats_block_facts facts = {
            {*analysis_losses_facts(made->runs[2 * b], made->reading),
             *analysis_losses_facts(made->runs[2 * b + 1], made->reading)}};
        made->block_facts[b] = facts;
        made->block_logs[b] = 0.5 * (facts.runs[0].log_ratio + facts.runs[1].log_ratio);
    }
}

static void split_by_assignment(struct analysis_used_runs *made)
{
    made->assignments_known = made->block_count > 0;
    for (size_t b = 0; b < made->block_count; b++) {
        for (size_t i = 2 * b; i < 2 * b + 2; i++) {
            size_t other = made->runs[i]->old_position == 0 ? 0 : made->block_count;
            made->assignment_logs[other + b] =
                analysis_losses_facts(made->runs[i], made->reading)->log_ratio;
        }
        made->assignments_known =
            made->assignments_known &&
            made->runs[2 * b]->old_position != made->runs[2 * b + 1]->old_position;
    }
}

/* What was tossed for: the runs of a measured block, and runs alone where they have a
 * coin of their own. Sorts by run within measured blocks. */
static void describe_coins(struct member *runs, struct analysis_used_runs *made)
{
    for (size_t i = 0; i < made->count; i++) {
        runs[i].block = runs[i].summary->block;
    }
    qsort(runs, made->count, sizeof *runs, compare_by_block);
    for (size_t i = 0; i < made->count;) {
        size_t size = block_size_at(runs, made->count, i);
        if (size == 2 || (size == 1 && made->coin == MODEL_COIN_RUN)) {
            struct stats_coin coin = {.count = size,
                                      .old_position = runs[i].summary->old_position};
            for (size_t j = 0; j < size; j++) {
                coin.runs[j] =
                    *analysis_losses_facts(runs[i + j].summary, made->reading);
            }
            made->coins[made->coin_count++] = coin;
        }
        i += size;
    }
}

static enum duet_code reserve(struct analysis_used_runs *made, size_t count,
                              struct duet_error *reterr)
{
    made->runs = alloc_array(count, sizeof(summary_ref));
    made->blocks = alloc_array(count, sizeof *made->blocks);
    made->coins = alloc_array(count, sizeof *made->coins);
    made->block_logs = alloc_array(count / 2, sizeof *made->block_logs);
    made->block_facts = alloc_array(count / 2, sizeof *made->block_facts);
    made->run_logs = alloc_array(count, sizeof *made->run_logs);
    made->assignment_logs = alloc_array(count, sizeof *made->assignment_logs);
    bool all = made->runs != NULL && made->blocks != NULL && made->coins != NULL &&
               made->block_logs != NULL && made->block_facts != NULL &&
               made->run_logs != NULL && made->assignment_logs != NULL;
    return all ? DUET_OK
               : error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", count);
}

static void take_members(const struct member *members, struct analysis_used_runs *made)
{
    for (size_t i = 0; i < made->count; i++) {
        made->runs[i] = members[i].summary;
        made->blocks[i] = members[i].block;
    }
}

static void select_members(struct member *members, size_t count, uint64_t sample_runs,
                           bool by_block, struct random_stream *stream,
                           struct analysis_used_runs *made)
{
    if (made->coin == MODEL_COIN_RUN) {
        pair_up(members, count);
    }
    made->count = sample(members, count, sample_runs, by_block, stream);
    made->block_count = bring_blocks_forward(members, made->count);
    made->left_out = made->count - 2 * made->block_count;
    take_members(members, made);
    describe_blocks(made);
    split_by_assignment(made);
    if (made->coin == MODEL_COIN_BLOCK) {
        qsort(members, made->count, sizeof *members, compare_by_run);
        take_members(members, made);
    }
    for (size_t i = 0; i < made->count; i++) {
        made->run_logs[i] =
            analysis_losses_facts(made->runs[i], made->reading)->log_ratio;
    }
    describe_coins(members, made);
}

enum duet_code analysis_used_runs_init(const struct analysis_run_summary *summaries,
                                       size_t count, enum analysis_reading reading,
                                       enum model_coin coin, uint64_t sample_runs,
                                       bool by_block, uint64_t seed,
                                       uint64_t stream_number,
                                       struct analysis_used_runs *ret_used,
                                       struct duet_error *reterr)
{
    struct analysis_used_runs made = {.reading = reading, .coin = coin};
    struct member *members = alloc_array(count, sizeof *members);
    if (members == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", count);
    }
    enum duet_code code = reserve(&made, count, reterr);
    if (code == DUET_OK) {
        struct random_stream stream = random_stream_at(seed, stream_number);
        for (size_t i = 0; i < count; i++) {
            members[i] = (struct member){&summaries[i], summaries[i].block, NULL};
        }
        select_members(members, count, sample_runs, by_block, &stream, &made);
        *ret_used = made;
    } else {
        analysis_used_runs_release(&made);
    }
    free(members);
    return code;
}

void analysis_used_runs_release(struct analysis_used_runs *used)
{
    if (used != NULL) {
        free(used->runs);
        free(used->blocks);
        free(used->coins);
        free(used->block_logs);
        free(used->block_facts);
        free(used->run_logs);
        free(used->assignment_logs);
        *used = (struct analysis_used_runs){0};
    }
}
