#include "stats/winsor.h"

static const double away = 0.2;

/* The two smallest and two largest values, and where the extremes are. */
struct ends {
    size_t lowest_at;
    size_t highest_at;
    double lowest;
    double second_lowest;
    double highest;
    double second_highest;
};

static struct ends find_ends(const double *values, size_t count)
{
    bool ascending = values[0] <= values[1];
    size_t low = ascending ? 0 : 1;
    size_t high = 1 - low;
    struct ends ends = {low,          high,         values[low],
                        values[high], values[high], values[low]};
    for (size_t i = 2; i < count; i++) {
        double value = values[i];
        if (value < ends.lowest) {
            ends.second_lowest = ends.lowest;
            ends.lowest = value;
            ends.lowest_at = i;
        } else if (value < ends.second_lowest) {
            ends.second_lowest = value;
        }
        if (value > ends.highest) {
            ends.second_highest = ends.highest;
            ends.highest = value;
            ends.highest_at = i;
        } else if (value > ends.second_highest) {
            ends.second_highest = value;
        }
    }
    return ends;
}

bool stats_winsorize_one(double *values, size_t count, enum stats_winsor_rule rule)
{
    if (count < 3) {
        return false;
    }
    struct ends ends = find_ends(values, count);
    bool too_high = false;
    bool too_low = false;
    if (rule == STATS_WINSOR_FACTOR) {
        too_high = ends.highest > (1.0 + away) * ends.second_highest;
        too_low = ends.lowest < ends.second_lowest / (1.0 + away);
    } else {
        double width_without_highest = ends.second_highest - ends.lowest;
        double width_without_lowest = ends.highest - ends.second_lowest;
        too_high = ends.highest > ends.second_highest + away * width_without_highest;
        too_low = ends.lowest < ends.second_lowest - away * width_without_lowest;
    }
    if (too_high && too_low) {
        /* Distances in logarithms compare as the quotients do, and these as what they
         * have above 1, which keeps its digits. */
        too_high = (ends.highest - ends.second_highest) / ends.second_highest >=
                   (ends.second_lowest - ends.lowest) / ends.lowest;
        too_low = !too_high;
    }
    if (too_high) {
        values[ends.highest_at] = ends.second_highest;
    } else if (too_low) {
        values[ends.lowest_at] = ends.second_lowest;
    }
    return too_high || too_low;
}
