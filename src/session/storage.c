#include "session/storage.h"

#include <stdlib.h>
#include <string.h>

enum duet_code storage_open(const char *option, bool create, struct store **ret_store,
                            struct duet_error *reterr)
{
    if (option != NULL && strcmp(option, "none") == 0) {
        return store_open_scratch(ret_store, reterr);
    }
    if (option != NULL) {
        return store_open(option, create, ret_store, reterr);
    }
    char *path = store_default_path(".");
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = store_open_found(path, create, ret_store, reterr);
    free(path);
    return code;
}
