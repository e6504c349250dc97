#include "report/ci/ci_names.h"

#include "base/alloc.h"
#include "report/display.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_taken(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL: no memory. */
static char *name_new(const char *own, char *const *taken, size_t count,
                      void (*append)(struct text *text, const char *name))
{
    for (size_t number = 1;; number++) {
        char *numbered =
            number == 1 ? alloc_string(own) : alloc_format("%s (%zu)", own, number);
        struct text text = {0};
        if (numbered == NULL) {
            return NULL;
        }
        append(&text, numbered);
        free(numbered);
        char *name = text_take(&text);
        if (name == NULL || !is_taken(taken, count, name)) {
            return name;
        }
        free(name);
    }
}

char **ci_names_new(const struct ci_report *report,
                    void (*append)(struct text *text, const char *name))
{
    char **names = alloc_array(report->count, sizeof *names);
    for (size_t i = 0; i < report->count && names != NULL; i++) {
        names[i] = name_new(ci_name_of(&report->comparisons[i]), names, i, append);
        if (names[i] == NULL) {
            ci_names_free(names, i);
            return NULL;
        }
    }
    return names;
}

void ci_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count && names != NULL; i++) {
        free(names[i]);
    }
    free(names);
}
