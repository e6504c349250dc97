#include "session/fleet/fleet_parts.h"

#include "session/fleet/fleet_call.h"

#include <errno.h>
#include <stdlib.h>

/* Parts of all tasks; else who has none. */
static enum duet_code check_complete(const struct fleet *fleet,
                                     const struct fleet_collection *collection,
                                     struct duet_error *reterr)
{
    struct text missing = {.bytes = NULL};
    struct fleet_survey survey = {.tasks = collection->tasks,
                                  .count = collection->count};
    fleet_survey_list(&survey, ~(1U << MODEL_FLEET_DONE), &missing);
    enum duet_code code =
        missing.length == 0
            ? DUET_OK
            : error_set(
                  reterr, DUET_E_UNSUITABLE,
                  "%zu of %zu tasks have no result yet (%.200s), and the study's "
                  "answer needs all: see 'duet fleet status %s'; 'duet fleet resume "
                  "%s' computes what is missing",
                  collection->count - collection->results, collection->count,
                  text_string(&missing), fleet->path, fleet->path);
    code = text_failed(&missing) ? error_no_memory(reterr) : code;
    text_release(&missing);
    return code;
}

/* The study's own words, behind those that name the parts. */
static enum duet_code make_words(const struct fleet *fleet,
                                 const struct fleet_collection *collection,
                                 struct model_words *words, struct duet_error *reterr)
{
    const struct model_words *own = &fleet->plan.options;
    enum duet_code code = model_words_add(words, own->list[0], reterr);
    for (size_t i = 0; i < collection->chosen.count && code == DUET_OK; i++) {
        const char *path = collection->chosen.list[i];
        char *absolute = realpath(path, NULL);
        code = absolute == NULL
                   ? error_set_errno(reterr, DUET_E_IO, errno, "cannot find '%s'", path)
                   : fleet_words(words, reterr, "--parts", absolute, (char *)NULL);
        free(absolute);
    }
    for (size_t i = 1; i < own->count && code == DUET_OK; i++) {
        code = model_words_add(words, own->list[i], reterr);
    }
    return code;
}

enum duet_code fleet_parts_begin(const struct fleet *fleet,
                                 const struct fleet_collection *collection,
                                 struct model_words *ret_words,
                                 struct duet_error *reterr)
{
    enum duet_code code = check_complete(fleet, collection, reterr);
    if (code == DUET_OK) {
        code = make_words(fleet, collection, ret_words, reterr);
    }
    return code == DUET_OK ? fleet_go_to_folder(fleet, reterr) : code;
}
