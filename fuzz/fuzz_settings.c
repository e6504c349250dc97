// link: duet_session
/* Options of `duet run`, `suite`, `show`, `compare` and `watch` by their names
 * (session/comparison/run_request.h): the input is lines "NAME VALUE", taken one after
 * the other and then settled together. */
#include "session/comparison/analysis_setting.h"
#include "session/comparison/run_request.h"
#include "session/stop_option.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

static void require_told(enum duet_code code, const struct duet_error *error)
{
    require(code == DUET_OK || (error->code == code && error->message[0] != '\0'));
}

static void try_stop_options(const char *value)
{
    bool rules[ANALYSIS_STOP_RULES];
    struct stats_statistic statistics[4];
    double errors[ANALYSIS_STOP_ERRORS_MAX];
    size_t count = 0;
    (void)!stop_option_rules(value, rules, NULL);
    if (stop_option_statistics(value, statistics, 4, &count, NULL) == DUET_OK) {
        require(count >= 1 && count <= 4);
    }
    if (stop_option_errors(value, errors, &count, NULL) == DUET_OK) {
        require(count >= 1 && count <= ANALYSIS_STOP_ERRORS_MAX);
        for (size_t i = 0; i < count; i++) {
            require(errors[i] > 0 && errors[i] < 1);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct duet_error error = {0};
    struct run_request request;
    struct analysis_overrides overrides = {0};
    char *text = calloc(size + 1, 1);
    require(text != NULL);
    memcpy(text, data, size);
    run_request_init(&request);
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        char *value = strchr(line, ' ');
        if (value != NULL) {
            *value++ = '\0';
            enum duet_code code = run_setting_take(&request, line, value, &error);
            require_told(code, &error);
            code = analysis_overrides_add(&overrides, line, value, &error);
            require_told(code, &error);
            try_stop_options(value);
        }
        line = end == NULL ? NULL : end + 1;
    }
    require_told(run_request_settle(&request, &error), &error);
    struct model_analysis analysis = request.analysis;
    require_told(analysis_overrides_apply(&overrides, true, &analysis, &error), &error);
    (void)run_request_family(&request);
    run_request_release(&request);
    free(text);
    return 0;
}
