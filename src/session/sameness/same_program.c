#include "session/sameness/same_program.h"

#include "base/alloc.h"
#include "measure/launch.h"
#include "session/sameness/same_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char note[] =
    "old and new are the same command: any difference is a false alarm; 'duet aa' is made for this";

enum duet_code same_program_note(struct store *store, struct answer *answer,
                                 struct duet_error *reterr)
{
    bool equal = false;
    if (answer->experiment.host.host_name[0] == '\0') {
        return DUET_OK;
    }
    enum duet_code code =
        store_sides_equal(store, answer->experiment.id, &equal, reterr);
    if (code == DUET_OK && equal) {
        model_comparison_warn(&answer->comparison, MODEL_WARNING_WORKLOAD, "%s", note);
    }
    return code;
}

void same_program_meant(struct model_comparison *comparison)
{
    size_t kept = 0;
    for (size_t i = 0; i < comparison->warning_count; i++) {
        if (strcmp(comparison->warnings[i].text, note) != 0) {
            comparison->warnings[kept++] = comparison->warnings[i];
        }
    }
    comparison->warning_count = kept;
}

static bool same_arguments(const char *const *old_words, const char *const *new_words)
{
    size_t i = 1;
    while (old_words[i] != NULL && new_words[i] != NULL &&
           strcmp(old_words[i], new_words[i]) == 0) {
        i++;
    }
    return old_words[i] == NULL && new_words[i] == NULL;
}

/* A Python of a virtual environment is often a link to another one, and yet runs with
 * the packages around it. */
static bool has_packages(const char *program)
{
    const char *slash = strrchr(program, '/');
    char *path = slash == NULL ? NULL
                               : alloc_format("%.*s/../pyvenv.cfg",
                                              (int)(slash - program), program);
    bool found = path != NULL && access(path, F_OK) == 0;
    free(path);
    return found;
}

/* What they have in common; NULL: nothing that is known. */
static const char *relation(const struct model_plan *plan)
{
    char *found[MODEL_SIDES] = {NULL, NULL};
    struct stat status[MODEL_SIDES];
    const char *words = NULL;
    bool known = true;
    for (int side = 0; side < MODEL_SIDES && known; side++) {
        known = launch_find_in(plan->sides[side].folder, plan->sides[side].argv[0],
                               &found[side], NULL) == DUET_OK &&
                stat(found[side], &status[side]) == 0 && !has_packages(found[side]);
    }
    if (known && status[0].st_dev == status[1].st_dev &&
        status[0].st_ino == status[1].st_ino) {
        words = "are the same file";
    } else if (known && same_code_of(found[0], found[1]) != SAME_CODE_DIFFERS) {
        words = "are the same program";
    }
    free(found[0]);
    free(found[1]);
    return words;
}

void same_program_warn(const struct model_plan *plan, const struct listener *listener)
{
    const char *const programs[MODEL_SIDES] = {plan->sides[MODEL_OLD].argv[0],
                                               plan->sides[MODEL_NEW].argv[0]};
    /* Of a shell the words say nothing, and equal ones are noted in the answer. */
    if (plan->shell != NULL ||
        (strcmp(programs[MODEL_OLD], programs[MODEL_NEW]) == 0 &&
         plan->sides[MODEL_OLD].folder == NULL) ||
        !same_arguments(plan->sides[MODEL_OLD].argv, plan->sides[MODEL_NEW].argv)) {
        return;
    }
    const char *words = relation(plan);
    if (words != NULL) {
        listener_warn(
            listener,
            "'%s' and '%s' %s: unless the program depends on its name or folder, "
            "any difference is a false alarm; 'duet aa' is made for this",
            programs[MODEL_OLD], programs[MODEL_NEW], words);
    }
}
