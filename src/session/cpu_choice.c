#include "session/cpu_choice.h"

#include "base/alloc.h"
#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

static enum duet_code parse_cpus(const char *text, struct model_cpu_set sets[2],
                                 struct duet_error *reterr)
{
    char *copy = alloc_string(text);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    char *comma = strchr(copy, ',');
    enum duet_code code = DUET_OK;
    if (comma != NULL) {
        *comma = '\0';
    }
    char *parts[2] = {copy, comma != NULL ? comma + 1 : NULL};
    if (parts[1] != NULL && strchr(parts[1], ',') != NULL) {
        code =
            error_set(reterr, DUET_E_USAGE,
                      "--cpus: '%s' has more than two sides, A,B: write several CPUs "
                      "of a side as 0-3 or 0+2",
                      text);
    }
    for (size_t i = 0; i < 2 && code == DUET_OK; i++) {
        sets[i].count = 0;
        if (parts[i] == NULL) {
            continue; /* one CPU is enough for schedules that use one */
        }
        for (char *c = parts[i]; *c != '\0'; c++) {
            if (*c == '+') {
                *c = ',';
            }
        }
        code = parse_cpu_list(parts[i], "--cpus", sets[i].cpus, MODEL_CPUS_MAX,
                              &sets[i].count, reterr);
    }
    free(copy);
    return code;
}

enum duet_code cpu_choice_find(const struct machine *machine,
                               const struct cpu_choice *choice,
                               struct model_cpu_set ret_sets[2],
                               struct duet_error *reterr)
{
    if (choice->cpus == NULL) {
        return machine_pick_cpus(machine, choice->solo, choice->per_position, ret_sets,
                                 reterr);
    }
    enum duet_code code = parse_cpus(choice->cpus, ret_sets, reterr);
    return code != DUET_OK
               ? code
               : machine_check_cpus(machine, choice->solo, ret_sets, reterr);
}

static bool are_equal(const struct model_cpu_set *set,
                      const struct model_cpu_set *other)
{
    return set->count == other->count &&
           memcmp(set->cpus, other->cpus, set->count * sizeof set->cpus[0]) == 0;
}

/* "0+2" */
static void append_set(struct text *text, const struct model_cpu_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        text_append_format(text, i == 0 ? "%u" : "+%u", set->cpus[i]);
    }
}

void cpu_choice_append_options(struct text *text, const struct machine *machine,
                               const struct model_cpu_set sets[2])
{
    const struct cpu_choice usual = {.per_position = sets[0].count,
                                     .solo = sets[1].count == 0};
    struct model_cpu_set chosen[2] = {{.count = 0}, {.count = 0}};
    struct duet_error ignored;
    if (machine_check_cpus(machine, usual.solo, sets, &ignored) != DUET_OK) {
        return;
    }
    if (cpu_choice_find(machine, &usual, chosen, &ignored) != DUET_OK ||
        !are_equal(&chosen[0], &sets[0]) || !are_equal(&chosen[1], &sets[1])) {
        text_append(text, " --cpus ");
        append_set(text, &sets[0]);
        text_append(text, usual.solo ? "" : ",");
        append_set(text, &sets[1]);
    } else if (sets[0].count > 1) {
        text_append_format(text, " --cpus-per-side %zu", sets[0].count);
    }
}
