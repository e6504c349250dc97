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
