#include "session/comparison/site_plan.h"

#include "base/alloc.h"
#include "session/comparison/answers.h"
#include "session/comparison/regions.h"
#include "store/store_companion.h"
#include "store/store_watch.h"

#include <stdlib.h>
#include <string.h>

void site_plan_release(struct site_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->members[i].name);
    }
    free(plan->members);
    *plan = (struct site_plan){.members = NULL};
}

static enum duet_code find_leader(struct store *store,
                                  const struct store_experiment *experiment,
                                  int64_t *ret_leader, struct duet_error *reterr)
{
    enum model_role role = MODEL_ROLE_COMPARISON;
    int64_t of = 0;
    int64_t whole = experiment->region_of != 0 ? experiment->region_of : experiment->id;
    enum duet_code code = store_companion_role(store, whole, &role, &of, reterr);
    *ret_leader = of != 0 ? of : whole;
    return code;
}

/* An experiment without a name of its own goes by its new side's. */
static enum duet_code add(struct store *store, struct site_plan *plan,
                          const struct store_experiment *experiment,
                          struct duet_error *reterr)
{
    int64_t leader = 0;
    enum duet_code code = find_leader(store, experiment, &leader, reterr);
    if (code != DUET_OK) {
        return code;
    }
    const char *new_name = experiment->names[MODEL_NEW];
    const char *name =
        experiment->name[0] != '\0' || new_name == NULL ? experiment->name : new_name;
    struct site_member *grown =
        alloc_resize(plan->members, plan->count + 1, sizeof *grown);
    plan->members = grown != NULL ? grown : plan->members;
    char *copy = alloc_string(name);
    if (grown == NULL || copy == NULL) {
        free(copy);
        return error_no_memory(reterr);
    }
    struct site_member *member = &grown[plan->count++];
    *member = (struct site_member){.id = experiment->id,
                                   .family = experiment->family,
                                   .leader = leader,
                                   .started_utc_ms = experiment->started_utc_ms,
                                   .name = copy};
    memcpy(member->uuid, experiment->uuid, sizeof member->uuid);
    return DUET_OK;
}

/* The experiment, and what was measured for it or is a part of it. */
static enum duet_code add_with_companions(struct store *store, int64_t id,
                                          struct site_plan *plan,
                                          struct duet_error *reterr)
{
    int64_t *wholes = NULL;
    int64_t *ids = NULL;
    size_t count = 0;
    enum duet_code code =
        answers_with_companions(store, &id, 1, &wholes, &count, reterr);
    if (code == DUET_OK) {
        code = regions_expand(store, wholes, count, &ids, &count, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct store_experiment experiment = {0};
        code = store_experiment_load(store, ids[i], &experiment, reterr);
        if (code == DUET_OK) {
            code = add(store, plan, &experiment, reterr);
        }
        store_experiment_release(&experiment);
    }
    free(wholes);
    free(ids);
    return code;
}

static enum duet_code add_named(struct store *store, const char *which,
                                struct site_plan *plan, struct duet_error *reterr)
{
    struct store_experiment experiment = {0};
    bool is_watch = false;
    enum duet_code code = store_experiment_find(store, which, &experiment, reterr);
    if (code == DUET_OK) {
        code = answer_needs_runs(&experiment, reterr);
    }
    if (code == DUET_OK) {
        code = store_watch_has(store, experiment.id, &is_watch, reterr);
    }
    if (code == DUET_OK && is_watch) {
        code = error_set(reterr, DUET_E_USAGE,
                         "'%s' is a watch and no comparison: leave it out", which);
    }
    if (code == DUET_OK) {
        code = add_with_companions(store, experiment.id, plan, reterr);
    }
    store_experiment_release(&experiment);
    return code;
}

static enum duet_code add_all(struct store *store, struct site_plan *plan,
                              struct duet_error *reterr)
{
    struct store_experiment *list = NULL;
    size_t count = 0;
    enum duet_code code = store_experiment_list(store, &list, &count, reterr);
    for (size_t i = 0; i < count; i++) {
        bool is_watch = false;
        if (code == DUET_OK) {
            code = store_watch_has(store, list[i].id, &is_watch, reterr);
        }
        bool empty = list[i].runs == 0 && list[i].state != STORE_FAILED;
        if (code == DUET_OK && (is_watch || empty || list[i].dataset.trials > 0)) {
            plan->left_out++;
        } else if (code == DUET_OK) {
            code = add(store, plan, &list[i], reterr);
        }
        store_experiment_release(&list[i]);
    }
    free(list);
    if (code == DUET_OK && plan->count == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "there is no comparison in '%s' to make a page of",
                         store_path(store));
    }
    return code;
}

static int compare_names(const void *left, const void *right)
{
    const struct site_member *a = left;
    const struct site_member *b = right;
    return strcmp(a->name, b->name);
}

static int compare_ids(const void *left, const void *right)
{
    const struct site_member *a = left;
    const struct site_member *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* `page` is the id of the page's first experiment until the pages are numbered. */
static int compare_pages(const void *left, const void *right)
{
    const struct site_member *a = left;
    const struct site_member *b = right;
    if (a->page != b->page) {
        return a->page > b->page ? -1 : 1;
    }
    return compare_ids(left, right);
}

static void number_histories(struct site_plan *plan)
{
    qsort(plan->members, plan->count, sizeof *plan->members, compare_names);
    for (size_t i = 0; i < plan->count; i++) {
        bool another =
            i == 0 || strcmp(plan->members[i - 1].name, plan->members[i].name) != 0;
        plan->history_count += another;
        plan->members[i].history = plan->history_count;
    }
}

/* On the page of what they belong to, where that is on one. */
static void follow_leaders(struct site_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct site_member wanted = {.id = plan->members[i].leader};
        const struct site_member *leader =
            bsearch(&wanted, plan->members, plan->count, sizeof wanted, compare_ids);
        if (leader != NULL) {
            plan->members[i].page = leader->page;
        }
    }
}

/* Ids grow with time. */
static void number_pages(struct site_plan *plan)
{
    size_t kept = 0;
    qsort(plan->members, plan->count, sizeof *plan->members, compare_ids);
    for (size_t i = 0; i < plan->count; i++) {
        if (kept > 0 && plan->members[kept - 1].id == plan->members[i].id) {
            free(plan->members[i].name); /* named twice */
            continue;
        }
        plan->members[kept++] = plan->members[i];
    }
    plan->count = kept;
    for (size_t i = 0; i < plan->count; i++) {
        struct site_member *member = &plan->members[i];
        member->page = (size_t)member->id;
        for (size_t j = 0; j < i && member->family != 0; j++) {
            if (plan->members[j].family == member->family) {
                member->page = plan->members[j].page;
                break;
            }
        }
    }
    follow_leaders(plan);
    qsort(plan->members, plan->count, sizeof *plan->members, compare_pages);
    for (size_t i = 0, first = 0; i < plan->count; i++) {
        bool another = i == 0 || plan->members[i].page != first;
        first = plan->members[i].page;
        plan->page_count += another;
        plan->members[i].page = plan->page_count - 1;
    }
}

enum duet_code site_plan_make(struct store *store, char *const *which, size_t count,
                              struct site_plan *ret_plan, struct duet_error *reterr)
{
    struct site_plan plan = {.members = NULL};
    enum duet_code code = count == 0 ? add_all(store, &plan, reterr) : DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = add_named(store, which[i], &plan, reterr);
    }
    if (code != DUET_OK) {
        site_plan_release(&plan);
        return code;
    }
    if (plan.count > 0) {
        number_histories(&plan);
        number_pages(&plan);
    }
    *ret_plan = plan;
    return DUET_OK;
}
