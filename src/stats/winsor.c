#include "stats/winsor.h"

static const double away = 0.2;

static void begin(struct stats_ends *ends, double value)
{
    if (ends->count == 1) {
        *ends = (struct stats_ends){.lowest = value, .highest = value};
    } else if (ends->lowest <= value) {
        ends->highest_at = 1;
        ends->second_lowest = ends->highest = value;
        ends->second_highest = ends->lowest;
    } else {
        ends->lowest_at = 1;
        ends->second_lowest = ends->highest;
        ends->second_highest = ends->lowest = value;
    }
}

void stats_ends_add(struct stats_ends *ends, double value)
{
    uint64_t at = ends->count++;
    if (at < 2) {
        begin(ends, value);
        ends->count = at + 1;
        return;
    }
    if (value < ends->lowest) {
        ends->second_lowest = ends->lowest;
        ends->lowest = value;
        ends->lowest_at = at;
    } else if (value < ends->second_lowest) {
        ends->second_lowest = value;
    }
    if (value > ends->highest) {
        ends->second_highest = ends->highest;
        ends->highest = value;
        ends->highest_at = at;
    } else if (value > ends->second_highest) {
        ends->second_highest = value;
    }
}

bool stats_ends_winsorized(const struct stats_ends *ends, enum stats_winsor_rule rule,
                           uint64_t *ret_at, double *ret_value)
{
    bool too_high = false;
    bool too_low = false;
    if (ends->count < 3) {
        return false;
    }
    if (rule == STATS_WINSOR_FACTOR) {
        too_high = ends->highest > (1.0 + away) * ends->second_highest;
        too_low = ends->lowest < ends->second_lowest / (1.0 + away);
    } else {
        double width_without_highest = ends->second_highest - ends->lowest;
        double width_without_lowest = ends->highest - ends->second_lowest;
        too_high = ends->highest > ends->second_highest + away * width_without_highest;
        too_low = ends->lowest < ends->second_lowest - away * width_without_lowest;
    }
    if (too_high && too_low) {
        /* Distances in logarithms compare as the quotients do, and these as what they
         * have above 1, which keeps its digits. */
        too_high = (ends->highest - ends->second_highest) / ends->second_highest >=
                   (ends->second_lowest - ends->lowest) / ends->lowest;
        too_low = !too_high;
    }
    if (too_high || too_low) {
        *ret_at = too_high ? ends->highest_at : ends->lowest_at;
        *ret_value = too_high ? ends->second_highest : ends->second_lowest;
    }
    return too_high || too_low;
}

bool stats_winsorize_one(double *values, size_t count, enum stats_winsor_rule rule)
{
    struct stats_ends ends = {0};
    uint64_t at = 0;
    double value = 0.0;
    for (size_t i = 0; i < count; i++) {
        stats_ends_add(&ends, values[i]);
    }
    bool found = stats_ends_winsorized(&ends, rule, &at, &value);
    if (found) {
        values[at] = value;
    }
    return found;
}
