#include "study/grid/study_critical.h"

bool study_critical_is_reachable(size_t first, size_t second, double level)
{
    double orders = 1;
    for (size_t i = 1; i <= first && !(2 / orders <= level); i++) {
        orders *= (double)(second + i) / (double)i;
    }
    return 2 / orders <= level;
}

static enum duet_code p_of(struct stats_dominance dominance, uint64_t least,
                           double *ret_p, struct duet_error *reterr)
{
    struct stats_ranksum ranksum;
    dominance.greater = least;
    dominance.less = (uint64_t)dominance.first_count * dominance.second_count - least;
    enum duet_code code =
        stats_ranksum_test(&dominance, STATS_RANKSUM_EXACT, &ranksum, reterr);
    if (code == DUET_OK) {
        *ret_p = ranksum.p_value;
    }
    return code;
}

/* p grows with min(U, pairs - U): by halves, how many of its values reject. */
static enum duet_code find_least(const struct stats_dominance *dominance, double level,
                                 uint64_t *ret_rejecting, struct duet_error *reterr)
{
    uint64_t low = 0;
    uint64_t high = (uint64_t)dominance->first_count * dominance->second_count / 2 + 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double p_value = 0;
        enum duet_code code = p_of(*dominance, middle, &p_value, reterr);
        if (code != DUET_OK) {
            return code;
        }
        if (p_value <= level) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_rejecting = low;
    return DUET_OK;
}

static enum duet_code exact(struct study_critical *critical,
                            const struct stats_dominance *dominance, double level,
                            bool *ret_rejects, struct duet_error *reterr)
{
    uint64_t least =
        dominance->greater < dominance->less ? dominance->greater : dominance->less;
    for (size_t i = 0; i < critical->count; i++) {
        if (critical->sizes[i].first == dominance->first_count &&
            critical->sizes[i].second == dominance->second_count) {
            *ret_rejects = critical->sizes[i].any && least <= critical->sizes[i].least;
            return DUET_OK;
        }
    }
    if (critical->count == STUDY_CRITICAL_SIZES) {
        double p_value = 0;
        enum duet_code code = p_of(*dominance, least, &p_value, reterr);
        *ret_rejects = p_value <= level;
        return code;
    }
    uint64_t rejecting = 0;
    enum duet_code code = find_least(dominance, level, &rejecting, reterr);
    if (code == DUET_OK) {
        size_t at = critical->count++;
        critical->sizes[at].first = dominance->first_count;
        critical->sizes[at].second = dominance->second_count;
        critical->sizes[at].any = rejecting > 0;
        critical->sizes[at].least = rejecting > 0 ? rejecting - 1 : 0;
        *ret_rejects = rejecting > 0 && least < rejecting;
    }
    return code;
}

enum duet_code study_critical_rejects(struct study_critical *critical,
                                      const struct stats_dominance *dominance,
                                      double level, bool *ret_rejects,
                                      struct duet_error *reterr)
{
    if (!dominance->tied &&
        dominance->first_count <= STATS_RANKSUM_EXACT_PAIRS / dominance->second_count) {
        return exact(critical, dominance, level, ret_rejects, reterr);
    }
    struct stats_ranksum ranksum;
    enum duet_code code = stats_ranksum_test(dominance, STATS_RANKSUM_NORMAL_CONTINUITY,
                                             &ranksum, reterr);
    if (code == DUET_OK) {
        *ret_rejects = ranksum.p_value <= level;
    }
    return code;
}
