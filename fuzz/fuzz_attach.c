// link: duet_sync
/* The text of DUET_ATTACH: whatever is accepted is what the formatter writes, to the
 * letter; whatever is refused leaves the result alone. */
#include "sync/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';

    struct sync_attach attach;
    struct sync_attach before;
    struct duet_error error = {0};
    memset(&attach, 0x5a, sizeof attach);
    memcpy(&before, &attach, sizeof attach);
    if (sync_attach_parse(text, &attach, &error) == DUET_OK) {
        char again[SYNC_ATTACH_BYTES];
        sync_attach_format(&attach, again);
        if (strcmp(text, again) != 0) {
            abort();
        }
    } else if (memcmp(&before, &attach, sizeof attach) != 0 ||
               error.message[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
