#include "stats/bootstrap/sampler_private.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first child of every unit, level by level, and whether all adds up. */
static enum duet_code take_design(struct stats_sampler *sampler,
                                  const struct stats_levels *levels,
                                  struct duet_error *reterr)
{
    if (levels->depth < 1 || levels->depth > STATS_LEVELS_MAX ||
        levels->fixed >= levels->depth) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a design has 1 to %d levels, the last of them drawn; got %zu with %zu fixed",
            STATS_LEVELS_MAX, levels->depth, levels->fixed);
    }
    sampler->depth = levels->depth;
    sampler->fixed = levels->fixed;
    sampler->visits_even = true;
    size_t units = 1;
    for (size_t level = 0; level < levels->depth; level++) {
        bool is_leaf = level + 1 == levels->depth;
        size_t *starts = alloc_array(units, sizeof *starts);
        size_t *sizes = alloc_array(units, sizeof *sizes);
        sampler->starts[level] = starts;
        sampler->sizes[level] = sizes;
        sampler->even[level] = true;
        if (starts == NULL || sizes == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "no memory for a design");
        }
        size_t children = 0;
        for (size_t unit = 0; unit < units; unit++) {
            size_t size = levels->sizes[level][unit];
            if (size == 0) {
                return error_set(reterr, DUET_E_TOO_FEW,
                                 "unit %zu of level %zu is empty", unit + 1, level + 1);
            }
            if (size > sampler->count - children) {
                return error_set(reterr, DUET_E_DOMAIN,
                                 "level %zu has more units than there are values, %zu",
                                 level + 1, sampler->count);
            }
            starts[unit] = children;
            sizes[unit] = size;
            children += size;
            sampler->even[level] = sampler->even[level] && size == sizes[0];
        }
        units = children;
        sampler->children[level] = children;
        sampler->bounds[level] = stats_bound_of((uint32_t)sizes[0]);
        sampler->visits_even =
            sampler->visits_even &&
            (is_leaf || (sampler->even[level] && children <= SAMPLER_UNITS_AT_ONCE));
    }
    if (units != sampler->count) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the design has %zu values, but there are %zu", units,
                         sampler->count);
    }
    return DUET_OK;
}

static enum duet_code init(struct stats_sampler *sampler, double block_length,
                           const struct stats_levels *levels, struct duet_error *reterr)
{
    size_t count = sampler->count;
    if (count == 0 || count > UINT32_MAX) {
        return error_set(reterr, count == 0 ? DUET_E_TOO_FEW : DUET_E_DOMAIN,
                         "resampling needs 1 to 2^32 - 1 values, got %zu", count);
    }
    if (sampler->scheme == STATS_SCHEME_UNITS) {
        const size_t *const sizes[1] = {&count};
        const struct stats_levels plain = {.depth = 1, .sizes = sizes};
        return take_design(sampler, levels != NULL ? levels : &plain, reterr);
    }
    if (levels != NULL) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "blocks are drawn from one series; a design has no order");
    }
    if (!(block_length >= 0.5 && isfinite(block_length))) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a block must have at least one value, got a length of %g",
                         block_length);
    }
    return sampler_take_blocks(sampler, block_length, reterr);
}

enum duet_code stats_sampler_new(enum stats_scheme scheme, double block_length,
                                 const struct stats_levels *levels, size_t count,
                                 struct stats_sampler **ret_sampler,
                                 struct duet_error *reterr)
{
    struct stats_sampler *sampler = alloc_array(1, sizeof *sampler);
    if (sampler == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for resampling");
    }
    sampler->scheme = scheme;
    sampler->count = count;
    enum duet_code code = init(sampler, block_length, levels, reterr);
    if (code != DUET_OK) {
        stats_sampler_free(sampler);
        return code;
    }
    *ret_sampler = sampler;
    return DUET_OK;
}

void stats_sampler_free(struct stats_sampler *sampler)
{
    if (sampler != NULL) {
        for (size_t level = 0; level < STATS_LEVELS_MAX; level++) {
            free(sampler->starts[level]);
            free(sampler->sizes[level]);
        }
        free(sampler->longer_than);
        free(sampler);
    }
}

size_t stats_sampler_units(const struct stats_sampler *sampler)
{
    if (sampler->scheme != STATS_SCHEME_UNITS) {
        return sampler->count;
    }
    size_t units = 1;
    for (size_t level = 0; level <= sampler->fixed; level++) {
        units = sampler->starts[level][units - 1] + sampler->sizes[level][units - 1];
    }
    return units;
}

size_t stats_sampler_unit(const struct stats_sampler *sampler, size_t unit,
                          size_t *ret_count)
{
    size_t first = unit;
    size_t last = unit;
    for (size_t level = sampler->fixed + 1; level < sampler->depth; level++) {
        first = sampler->starts[level][first];
        last = sampler->starts[level][last] + sampler->sizes[level][last] - 1;
    }
    *ret_count = last - first + 1;
    return first;
}

size_t stats_sampler_draws(const struct stats_sampler *sampler)
{
    bool fixed = sampler->scheme == STATS_SCHEME_CIRCULAR ||
                 sampler->scheme == STATS_SCHEME_MOVING;
    return fixed ? sampler->blocks : sampler->count;
}

enum { LEAVES_AT_ONCE = 128, DRAWS_AT_ONCE = 256, CHILDREN_AT_ONCE = 64 };

/* A replicate on its way through the design. Leaves of equal size are summed many at a
 * time. */
struct walk {
    const struct stats_sampler *sampler;
    struct stats_source *sources;                /* one a level */
    struct stats_bound bounds[STATS_LEVELS_MAX]; /* of the unit last seen of a level */
    const double *values;                        /* NULL: a tally is wanted */
    const uint32_t *ranks;
    uint32_t *times;
    double lanes[STATS_LANES];
    size_t total;
    size_t leaves[LEAVES_AT_ONCE]; /* where their values begin */
    size_t waiting;
    size_t leaf_size;
    struct stats_bound leaf_bound;
};

static void add_leaves(struct walk *walk)
{
    struct stats_source *source = &walk->sources[walk->sampler->depth - 1];
    if (walk->values != NULL) {
        stats_draw_sums(source, &walk->leaf_bound, walk->values, walk->leaves,
                        walk->waiting, walk->leaf_size, walk->lanes);
        walk->waiting = 0;
        return;
    }
    for (size_t leaf = 0; leaf < walk->waiting; leaf++) {
        const uint32_t *ranks = walk->ranks + walk->leaves[leaf];
        for (size_t done = 0; done < walk->leaf_size;) {
            uint32_t drawn[DRAWS_AT_ONCE];
            size_t left = walk->leaf_size - done;
            size_t draws = left < DRAWS_AT_ONCE ? left : DRAWS_AT_ONCE;
            stats_draw_indices(source, &walk->leaf_bound, drawn, draws);
            for (size_t i = 0; i < draws; i++) {
                walk->times[ranks[drawn[i]]]++;
            }
            done += draws;
        }
    }
    walk->waiting = 0;
}

static inline void take_leaf(struct walk *walk, size_t unit)
{
    const struct stats_sampler *sampler = walk->sampler;
    size_t level = sampler->depth - 1;
    size_t size = walk->leaf_size;
    if (!sampler->even[level]) {
        size = sampler->sizes[level][unit];
    }
    if (walk->waiting == LEAVES_AT_ONCE || size != walk->leaf_size) {
        add_leaves(walk);
    }
    if (size != walk->leaf_size) {
        walk->leaf_size = size;
        walk->leaf_bound = stats_bound_of((uint32_t)size);
    }
    walk->leaves[walk->waiting++] = sampler->starts[level][unit];
    walk->total += size;
}

/* As deep as there are levels; units of one level mostly have one size. */
static void visit(struct walk *walk, size_t level, size_t unit)
{
    const struct stats_sampler *sampler = walk->sampler;
    if (level + 1 == sampler->depth) {
        take_leaf(walk, unit);
        return;
    }
    size_t first = sampler->starts[level][unit];
    size_t size = sampler->sizes[level][unit];
    const bool is_drawn = level >= sampler->fixed;
    const bool has_leaves = level + 2 == sampler->depth;
    if (is_drawn && walk->bounds[level].bound != size) {
        walk->bounds[level] = stats_bound_of((uint32_t)size);
    }
    for (size_t done = 0; done < size;) {
        uint32_t drawn[CHILDREN_AT_ONCE];
        size_t left = size - done;
        size_t now = left < CHILDREN_AT_ONCE ? left : CHILDREN_AT_ONCE;
        if (is_drawn) {
            stats_draw_indices(&walk->sources[level], &walk->bounds[level], drawn, now);
        }
        for (size_t i = 0; i < now; i++) {
            size_t child = first + (is_drawn ? drawn[i] : done + i);
            if (has_leaves) {
                take_leaf(walk, child);
            } else {
                visit(walk, level + 1, child);
            }
        }
        done += now;
    }
}

/* As take_leaf() for each of `units`, where all leaves have one size. */
static void take_even_leaves(struct walk *walk, const uint32_t *units, size_t count)
{
    size_t size = walk->leaf_size;
    for (size_t done = 0; done < count;) {
        if (walk->waiting == LEAVES_AT_ONCE) {
            add_leaves(walk);
        }
        size_t room = LEAVES_AT_ONCE - walk->waiting;
        size_t now = count - done < room ? count - done : room;
        size_t *leaves = walk->leaves + walk->waiting;
        for (size_t i = 0; i < now; i++) {
            leaves[i] = units[done + i] * size;
        }
        walk->waiting += now;
        done += now;
    }
    walk->total += count * size;
}

/* Makes children[u * size + i], the i-th child drawn from unit u, a unit of its level.
 */
static void number_children(const uint32_t *units, size_t count, size_t size,
                            uint32_t *children)
{
    for (size_t unit = 0; unit < count; unit++) {
        uint32_t first = units[unit] * (uint32_t)size;
        for (size_t i = 0; i < size; i++) {
            *children++ += first;
        }
    }
}

/* As visit() from the root, where units of a level all have one size: level by level,
 * which draws the same from each level's source. */
static void visit_even(struct walk *walk)
{
    const struct stats_sampler *sampler = walk->sampler;
    uint32_t units[SAMPLER_UNITS_AT_ONCE];
    size_t count = 1;
    units[0] = 0;
    for (size_t level = 0; level + 1 < sampler->depth; level++) {
        uint32_t drawn[SAMPLER_UNITS_AT_ONCE];
        size_t size = sampler->sizes[level][0];
        const bool is_drawn = level >= sampler->fixed;
        if (is_drawn) {
            stats_draw_indices(&walk->sources[level], &walk->bounds[level], drawn,
                               count * size);
        } else {
            for (size_t i = 0; i < count * size; i++) {
                drawn[i] = (uint32_t)(i % size);
            }
        }
        number_children(units, count, size, drawn);
        count *= size;
        memcpy(units, drawn, count * sizeof *units);
    }
    if (sampler->even[sampler->depth - 1]) {
        take_even_leaves(walk, units, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        take_leaf(walk, units[i]);
    }
}

static size_t walk_design(const struct stats_sampler *sampler,
                          const struct stats_draw_site *site, struct walk *walk)
{
    struct stats_source sources[STATS_LEVELS_MAX];
    for (size_t level = sampler->fixed; level < sampler->depth; level++) {
        /* As many as there are, unless units differ in size. */
        uint64_t wanted = sampler->children[level];
        walk->bounds[level] = sampler->bounds[level];
        stats_source_init(&sources[level], site->seed, site->stream,
                          site->part + (uint32_t)level,
                          stats_bound_rows(&walk->bounds[level], wanted), site->simd);
    }
    walk->leaf_bound = sampler->bounds[sampler->depth - 1];
    walk->leaf_size = sampler->sizes[sampler->depth - 1][0];
    walk->sampler = sampler;
    walk->sources = sources;
    if (sampler->visits_even) {
        visit_even(walk);
    } else {
        visit(walk, 0, 0);
    }
    add_leaves(walk);
    walk->sources = NULL;
    return walk->total;
}

double stats_sampler_sum(const struct stats_sampler *sampler,
                         const struct stats_draw_site *site,
                         const struct stats_summand *summand, size_t *ret_total)
{
    if (sampler->scheme != STATS_SCHEME_UNITS) {
        *ret_total = sampler->count;
        return sampler_sum_blocks(sampler, site, summand);
    }
    struct walk walk = {.values = summand->values};
    *ret_total = walk_design(sampler, site, &walk);
    return stats_lanes_sum(walk.lanes);
}

size_t stats_sampler_tally(const struct stats_sampler *sampler,
                           const struct stats_draw_site *site, const uint32_t *ranks,
                           uint32_t *times)
{
    if (sampler->scheme != STATS_SCHEME_UNITS) {
        sampler_tally_blocks(sampler, site, ranks, times);
        return sampler->count;
    }
    struct walk walk = {.ranks = ranks, .times = times};
    return walk_design(sampler, site, &walk);
}
