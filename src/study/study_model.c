#include "study/study_model.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double pareto_exponent = 2.5;
static const double ar1_correlation = 0.4;
static const double rare_mode_share = 0.2;

const char *study_model_name(enum study_model model)
{
    static const char *const names[] = {"normal",  "lognormal", "pareto",
                                        "bimodal", "ar1",       "twolevel"};
    return (unsigned)model < STUDY_MODELS ? names[model] : "unknown";
}

size_t study_model_iterations(enum study_model model)
{
    return model == STUDY_MODEL_TWOLEVEL ? STUDY_ITERATIONS_MAX : 1;
}

/* Box and Muller 1958. */
static double normal(struct random_stream *stream)
{
    double radius = sqrt(-2.0 * log(random_uniform(stream)));
    return radius * cos(2.0 * pi * random_uniform(stream));
}

static double independent(enum study_model model, struct random_stream *stream)
{
    switch (model) {
    case STUDY_MODEL_LOGNORMAL:
        return (exp(normal(stream)) - exp(0.5)) / (exp(0.5) * sqrt(exp(1.0) - 1.0));
    case STUDY_MODEL_PARETO: {
        double mean = pareto_exponent / (pareto_exponent - 1.0);
        double variance = mean / (pareto_exponent - 1.0) / (pareto_exponent - 2.0);
        double value = pow(random_uniform(stream), -1.0 / pareto_exponent);
        return (value - mean) / sqrt(variance);
    }
    case STUDY_MODEL_BIMODAL: {
        double mode = random_uniform(stream) < rare_mode_share ? 2.0 : -0.5;
        return mode + 0.1 * normal(stream);
    }
    case STUDY_MODEL_NORMAL:
    case STUDY_MODEL_AR1:
    case STUDY_MODEL_TWOLEVEL:
    case STUDY_MODELS:
        break;
    }
    return normal(stream);
}

void study_model_draw(enum study_model model, struct random_stream *stream,
                      double *ret_values, size_t count)
{
    size_t iterations = study_model_iterations(model);
    double within = sqrt(0.5 * (double)iterations);
    double before = model == STUDY_MODEL_AR1 ? normal(stream) : 0.0;
    double fresh = sqrt(1.0 - ar1_correlation * ar1_correlation);
    for (size_t r = 0; r < count; r++) {
        double value = independent(model, stream);
        if (model == STUDY_MODEL_AR1) {
            before = value = ar1_correlation * before + fresh * value;
        } else if (model == STUDY_MODEL_TWOLEVEL) {
            value *= sqrt(0.5);
        }
        for (size_t i = 0; i < iterations; i++) {
            bool spread = model == STUDY_MODEL_TWOLEVEL;
            ret_values[r * iterations + i] =
                spread ? value + within * normal(stream) : value;
        }
    }
}
