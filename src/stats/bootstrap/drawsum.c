#include "stats/bootstrap/drawkernel.h"

#if SIMD_X86

#include "base/philox_lanes.h"

/* Words are made where they are used, ROWS rows at a time. While the values that some
 * rows draw are loaded, the rounds are computed that make the rows after the next: the
 * two wait for different parts of the CPU, which does not look far enough ahead to
 * bring them together by itself. */
enum {
    LANES = STATS_ROW_WORDS,
    VECTORS = 2, /* of blocks that are made at a time */
    ROWS = VECTORS * PHILOX_WORDS,
    /* Before this row the next rows' rejected words are replaced: long after it is
     * known whether there are any, and long before they are used. */
    REPLACE_AT = 3
};

/* The groups that are drawn from: `left` draws of the one that begins at values +
 * begun, then `draws` of each at `offsets`. */
struct places {
    const double *values;
    const size_t *offsets;
    size_t draws;
    size_t left;
    size_t begun;
};

static uint8_t first_bits(size_t count)
{
    return (uint8_t)(count >= LANES ? UINT8_MAX : (1U << count) - 1U);
}

/* The offsets of the next eight draws, which are of several groups. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) __m512i
several_groups(struct places *places)
{
    __m512i mixed = _mm512_set1_epi64((long long)places->begun);
    size_t done = places->left;
    do {
        places->begun = *places->offsets++;
        mixed = _mm512_mask_mov_epi64(_mm512_set1_epi64((long long)places->begun),
                                      first_bits(done), mixed);
        done += places->draws;
    } while (done < LANES);
    places->left = done - LANES;
    return mixed;
}

/* values[drawn] into a register that is zero before: not to wait for what was in it. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) __m512d
load(const double *values, __m512i drawn)
{
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), UINT8_MAX, drawn, values, 8);
}

/* The values at the next eight draws. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) __m512d
find(struct places *places, __m512i drawn)
{
    if (__builtin_expect(places->left >= LANES, 1)) {
        places->left -= LANES;
        return load(places->values + places->begun, drawn);
    }
    return load(places->values, _mm512_add_epi64(drawn, several_groups(places)));
}

/* What words are drawn with. */
struct factors {
    __m512i bound;
    __m512i values; /* bound ^ digits */
    __m512i threshold;
};

SIMD_TARGET_AVX512 static inline struct factors
factors_of(const struct stats_bound *bound)
{
    uint32_t values = 1;
    for (uint32_t digit = 0; digit < bound->digits; digit++) {
        values *= bound->bound;
    }
    return (struct factors){_mm512_set1_epi64(bound->bound), _mm512_set1_epi64(values),
                            _mm512_set1_epi64(bound->threshold)};
}

/* Rows of words, each in the low half of a lane. In memory, where the rare rejected
 * word can be replaced without disturbing what is in registers. */
struct rows {
    alignas(64) uint64_t words[ROWS][LANES];
};

/* How a source's words are made. */
struct maker {
    const struct stats_source *source;
    const struct stats_bound *bound;
    const struct philox_keys *keys;
    uint32_t counter[4];
};

/* Replaces what is rejected of the rows from `row` on. */
SIMD_TARGET_AVX512 static __attribute__((noinline)) void
replace(const struct maker *maker, uint64_t row, struct rows *rows)
{
    struct factors factors = factors_of(maker->bound);
    uint64_t rejected = 0;
#pragma GCC unroll 8
    for (size_t r = 0; r < ROWS; r++) {
        __m512i low =
            _mm512_mul_epu32(_mm512_load_si512(rows->words[r]), factors.values);
        low = _mm512_and_si512(low, _mm512_set1_epi64(UINT32_MAX));
        uint64_t below = _mm512_cmplt_epu64_mask(low, factors.threshold);
        rejected |= below << r * LANES;
    }
    for (; rejected != 0; rejected &= rejected - 1) {
        size_t word = (size_t)__builtin_ctzll(rejected);
        rows->words[word / LANES][word % LANES] =
            draw_word_again(maker->source, maker->bound, row * LANES + word);
    }
}

/* Begins the rows from `row` on. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
begin(const struct maker *maker, uint64_t row, __m512i made[VECTORS][PHILOX_WORDS])
{
    uint64_t block = ((uint64_t)maker->counter[1] << 32U | maker->counter[0]) +
                     (row - maker->source->rows) * (LANES / PHILOX_WORDS);
#pragma GCC unroll 2
    for (uint64_t v = 0; v < VECTORS; v++) {
        philox_begin_avx512(made[v], block + PHILOX_LANES_AVX512 * v, maker->counter);
    }
}

/* The rows that `made` has become; returns whether a word of them is rejected. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) bool
finish(const struct factors *factors, __m512i made[VECTORS][PHILOX_WORDS],
       struct rows *ret_rows)
{
    const __m512i of_row =
        _mm512_set_epi32(19, 19, 18, 18, 3, 3, 2, 2, 17, 17, 16, 16, 1, 1, 0, 0);
    __m512i low = _mm512_set1_epi32(-1);
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; v++) {
        __m512i packed[2];
        philox_pack_avx512(made[v], packed);
#pragma GCC unroll 4
        for (int r = 0; r < PHILOX_WORDS; r++) {
            __m512i at = _mm512_add_epi32(of_row, _mm512_set1_epi32(4 * r));
            __m512i words = _mm512_permutex2var_epi32(packed[0], at, packed[1]);
            _mm512_store_si512(ret_rows->words[v * PHILOX_WORDS + r], words);
            low = _mm512_min_epu32(low, _mm512_mul_epu32(words, factors->values));
        }
    }
    const __mmask16 low_halves = 0x5555;
    return _mm512_mask_cmplt_epu32_mask(low_halves, low, factors->threshold) != 0;
}

/* Adds what a row of words draws. digits: 2 or 4, a constant where it is called. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) void
add_row(const uint64_t words[LANES], const struct factors *factors, uint32_t digits,
        struct places *places, __m512d lanes[2])
{
    __m512i rest = _mm512_load_si512(words);
#pragma GCC unroll 4
    for (uint32_t digit = 0; digit < digits; digit++) {
        rest = _mm512_mul_epu32(rest, factors->bound);
        __m512i drawn = _mm512_srli_epi64(rest, 32);
        lanes[digit % 2] = _mm512_add_pd(lanes[digit % 2], find(places, drawn));
    }
}

/* Adds the first `draws` draws of the rows; returns how many of them do not fill a
 * vector. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) size_t
add_last(const struct rows *rows, const struct factors *factors, uint32_t digits,
         size_t draws, struct places *places, __m512d lanes[2], uint32_t *ret_rest)
{
    size_t row = 0;
    for (; draws >= (size_t)LANES * digits; draws -= (size_t)LANES * digits) {
        add_row(rows->words[row++], factors, digits, places, lanes);
    }
    if (draws == 0) {
        return 0;
    }
    __m512i rest = _mm512_load_si512(rows->words[row]);
#pragma GCC unroll 4
    for (uint32_t digit = 0; digit < digits; digit++) {
        rest = _mm512_mul_epu32(rest, factors->bound);
        __m512i drawn = _mm512_srli_epi64(rest, 32);
        if (draws < LANES) {
            _mm256_storeu_si256((__m256i *)(void *)ret_rest,
                                _mm512_cvtepi64_epi32(drawn));
            break;
        }
        lanes[digit % 2] = _mm512_add_pd(lanes[digit % 2], find(places, drawn));
        draws -= LANES;
    }
    return draws;
}

/* Makes rows and adds what they draw; returns how many draws do not fill a vector. */
SIMD_TARGET_AVX512 static inline __attribute__((always_inline)) size_t
add_rows(const struct maker *maker, uint32_t digits, uint64_t total,
         struct places *places, __m512d lanes[2], uint32_t *ret_rest)
{
    const size_t draws = (size_t)ROWS * LANES * digits;
    const struct factors factors = factors_of(maker->bound);
    __m512i made[VECTORS][PHILOX_WORDS];
    struct rows rows[2];
    struct rows *now = &rows[0];
    struct rows *next = &rows[1];
    uint64_t row = maker->source->rows;
    begin(maker, row, made);
    philox_rounds_avx512(VECTORS, made, maker->keys, 0, PHILOX_ROUNDS);
    if (finish(&factors, made, now)) {
        replace(maker, row, now);
    }
    if (total > draws) {
        row += ROWS;
        begin(maker, row, made);
        philox_rounds_avx512(VECTORS, made, maker->keys, 0, PHILOX_ROUNDS);
    }
    for (; total > 2 * draws; total -= draws) {
        bool rejected = finish(&factors, made, next);
        begin(maker, row + ROWS, made);
#pragma GCC unroll 8
        for (size_t r = 0; r < ROWS; r++) {
            if (r == REPLACE_AT && __builtin_expect(rejected, 0)) {
                replace(maker, row, next);
            }
            philox_rounds_avx512(VECTORS, made, maker->keys, r * PHILOX_ROUNDS / ROWS,
                                 (r + 1) * PHILOX_ROUNDS / ROWS);
            add_row(now->words[r], &factors, digits, places, lanes);
        }
        row += ROWS;
        struct rows *done = now;
        now = next;
        next = done;
    }
    if (total > draws) {
        if (finish(&factors, made, next)) {
            replace(maker, row, next);
        }
        (void)add_last(now, &factors, digits, draws, places, lanes, ret_rest);
        total -= draws;
        now = next;
    }
    return add_last(now, &factors, digits, (size_t)total, places, lanes, ret_rest);
}

SIMD_TARGET_AVX512 size_t draw_add_avx512(const struct stats_source *source,
                                          const struct stats_bound *bound,
                                          struct draw_sum *sum, uint32_t *ret_rest)
{
    const struct philox_keys keys = philox_keys_of(source->key);
    struct maker maker = {source, bound, &keys, {0}};
    draw_counter(source, source->rows, maker.counter);
    struct places places = {sum->values, sum->offsets, sum->draws, sum->left,
                            sum->begun};
    __m512d lanes[2] = {_mm512_loadu_pd(sum->lanes),
                        _mm512_loadu_pd(sum->lanes + LANES)};
    size_t rest = bound->digits == 4
                      ? add_rows(&maker, 4, sum->total, &places, lanes, ret_rest)
                      : add_rows(&maker, 2, sum->total, &places, lanes, ret_rest);
    _mm512_storeu_pd(sum->lanes, lanes[0]);
    _mm512_storeu_pd(sum->lanes + LANES, lanes[1]);
    sum->lane = sum->total / LANES % 2 * LANES;
    sum->total = rest;
    sum->offsets = places.offsets;
    sum->left = places.left;
    sum->begun = places.begun;
    return rest;
}

#else

typedef int drawsum_without_vectors; /* a translation unit may not be empty */

#endif
