#include "cli/exit_codes.h"

#include "cli/cli.h"

#include <string.h>

enum { EXIT_CODES_END = 128 };

static const char option[] = "--exit-codes";
static const char word[] = "git-bisect";

bool exit_codes_asked(int argc, char *const *argv)
{
    size_t length = strlen(option);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], option, length) != 0) {
            continue;
        }
        const char *value = argv[i][length] == '=' ? argv[i] + length + 1
                            : i + 1 < argc         ? argv[i + 1]
                                                   : "";
        if (strcmp(value, word) == 0) {
            return true;
        }
    }
    return false;
}

enum duet_code exit_codes_take(const char *value, bool *ret_git_bisect,
                               struct duet_error *reterr)
{
    if (strcmp(value, word) != 0 && strcmp(value, "duet") != 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--exit-codes %s: expected duet or git-bisect", value);
    }
    *ret_git_bisect = strcmp(value, word) == 0;
    return DUET_OK;
}

int exit_codes_judge(const struct model_comparison *comparison)
{
    if (comparison->role != MODEL_ROLE_COMPARISON) {
        return EXIT_CODES_FAST; /* it speaks by the gate of its comparison */
    }
    if (comparison->gate.confirmation == MODEL_NOT_CONFIRMED) {
        return EXIT_CODES_SKIP;
    }
    if (model_comparison_is_measured(comparison) &&
        comparison->gate.to_limit != MODEL_GATE_NO_LIMIT) {
        return comparison->gate.by_limit                       ? EXIT_CODES_SLOW
               : comparison->gate.to_limit == MODEL_GATE_BELOW ? EXIT_CODES_FAST
                                                               : EXIT_CODES_SKIP;
    }
    switch (comparison->verdict) {
    case MODEL_VERDICT_SLOWER:
        return EXIT_CODES_SLOW;
    case MODEL_VERDICT_FASTER:
    case MODEL_VERDICT_SAME:
    case MODEL_VERDICT_IDENTICAL:
        return EXIT_CODES_FAST;
    case MODEL_VERDICT_UNSURE:
    case MODEL_VERDICT_FAILED:
    case MODEL_VERDICTS:
        break;
    }
    return EXIT_CODES_SKIP;
}

int exit_codes_worse(int a, int b)
{
    if (a == EXIT_CODES_SLOW || b == EXIT_CODES_SLOW) {
        return EXIT_CODES_SLOW;
    }
    return a > b ? a : b;
}

int exit_codes_of(int status, int judged)
{
    switch (status) {
    case CLI_EXIT_OK:
    case CLI_EXIT_FAILED:
    case CLI_EXIT_UNSURE:
        return judged;
    case CLI_EXIT_WORKLOAD:
        return EXIT_CODES_SKIP;
    case CLI_EXIT_INTERRUPTED:
        return status;
    default:
        return EXIT_CODES_END;
    }
}
