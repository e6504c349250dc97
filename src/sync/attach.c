/* The text through which a side finds its page. */
#include "sync/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sync_attach_format(const struct sync_attach *attach, char text[SYNC_ATTACH_BYTES])
{
    /* Fixed width, so that the environment of both slots is equally long. */
    (void)snprintf(text, SYNC_ATTACH_BYTES,
                   "v%u:page=%04d:bell=%04d:pid=%010" PRId64
                   ":slot=%u:nonce=%016" PRIx64,
                   attach->version, attach->page_fd, attach->bell_fd, attach->pid,
                   attach->slot, attach->nonce);
}

/* What is left of a text; NULL once something did not fit. */
struct reader {
    const char *rest;
};

static void read_literal(struct reader *reader, const char *literal)
{
    size_t length = strlen(literal);
    if (reader->rest != NULL && strncmp(reader->rest, literal, length) == 0) {
        reader->rest += length;
    } else {
        reader->rest = NULL;
    }
}

/* Exactly `digits` digits (at most 16) of the base; by hand, since scanf and strtol
 * also take signs, blanks and fewer digits. */
static uint64_t read_number(struct reader *reader, unsigned digits, uint64_t base)
{
    static const char symbols[] = "0123456789abcdef";
    uint64_t value = 0;
    for (unsigned i = 0; i < digits && reader->rest != NULL; i++) {
        char c = *reader->rest;
        const char *found = c == '\0' ? NULL : strchr(symbols, c);
        if (found == NULL || (uint64_t)(found - symbols) >= base) {
            reader->rest = NULL;
            return 0;
        }
        value = value * base + (uint64_t)(found - symbols);
        reader->rest++;
    }
    return value;
}

enum duet_code sync_attach_parse(const char *text, struct sync_attach *ret_attach,
                                 struct duet_error *reterr)
{
    struct sync_attach attach = {.version = SYNC_PAGE_VERSION};
    size_t digits = text[0] == 'v' ? strspn(text + 1, "0123456789") : 0;
    if (digits > 0 && text[1 + digits] == ':' && strncmp(text, "v2:", 3) != 0) {
        return error_set(reterr, DUET_E_VERSION,
                         "%s names protocol version %.*s, this harness knows %d; "
                         "build the benchmark with the duet that runs it",
                         SYNC_ATTACH_VARIABLE, digits < 20 ? (int)digits : 20, text + 1,
                         SYNC_PAGE_VERSION);
    }
    struct reader reader = {text};
    read_literal(&reader, "v2:page=");
    attach.page_fd = (int)read_number(&reader, 4, 10);
    read_literal(&reader, ":bell=");
    attach.bell_fd = (int)read_number(&reader, 4, 10);
    read_literal(&reader, ":pid=");
    attach.pid = (int64_t)read_number(&reader, 10, 10);
    read_literal(&reader, ":slot=");
    attach.slot = (unsigned)read_number(&reader, 1, 10);
    read_literal(&reader, ":nonce=");
    attach.nonce = read_number(&reader, 16, 16);
    if (reader.rest == NULL || *reader.rest != '\0' || attach.pid == 0 ||
        attach.pid > INT32_MAX || attach.slot >= SYNC_SLOTS) {
        return error_set(reterr, DUET_E_PROTOCOL,
                         "%s is malformed: '%.100s'; unset it to work without duet",
                         SYNC_ATTACH_VARIABLE, text);
    }
    *ret_attach = attach;
    return DUET_OK;
}
