#include "cli/verdict_exit.h"

#include "cli/cli.h"

#include <math.h>

int verdict_exit_worse(int a, int b)
{
    if (a == CLI_EXIT_FAILED || b == CLI_EXIT_FAILED) {
        return CLI_EXIT_FAILED;
    }
    return a != CLI_EXIT_OK ? a : b;
}

static int of_limit(const struct model_comparison *comparison,
                    const struct model_analysis *gate)
{
    double limit = 1 + gate->max_slowdown;
    if (comparison->interval.low > limit) {
        return CLI_EXIT_FAILED;
    }
    if (comparison->interval.high < limit) {
        return CLI_EXIT_OK;
    }
    return (gate->fail_on & MODEL_FAIL_ON_UNSURE) != 0 ? CLI_EXIT_UNSURE : CLI_EXIT_OK;
}

int verdict_exit(const struct model_comparison *comparison)
{
    const struct model_analysis *gate = &comparison->analysis;
    int status = CLI_EXIT_OK;
    switch (comparison->verdict) {
    case MODEL_VERDICT_SLOWER:
        status =
            (gate->fail_on & MODEL_FAIL_ON_SLOWER) != 0 ? CLI_EXIT_FAILED : CLI_EXIT_OK;
        break;
    case MODEL_VERDICT_FASTER:
        status =
            (gate->fail_on & MODEL_FAIL_ON_FASTER) != 0 ? CLI_EXIT_FAILED : CLI_EXIT_OK;
        break;
    case MODEL_VERDICT_UNSURE:
        /* With a limit, unsure means unsure about the limit. */
        status =
            (gate->fail_on & MODEL_FAIL_ON_UNSURE) != 0 && isnan(gate->max_slowdown)
                ? CLI_EXIT_UNSURE
                : CLI_EXIT_OK;
        break;
    case MODEL_VERDICT_SAME:
    case MODEL_VERDICT_FAILED: /* its status is CLI_EXIT_WORKLOAD */
    case MODEL_VERDICTS:
        break;
    }
    return isnan(gate->max_slowdown)
               ? status
               : verdict_exit_worse(status, of_limit(comparison, gate));
}
