/* A store, or a part of it, in another file. */
#include "store/store_merge.h"

#include "store/postgresql/remote.h"
#include "store/postgresql/remote_url.h"
#include "store/store_private.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <unistd.h>

static const char doing[] = "copying it";

static enum duet_code refuse_taken(const char *path, struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_USAGE,
        "'%s' is there already: name a new file, or add to a store with duet store merge --into '%s'",
        path, path);
}

/* That `path` can be made, and nothing is there. */
static enum duet_code check_free(const char *path, struct duet_error *reterr)
{
    struct store_path_facts facts = {0};
    enum duet_code code = store_path_facts_look(path, &facts, reterr);
    if (code == DUET_OK && facts.exists) {
        code = refuse_taken(path, reterr);
    }
    return code == DUET_OK ? store_folder_check(path, reterr) : code;
}

static enum duet_code copy_to_url(struct store *store, const char *url,
                                  struct duet_error *reterr)
{
    struct store *target = NULL;
    struct store *source = NULL;
    char *scratch = NULL;
    enum duet_code code = store_open(url, true, &target, reterr);
    if (code == DUET_OK && store->remote != NULL) {
        code = store_fetch_scratch(store, &scratch, reterr);
        if (code == DUET_OK) {
            code = store_open(scratch, false, &source, reterr);
        }
    }
    if (code == DUET_OK) {
        code = remote_copy_in(target, source != NULL ? source : store, reterr);
    }
    store_close(source);
    store_close(target);
    store_remove_scratch(scratch);
    return code;
}

enum duet_code store_copy(struct store *store, const char *path,
                          struct duet_error *reterr)
{
    struct store *copy = NULL;
    if (remote_is_url(path)) {
        return copy_to_url(store, path, reterr);
    }
    bool made = false;
    enum duet_code code = check_free(path, reterr);
    if (code == DUET_OK) {
        code = store_file_make(path, &made, reterr);
    }
    if (code == DUET_OK && !made) { /* by somebody else meanwhile, whose file it is */
        code = refuse_taken(path, reterr);
    }
    if (code == DUET_OK && store->remote != NULL) {
        return store_fetch(store, path, reterr);
    }
    if (code == DUET_OK) {
        code = store_vacuum_into(store, path, doing, reterr);
    }
    if (code == DUET_OK) {
        code = store_open(path, false, &copy, reterr);
    }
    if (code == DUET_OK) {
        /* As a new store would be; where that cannot be had, it works without. */
        (void)sqlite3_exec(copy->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    store_close(copy);
    return code;
}

/* From the file `from` into that of `path`. A new one is left without a log, so that it
 * can be read where nothing can be written. */
static enum duet_code add_to(const char *path, const char *from,
                             const int64_t *experiments, size_t count,
                             struct duet_error *reterr)
{
    struct store_path_facts facts = {0};
    struct store *target = NULL;
    struct store_merged merged = {0};
    bool url = remote_is_url(path);
    enum duet_code code = url ? DUET_OK : store_path_facts_look(path, &facts, reterr);
    facts.exists = facts.exists || url;
    if (code == DUET_OK) {
        code = store_open(path, true, &target, reterr);
    }
    if (code == DUET_OK) {
        code = store_merge(target, from, experiments, count, &merged, reterr);
    }
    if (code == DUET_OK && !facts.exists) {
        code = store_execute(target, "PRAGMA journal_mode = DELETE", doing, reterr);
    }
    bool opened = target != NULL;
    store_close(target);
    if (code != DUET_OK && opened && !facts.exists) {
        (void)unlink(path);
    }
    return code;
}

/* What a server has of them, and of what belongs to them. */
static enum duet_code need_all_of(struct store *store, const int64_t *experiments,
                                  size_t count, struct duet_error *reterr)
{
    enum duet_code code =
        experiments == NULL ? remote_need_all(store, reterr) : DUET_OK;
    for (size_t i = 0; experiments != NULL && i < count && code == DUET_OK; i++) {
        code = remote_need_one(store, experiments[i], reterr);
    }
    return code == DUET_OK ? remote_need_every_row(store, reterr) : code;
}

enum duet_code store_export(struct store *store, const int64_t *experiments,
                            size_t count, const char *path, struct duet_error *reterr)
{
    if (store_is_file(store, path)) {
        return error_set(reterr, DUET_E_USAGE,
                         "cannot export store '%s' into itself: name another file",
                         path);
    }
    const char *name = sqlite3_db_filename(store->db, "main");
    if (name != NULL && name[0] != '\0' && !store_is_gone(store)) {
        return add_to(path, store->path, experiments, count, reterr);
    }
    /* One that has no file is written to one first. */
    char *from = NULL;
    enum duet_code code = need_all_of(store, experiments, count, reterr);
    if (code == DUET_OK) {
        code = store_rescue(store, &from, reterr);
    }
    if (code == DUET_OK) {
        code = add_to(path, from, experiments, count, reterr);
        (void)unlink(from);
    }
    free(from);
    return code;
}
