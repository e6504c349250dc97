#include "session/stop_option.h"

#include "base/parse.h"

#include <string.h>

enum duet_code stop_option_rule(const char *word, const char *option,
                                enum analysis_stop_rule *ret_rule,
                                struct duet_error *reterr)
{
    if (!analysis_stop_rule_from_name(word, ret_rule)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "%s %s: expected metior, metior-artifact, basicbt, cov, pt4cloud or "
            "steady",
            option, word);
    }
    return DUET_OK;
}

enum duet_code stop_option_rules(const char *list, bool *ret_rules,
                                 struct duet_error *reterr)
{
    bool rules[ANALYSIS_STOP_RULES] = {false};
    char word[PARSE_WORD_BYTES];
    while (parse_next_word(&list, word)) {
        enum analysis_stop_rule rule = ANALYSIS_STOP_RULES;
        enum duet_code code = stop_option_rule(word, "--rules", &rule, reterr);
        if (code != DUET_OK) {
            return code;
        }
        rules[rule] = true;
    }
    memcpy(ret_rules, rules, sizeof rules);
    return DUET_OK;
}

enum duet_code stop_option_statistic(const char *word, const char *option,
                                     struct stats_statistic *ret_statistic,
                                     struct duet_error *reterr)
{
    double percent = 0.0;
    if (strcmp(word, "mean") == 0) {
        *ret_statistic = (struct stats_statistic){STATS_STATISTIC_MEAN, 0.0};
        return DUET_OK;
    }
    if (word[0] != 'p' || parse_number(word + 1, "", &percent, NULL) != DUET_OK ||
        !(percent > 0.0 && percent < 100.0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "%s %s: expected mean, or a percentile such as p90", option,
                         word);
    }
    *ret_statistic =
        (struct stats_statistic){STATS_STATISTIC_QUANTILE, percent / 100.0};
    return DUET_OK;
}

enum duet_code stop_option_statistics(const char *list,
                                      struct stats_statistic *ret_statistics,
                                      size_t most, size_t *ret_count,
                                      struct duet_error *reterr)
{
    char word[PARSE_WORD_BYTES];
    size_t count = 0;
    while (parse_next_word(&list, word)) {
        if (count == most) {
            return error_set(reterr, DUET_E_USAGE, "--statistics takes up to %zu",
                             most);
        }
        enum duet_code code =
            stop_option_statistic(word, "--statistics", &ret_statistics[count], reterr);
        if (code != DUET_OK) {
            return code;
        }
        count++;
    }
    *ret_count = count;
    return DUET_OK;
}

enum duet_code stop_option_errors(const char *list, double *ret_errors,
                                  size_t *ret_count, struct duet_error *reterr)
{
    char word[PARSE_WORD_BYTES];
    size_t count = 0;
    while (parse_next_word(&list, word)) {
        if (count == ANALYSIS_STOP_ERRORS_MAX) {
            return error_set(reterr, DUET_E_USAGE, "--errors takes up to %d",
                             ANALYSIS_STOP_ERRORS_MAX);
        }
        enum duet_code code = parse_share(word, "--errors", &ret_errors[count], reterr);
        if (code != DUET_OK) {
            return code;
        }
        count++;
    }
    *ret_count = count;
    return DUET_OK;
}
