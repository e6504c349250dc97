#include "session/suite/suite_definition.h"

#include "session/comparison/definition.h"

#include <string.h>

/* folder: the current one. */
static void add_side(struct text *text, const struct model_workload *side,
                     const char *folder)
{
    definition_add_text(text, "command", side->command);
    definition_add_text(text, "folder", side->folder != NULL ? side->folder : folder);
    definition_add_text(text, "setup", side->setup);
    definition_add_text(text, "prepare", side->prepare);
    definition_add_text(text, "conclude", side->conclude);
    definition_add_text(text, "cleanup", side->cleanup);
}

static void add_check(struct text *text, const struct suite_check *check)
{
    definition_add_number(text, "exit", check->wanted->exit_status);
    definition_add_text(text, "sha256", check->wanted->sha256);
    definition_add_text(text, "matches", check->wanted->matches);
    for (int side = 0; side < MODEL_SIDES; side++) {
        definition_add_text(text, "check", check->commands[side]);
        definition_add_text(text, "file", check->files[side]);
    }
}

/* The scratch folder has another name each time. */
static void hash_without(struct sha256 *hash, const char *text, const char *scratch)
{
    size_t length = strlen(scratch);
    for (const char *found = strstr(text, scratch); found != NULL;
         found = strstr(text, scratch)) {
        sha256_add(hash, text, (size_t)(found - text));
        sha256_add(hash, "{scratch}", strlen("{scratch}"));
        text = found + length;
    }
    sha256_add(hash, text, strlen(text));
}

enum duet_code suite_definition_of(const struct benchmark *benchmark,
                                   const struct suite_check *check,
                                   const struct suite_folders *folders,
                                   char ret_definition[SHA256_TEXT_BYTES],
                                   struct duet_error *reterr)
{
    struct text text = {0};
    struct sha256 hash;
    definition_add_plan(&text, &benchmark->plan);
    for (int side = 0; side < MODEL_SIDES; side++) {
        add_side(&text, &benchmark->plan.sides[side], benchmark->plan.folder);
    }
    if (check != NULL) {
        add_check(&text, check);
    }
    if (text_failed(&text)) {
        text_release(&text);
        return error_no_memory(reterr);
    }
    sha256_init(&hash);
    hash_without(&hash, text_string(&text), folders->scratch);
    sha256_finish(&hash, ret_definition);
    text_release(&text);
    return DUET_OK;
}
