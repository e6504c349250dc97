#include "analysis/runs/selection.h"

#include "analysis/runs/losses.h"
#include "base/alloc.h"
#include "base/random.h"

#include <stdlib.h>

typedef const struct analysis_digest *digest_ref;

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_by_run(const void *left, const void *right)
{
    digest_ref a = *(const digest_ref *)left;
    digest_ref b = *(const digest_ref *)right;
    return compare_u64(a->run, b->run);
}

static int compare_by_block(const void *left, const void *right)
{
    digest_ref a = *(const digest_ref *)left;
    digest_ref b = *(const digest_ref *)right;
    int order = compare_u64(a->block, b->block);
    return order != 0 ? order : compare_u64(a->run, b->run);
}

/* Runs sorted by block: how many from `at` on share its block. */
static size_t block_size_at(const digest_ref *runs, size_t count, size_t at)
{
    size_t size = 1;
    while (at + size < count && runs[at + size]->block == runs[at]->block) {
        size++;
    }
    return size;
}

/* Sorts by block and moves the whole blocks to the front; returns their number. */
static size_t bring_blocks_forward(digest_ref *runs, size_t count)
{
    size_t blocks = 0;
    qsort(runs, count, sizeof(digest_ref), compare_by_block);
    for (size_t i = 0; i < count;) {
        size_t size = block_size_at(runs, count, i);
        if (size == 2) {
            for (size_t j = 0; j < 2; j++) {
                digest_ref moved = runs[2 * blocks + j];
                runs[2 * blocks + j] = runs[i + j];
                runs[i + j] = moved;
            }
            blocks++;
        }
        i += size;
    }
    return blocks;
}

/* Brings a random choice of `wanted` units of `unit` runs each to the front. */
static void sample_units(digest_ref *runs, size_t units, size_t unit, size_t wanted,
                         struct random_stream *stream)
{
    for (size_t i = 0; i < wanted; i++) {
        size_t chosen = i + random_below(stream, (uint32_t)(units - i));
        for (size_t j = 0; j < unit; j++) {
            digest_ref moved = runs[i * unit + j];
            runs[i * unit + j] = runs[chosen * unit + j];
            runs[chosen * unit + j] = moved;
        }
    }
}

/* Returns how many runs, at the front of the array, are the sample. */
static size_t sample(digest_ref *runs, size_t count, uint64_t wanted, bool by_block,
                     struct random_stream *stream)
{
    if (wanted == 0 || wanted >= count) {
        return count;
    }
    if (!by_block) {
        qsort(runs, count, sizeof(digest_ref), compare_by_run);
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
static void describe_blocks(struct analysis_selection *made)
{
    for (size_t b = 0; b < made->block_count; b++) {
        struct stats_block_facts facts = {
            {*analysis_losses_facts(made->runs[2 * b], made->reading),
             *analysis_losses_facts(made->runs[2 * b + 1], made->reading)}};
        made->block_facts[b] = facts;
        made->block_logs[b] = 0.5 * (facts.runs[0].log_ratio + facts.runs[1].log_ratio);
    }
}

static void split_by_assignment(struct analysis_selection *made)
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

enum duet_code analysis_selection_init(const struct analysis_digest *digests,
                                       size_t count, enum analysis_reading reading,
                                       uint64_t sample_runs, bool by_block,
                                       uint64_t seed, uint64_t stream_number,
                                       struct analysis_selection *ret_selection,
                                       struct duet_error *reterr)
{
    struct analysis_selection made = {
        .reading = reading,
        .runs = alloc_array(count, sizeof(digest_ref)),
        .block_logs = alloc_array(count / 2, sizeof *made.block_logs),
        .block_facts = alloc_array(count / 2, sizeof *made.block_facts),
        .run_logs = alloc_array(count, sizeof *made.run_logs),
        .assignment_logs = alloc_array(count, sizeof *made.assignment_logs),
    };
    if (made.runs == NULL || made.block_logs == NULL || made.block_facts == NULL ||
        made.run_logs == NULL || made.assignment_logs == NULL) {
        analysis_selection_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu runs", count);
    }
    for (size_t i = 0; i < count; i++) {
        made.runs[i] = &digests[i];
    }
    struct random_stream stream = random_stream_at(seed, stream_number);
    made.count = sample(made.runs, count, sample_runs, by_block, &stream);
    made.block_count = bring_blocks_forward(made.runs, made.count);
    made.left_out = made.count - 2 * made.block_count;
    describe_blocks(&made);
    split_by_assignment(&made);
    qsort(made.runs, made.count, sizeof(digest_ref), compare_by_run);
    for (size_t i = 0; i < made.count; i++) {
        made.run_logs[i] = analysis_losses_facts(made.runs[i], reading)->log_ratio;
    }
    *ret_selection = made;
    return DUET_OK;
}

void analysis_selection_release(struct analysis_selection *selection)
{
    if (selection != NULL) {
        free(selection->runs);
        free(selection->block_logs);
        free(selection->block_facts);
        free(selection->run_logs);
        free(selection->assignment_logs);
        *selection = (struct analysis_selection){0};
    }
}
