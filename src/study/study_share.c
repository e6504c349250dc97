#include "study/study_share.h"

#include <math.h>

double study_share(uint64_t hits, uint64_t of)
{
    return (double)hits / (double)of;
}

double study_share_pct(uint64_t hits, uint64_t of)
{
    return 100.0 * (double)hits / (double)of;
}

double study_share_error(double share, uint64_t of)
{
    return sqrt(share * (1.0 - share) / (double)of);
}
