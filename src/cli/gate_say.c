#include "cli/gate_say.h"

#include "base/text.h"
#include "cli/cli.h"
#include "report/gate_words.h"
#include "session/comparison/gating.h"

int gate_say_exit(enum model_gate_state state)
{
    return state == MODEL_GATE_FAILED   ? CLI_EXIT_FAILED
           : state == MODEL_GATE_UNSURE ? CLI_EXIT_UNSURE
                                        : CLI_EXIT_OK;
}

void gate_say_one(const struct model_comparison *comparison, bool several, bool quiet)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    bool passed = gate->state == MODEL_GATE_PASSED;
    bool open = gate_words_is_open(comparison);
    struct text text = {0};
    if (gate->state == MODEL_GATE_NONE ||
        (passed && (quiet || (several && !open && !gate_words_notable(comparison))))) {
        return;
    }
    gate_words_append(&text, comparison, several);
    cli_say("gate: %s", text_string(&text));
    text_release(&text);
}

int gate_say(const struct answer *answers, size_t count, bool several, bool quiet)
{
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
        own += answers[i].comparison.role == MODEL_ROLE_COMPARISON;
    }
    several = several && (own > 1 || own == count);
    for (size_t i = 0; i < count; i++) {
        if (!several || answers[i].experiment.state != STORE_INTERRUPTED) {
            gate_say_one(&answers[i].comparison, several, quiet);
        }
    }
    const struct model_gate_summary summary = gating_sum_up(answers, count, several);
    if (several && !quiet && summary.asked > 0 && summary.passed == summary.asked) {
        cli_say("gate: passed: all %zu benchmarks with a gate", summary.asked);
    }
    return gate_say_exit(summary.state);
}
