#include "analysis/history/link.h"

#include <math.h>

bool analysis_link_usable(const struct analysis_link *link)
{
    return isfinite(link->ratio) && link->ratio > 0 && isfinite(link->low) &&
           link->low > 0 && isfinite(link->high) && link->high >= link->low &&
           link->confidence > 0 && link->confidence < 1;
}
