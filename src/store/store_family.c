/* Experiments that are judged together. */
#include "store/store_private.h"

#include <stdlib.h>

static const char saving[] = "saving what was judged together";
static const char reading[] = "reading what was judged together";

void store_family_release(struct store_family *family)
{
    free(family->members);
    *family = (struct store_family){0};
}

static enum duet_code insert_family(struct store *store,
                                    const struct store_family *family,
                                    struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, saving,
        "INSERT INTO family(id, multiplicity, confidence) VALUES(duet_new_id('family'), ?, ?)");
    store_bind_string(&query, model_multiplicity_name(family->multiplicity));
    store_bind_real(&query, family->confidence);
    return store_run_once(&query, reterr);
}

static enum duet_code join_family(struct store *store, int64_t experiment,
                                  int64_t family, struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, saving, "UPDATE experiment SET family_id = ? WHERE id = ?");
    store_bind_int(&query, family);
    store_bind_int(&query, experiment);
    return store_run_once(&query, reterr);
}

enum duet_code store_family_save(struct store *store, const struct store_family *family,
                                 int64_t *ret_family, struct duet_error *reterr)
{
    int64_t id = 0;
    enum duet_code code = store_begin(store, saving, reterr);
    if (code == DUET_OK) {
        code = insert_family(store, family, reterr);
        id = sqlite3_last_insert_rowid(store->db);
    }
    for (size_t i = 0; i < family->count && code == DUET_OK; i++) {
        code = join_family(store, family->members[i], id, reterr);
    }
    if (code == DUET_OK) { /* a suite that went on leaves its first family behind */
        code = store_execute(
            store,
            "DELETE FROM family WHERE id NOT IN (SELECT family_id FROM experiment WHERE family_id IS NOT NULL)",
            saving, reterr);
    }
    code = store_end(store, code, saving, reterr);
    if (code == DUET_OK) {
        *ret_family = id;
    }
    return code;
}

static enum duet_code read_family(struct store *store, int64_t id,
                                  struct store_family *family,
                                  struct duet_error *reterr)
{
    unsigned multiplicity = 0;
    bool row = false;
    struct store_query query = store_ask(
        store, reading, "SELECT multiplicity, confidence FROM family WHERE id = ?");
    store_bind_int(&query, id);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && !row) {
        code = error_set(
            reterr, DUET_E_NOT_FOUND,
            "store '%s' does not say by which rule experiments were judged together (family %lld)",
            store->path, (long long)id);
    }
    if (code == DUET_OK) {
        family->confidence = store_column_real(query.statement, 1);
        code = store_column_enum(store, query.statement, 0, model_multiplicity_name,
                                 MODEL_MULTIPLICITIES, &multiplicity, reterr);
        family->multiplicity = (enum model_multiplicity)multiplicity;
    }
    store_query_end(&query);
    return code;
}

enum duet_code store_family_load(struct store *store, int64_t id,
                                 struct store_family *ret_family,
                                 struct duet_error *reterr)
{
    struct store_family family = {.confidence = 0};
    enum duet_code code = read_family(store, id, &family, reterr);
    if (code == DUET_OK) {
        struct store_query query =
            store_ask(store, reading,
                      "SELECT id FROM experiment WHERE family_id = ? ORDER BY id");
        store_bind_int(&query, id);
        code = store_fetch_ints(&query, &family.members, &family.count, reterr);
    }
    if (code == DUET_OK) {
        *ret_family = family;
    }
    return code;
}
