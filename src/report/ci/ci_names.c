#include "report/ci/ci_names.h"

#include "base/alloc.h"
#include "model/name_table.h"
#include "report/display.h"

#include <stdlib.h>

const char *ci_name_of(const struct model_comparison *comparison)
{
    const char *command = model_comparison_command(comparison, MODEL_NEW);
    return comparison->name[0] != '\0' ? comparison->name
           : *command != '\0'          ? command
                                       : "benchmark";
}

void ci_name_shown(struct text *text, const char *name)
{
    display_append_clean(text, name, true);
}

/* What `append` makes of a name. false: no memory. */
static bool find(struct model_name_table *names, const char *name,
                 void (*append)(struct text *text, const char *name),
                 uint32_t *ret_number, bool *ret_added)
{
    struct text text = {0};
    size_t before = names->count;
    append(&text, name);
    bool fine = !text_failed(&text) &&
                model_name_table_find(names, text_string(&text), text.length,
                                      ret_number, NULL) == DUET_OK;
    *ret_added = names->count > before;
    text_release(&text);
    return fine;
}

/* tried: by the number of a name, how many more were made of it. Where the first ones
 * are taken they stay so: nobody asks for them again. */
static bool add(struct model_name_table *names, size_t *tried, const char *own,
                void (*append)(struct text *text, const char *name))
{
    uint32_t first = 0;
    bool added = false;
    bool fine = find(names, own, append, &first, &added);
    while (fine && !added) {
        uint32_t number = 0;
        char *numbered = alloc_format("%s (%zu)", own, ++tried[first] + 1);
        fine = numbered != NULL && find(names, numbered, append, &number, &added);
        free(numbered);
    }
    return fine;
}

char **ci_names_new(const struct ci_report *report,
                    void (*append)(struct text *text, const char *name))
{
    struct model_name_table names = {.names = NULL}; /* one of each comparison */
    size_t count = 0;
    size_t *tried = alloc_array(report->count, sizeof *tried);
    bool fine = tried != NULL;
    for (size_t i = 0; i < report->count && fine; i++) {
        fine = add(&names, tried, ci_name_of(&report->comparisons[i]), append);
    }
    free(tried);
    if (!fine || report->count == 0) {
        model_name_table_release(&names);
        return fine ? alloc_array(1, sizeof(char *)) : NULL;
    }
    return model_name_table_take(&names, &count);
}

void ci_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count && names != NULL; i++) {
        free(names[i]);
    }
    free(names);
}
