#include "cli/removal.h"

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/list/list_table.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>

enum duet_code removal_append(struct text *text, struct store *store,
                              const int64_t *ids, size_t count,
                              struct duet_error *reterr)
{
    struct store_experiment *list = alloc_array(count, sizeof *list);
    size_t loaded = 0;
    enum duet_code code = list == NULL ? error_no_memory(reterr) : DUET_OK;
    while (code == DUET_OK && loaded < count) {
        code = store_experiment_load(store, ids[loaded], &list[loaded], reterr);
        loaded += code == DUET_OK;
    }
    if (code == DUET_OK) {
        const struct list_table table =
            list_table_fit(list, count, terminal_width(stdout), terminal_is_utf8());
        list_table_append_head(text, &table);
        for (size_t i = 0; i < count; i++) {
            list_table_append(text, &table, &list[i], &list[i].verdict);
        }
        code = text_failed(text) ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < loaded; i++) {
        store_experiment_release(&list[i]);
    }
    free(list);
    return code;
}

int removal_fail(const struct duet_error *error)
{
    struct duet_error whole;
    (void)error_set(&whole, error->code, "%s; nothing was removed", error->message);
    return cli_fail(&whole);
}
