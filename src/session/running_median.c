#include "session/running_median.h"

#include "base/alloc.h"
#include "stats/rank/order.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Values are narrowed down by so many bits of their patterns at a time. */
enum { STEP_BITS = 16, STEP_BUCKETS = 1 << STEP_BITS, PATTERN_BITS = 64 };
enum { BLOCK = 8192 };

/* ---- The file ---- */

static int open_unnamed(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] != NULL && folders[i][0] != '\0') {
            fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        }
    }
    return fd;
}

static bool write_all(int fd, const void *bytes, size_t size, off_t at)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t written = pwrite(fd, from, size, at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        from += written;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t size, off_t at)
{
    char *to = bytes;
    while (size > 0) {
        ssize_t got = pread(fd, to, size, at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        to += got;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Those in memory go to the file. */
static void file_kept(struct running_median *median)
{
    if (median->filed == 0) {
        median->file = open_unnamed();
        median->lost = median->file < 0;
    }
    size_t size = median->count * sizeof *median->kept;
    if (!median->lost && !write_all(median->file, median->kept, size,
                                    (off_t)(median->filed * sizeof *median->kept))) {
        median->lost = true;
    }
    median->filed += median->count;
    median->count = 0;
}

enum duet_code running_median_add(struct running_median *median, const double *values,
                                  size_t count, struct duet_error *reterr)
{
    while (count > 0 && !median->lost) {
        if (median->count == RUNNING_MEDIAN_KEPT) {
            file_kept(median);
        }
        size_t room = RUNNING_MEDIAN_KEPT - median->count;
        size_t some = count < room ? count : room;
        if (median->capacity < median->count + some) {
            size_t capacity = 2 * (median->count + some);
            capacity = capacity < RUNNING_MEDIAN_KEPT ? capacity : RUNNING_MEDIAN_KEPT;
            double *grown = alloc_resize(median->kept, capacity, sizeof *grown);
            if (grown == NULL) {
                return error_no_memory(reterr);
            }
            median->kept = grown;
            median->capacity = capacity;
        }
        memcpy(median->kept + median->count, values, some * sizeof *values);
        median->count += some;
        values += some;
        count -= some;
    }
    return DUET_OK;
}

/* ---- Order statistics of the file ---- */

/* Those whose leading bits are known already. Patterns of positive doubles have the
 * order of the numbers. */
struct search {
    const struct running_median *median;
    double *block; /* BLOCK values */
    uint64_t *counts;
    double *found; /* RUNNING_MEDIAN_KEPT values */
    uint64_t prefix;
    unsigned known_bits;
};

static uint64_t pattern_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_candidate(const struct search *search, uint64_t pattern)
{
    return search->known_bits == 0 ||
           pattern >> (PATTERN_BITS - search->known_bits) == search->prefix;
}

/* Counts the candidates by their next bits, or gathers them; how many were gathered. */
static bool pass(const struct search *search, bool gather, size_t *ret_found)
{
    const struct running_median *median = search->median;
    size_t found = 0;
    for (uint64_t at = 0; at < median->filed; at += BLOCK) {
        size_t count =
            median->filed - at < BLOCK ? (size_t)(median->filed - at) : BLOCK;
        if (!read_all(median->file, search->block, count * sizeof *search->block,
                      (off_t)(at * sizeof *search->block))) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t pattern = pattern_of(search->block[i]);
            if (!is_candidate(search, pattern)) {
                continue;
            }
            if (gather) {
                search->found[found++] = search->block[i];
            } else {
                search->counts[pattern >>
                                   (PATTERN_BITS - STEP_BITS - search->known_bits) &
                               (STEP_BUCKETS - 1)]++;
            }
        }
    }
    *ret_found = found;
    return true;
}

/* The value with so many below it in order. false: the file cannot be read. */
static bool order_statistic(struct search *search, uint64_t rank, double *ret_value)
{
    uint64_t candidates = search->median->filed;
    size_t found = 0;
    search->prefix = 0;
    search->known_bits = 0;
    while (candidates > RUNNING_MEDIAN_KEPT && search->known_bits < PATTERN_BITS) {
        memset(search->counts, 0, STEP_BUCKETS * sizeof *search->counts);
        if (!pass(search, false, &found)) {
            return false;
        }
        uint64_t bucket = 0;
        while (rank >= search->counts[bucket]) {
            rank -= search->counts[bucket++];
        }
        candidates = search->counts[bucket];
        search->prefix = search->prefix << STEP_BITS | bucket;
        search->known_bits += STEP_BITS;
    }
    if (search->known_bits == PATTERN_BITS) { /* many equal ones */
        memcpy(ret_value, &search->prefix, sizeof *ret_value);
        return true;
    }
    if (!pass(search, true, &found)) {
        return false;
    }
    stats_select(search->found, found, (size_t)rank);
    *ret_value = search->found[rank];
    return true;
}

static double median_of_file(struct running_median *median)
{
    file_kept(median);
    struct search search = {.median = median,
                            .block = alloc_array(BLOCK, sizeof *search.block),
                            .counts = alloc_array(STEP_BUCKETS, sizeof *search.counts),
                            .found =
                                alloc_array(RUNNING_MEDIAN_KEPT, sizeof *search.found)};
    double low = (double)NAN;
    double high = (double)NAN;
    uint64_t lower = (median->filed - 1) / 2;
    bool known = search.block != NULL && search.counts != NULL &&
                 search.found != NULL && !median->lost &&
                 order_statistic(&search, lower, &low);
    bool odd = median->filed % 2 == 1;
    if (known && !odd) {
        known = order_statistic(&search, lower + 1, &high);
    }
    free(search.block);
    free(search.counts);
    free(search.found);
    return !known ? (double)NAN : odd ? low : stats_interpolate(low, high, 0.5);
}

double running_median_value(struct running_median *median)
{
    double value = (double)NAN;
    if (median->lost || median->filed > 0) {
        return median->lost ? value : median_of_file(median);
    }
    /* Where there is none it stays unknown. */
    (void)!stats_quantile_type7(median->kept, median->count, 0.5, &value, NULL);
    return value;
}

void running_median_release(struct running_median *median)
{
    if (median->filed > 0 && median->file >= 0) {
        (void)close(median->file);
    }
    free(median->kept);
    *median = (struct running_median){0};
}
