#include "model/fleet.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum duet_code model_words_add(struct model_words *words, const char *word,
                               struct duet_error *reterr)
{
    char **grown = alloc_resize((void *)words->list, words->count + 2, sizeof(char *));
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    words->list = grown;
    grown[words->count] = alloc_string(word);
    if (grown[words->count] == NULL) {
        return error_no_memory(reterr);
    }
    grown[++words->count] = NULL;
    return DUET_OK;
}

void model_words_release(struct model_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->list[i]);
    }
    free((void *)words->list);
    *words = (struct model_words){.list = NULL};
}

void model_fleet_plan_release(struct model_fleet_plan *plan)
{
    free(plan->suite);
    free(plan->folder);
    model_words_release(&plan->options);
    model_words_release(&plan->sbatch);
    *plan = (struct model_fleet_plan){.suite = NULL};
}

void model_fleet_state_release(struct model_fleet_state *state)
{
    for (size_t i = 0; i < state->ratio_count; i++) {
        free(state->ratios[i].name);
        free(state->ratios[i].acceptance);
    }
    free(state->ratios);
    *state = (struct model_fleet_state){.ratios = NULL};
}

void model_fleet_comparison(const struct model_fleet_answer *answer,
                            struct model_comparison *ret_comparison)
{
    const double unknown = (double)NAN;
    *ret_comparison = (struct model_comparison){
        .metric = "time",
        .ratio = answer->ratio,
        .interval = {.low = answer->low,
                     .high = answer->high,
                     .confidence = answer->confidence,
                     .method = answer->method},
        .interval_refused = answer->interval_refused,
        .verdict = answer->verdict,
        .same_within = answer->same_within,
        .could_have_seen = answer->could_have_seen,
        .runs = answer->instances,
        .p_value = answer->p_value,
        .family = {.p_adjusted = unknown},
        .analysis = model_analysis_default(),
        .acceptance = answer->acceptance,
    };
    memcpy(ret_comparison->name, answer->name, sizeof ret_comparison->name);
}
