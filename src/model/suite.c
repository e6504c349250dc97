#include "model/suite.h"

#include <stdlib.h>

static void settings_release(struct model_suite_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i].name);
        free(settings->items[i].value);
    }
    free(settings->items);
}

static void variables_release(struct model_suite_variables *variables)
{
    for (size_t i = 0; i < variables->count; i++) {
        free(variables->items[i].name);
        free(variables->items[i].values[MODEL_OLD]);
        free(variables->items[i].values[MODEL_NEW]);
    }
    free(variables->items);
}

static void parameters_release(struct model_suite_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct model_suite_parameter *parameter = &parameters->items[i];
        for (size_t j = 0; j < parameter->count; j++) {
            free(parameter->values[j]);
        }
        for (size_t j = 0; j < 3; j++) {
            free(parameter->scan[j]);
        }
        free((void *)parameter->values);
        free(parameter->name);
    }
    free(parameters->items);
}

static void benchmark_release(struct model_suite_benchmark *benchmark)
{
    free(benchmark->name);
    free(benchmark->description);
    free(benchmark->commands[MODEL_OLD]);
    free(benchmark->commands[MODEL_NEW]);
    free(benchmark->check.sha256);
    free(benchmark->check.matches);
    free(benchmark->check.command);
    free(benchmark->check.file);
    variables_release(&benchmark->variables);
    parameters_release(&benchmark->parameters);
    settings_release(&benchmark->settings);
}

void model_suite_release(struct model_suite *suite)
{
    if (suite == NULL) {
        return;
    }
    for (size_t i = 0; i < suite->count; i++) {
        benchmark_release(&suite->benchmarks[i]);
    }
    free(suite->benchmarks);
    free(suite->path);
    free(suite->name);
    free(suite->description);
    free(suite->setup);
    free(suite->cleanup);
    variables_release(&suite->variables);
    parameters_release(&suite->parameters);
    settings_release(&suite->defaults);
    *suite = (struct model_suite){0};
}
