#include "formats/json_load.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* ---- Room for a token ---- */

/* jansson keeps a token's bytes in a buffer, which has room for so many at first and
 * doubles. A byte for which it gets no memory is left out without a word: a string then
 * is another one, or its end is looked for behind the buffer. So there is a spare block
 * for the buffer before it grows; without one, nothing more is handed over. */
enum { ROOM = 15 };

struct spare {
    void *block;
    size_t bytes;
    bool used;
};

static struct spare spare; /* one document is read at a time */
static json_malloc_t get_memory;
static json_free_t put_memory;

static void *get_memory_or_spare(size_t bytes)
{
    void *block = get_memory(bytes);
    if (block == NULL && spare.block != NULL && bytes <= spare.bytes) {
        block = spare.block;
        spare.block = NULL;
        spare.used = true;
    }
    return block;
}

static void begin_spare(void)
{
    spare = (struct spare){.block = NULL};
    json_get_alloc_funcs(&get_memory, &put_memory);
    json_set_alloc_funcs(get_memory_or_spare, put_memory);
}

static void end_spare(void)
{
    put_memory(spare.block);
    json_set_alloc_funcs(get_memory, put_memory);
}

/* A document on its way to the library. */
struct feed {
    struct formats_source *source;
    bool in_string;
    bool escaped;
    size_t token; /* bytes of the present one, or more */
    size_t room;  /* for one */
    bool no_memory;
    char word[12]; /* that was read ahead */
    size_t length;
    size_t at; /* of the word, what was handed over */
};

/* For twice as many bytes. */
static bool make_room(struct feed *feed)
{
    put_memory(spare.block);
    spare.bytes = 2 * (feed->room + 1);
    spare.block = get_memory(spare.bytes);
    feed->room = spare.bytes - 1;
    feed->no_memory = spare.block == NULL;
    return !feed->no_memory;
}

/* Or it is ended by what is between tokens. */
static bool is_of_token(unsigned char byte)
{
    return byte > ' ' && strchr("[]{},:", byte) == NULL;
}

/* ---- Its bytes ---- */

/* How many of the bytes go over as they are, outside of strings up to a word, and for
 * as long as a token has room. */
static size_t count_plain(struct feed *feed, const unsigned char *bytes, size_t length)
{
    bool in_string = feed->in_string;
    bool escaped = feed->escaped;
    size_t token = feed->token;
    size_t i = 0;
    for (; i < length && token < feed->room; i++) {
        unsigned char byte = bytes[i];
        if (in_string) {
            in_string = escaped || byte != '"';
            escaped = !escaped && byte == '\\';
            token = in_string ? token + 1 : 0;
        } else if (byte == '"') {
            in_string = true;
            token = 1;
        } else if (byte == 'N' || byte == 'I' || byte == '-') {
            break;
        } else {
            token = is_of_token(byte) ? token + 1 : 0;
        }
    }
    feed->in_string = in_string;
    feed->escaped = escaped;
    feed->token = token;
    return i;
}

static bool is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_called(const struct feed *feed, const char *name)
{
    size_t sign = feed->word[0] == '-' ? 1 : 0;
    return feed->length - sign == strlen(name) &&
           memcmp(feed->word + sign, name, strlen(name)) == 0;
}

static void take_word(struct feed *feed)
{
    static const char null[] = "null";
    feed->at = 0;
    feed->length = 0;
    feed->word[feed->length++] = (char)formats_source_next(feed->source);
    while (feed->length < sizeof feed->word &&
           is_letter(formats_source_peek(feed->source))) {
        feed->word[feed->length++] = (char)formats_source_next(feed->source);
    }
    if (is_called(feed, "NaN") || is_called(feed, "Infinity")) {
        feed->length = sizeof null - 1;
        memcpy(feed->word, null, feed->length);
    }
    feed->token += feed->length;
}

static size_t read_more(void *bytes, size_t size, void *context)
{
    struct feed *feed = context;
    if (spare.used || (feed->token >= feed->room && !make_room(feed))) {
        feed->no_memory = true;
        return 0;
    }
    if (feed->at == feed->length) {
        size_t ready = 0;
        const unsigned char *from = formats_source_look(feed->source, &ready);
        size_t plain = count_plain(feed, from, ready < size ? ready : size);
        if (plain > 0 || ready == 0) {
            memcpy(bytes, from, plain);
            feed->source->at += plain;
            return plain;
        }
        take_word(feed);
        if (feed->token >= feed->room && !make_room(feed)) {
            return 0;
        }
    }
    size_t rest = feed->length - feed->at;
    size_t taken = rest < size ? rest : size;
    memcpy(bytes, feed->word + feed->at, taken);
    feed->at += taken;
    return taken;
}

/* It is JSON all the same, but a C string ends there. */
static bool is_nul(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_null_character || code == json_error_null_byte_in_key;
}

enum duet_code formats_json_load(struct formats_source *source, json_t **ret_document,
                                 struct duet_error *reterr)
{
    json_error_t error;
    struct feed feed = {.source = source, .room = ROOM};
    begin_spare();
    errno = 0;
    json_t *document = json_load_callback(read_more, &feed, 0, &error);
    /* jansson itself calls that a mistake in the file. */
    bool no_memory = document == NULL && (errno == ENOMEM || feed.no_memory);
    end_spare();
    enum duet_code code = formats_source_check(source, reterr);
    if (code != DUET_OK) {
        json_decref(document);
        return code;
    }
    if (no_memory) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", source->name);
    }
    if (document == NULL) {
        bool nul = is_nul(&error);
        return formats_source_error(
            source, error.line > 0 ? (uint64_t)error.line : 1,
            error.column > 0 ? (uint64_t)error.column : 1, reterr, "%s%s",
            nul ? "" : "not JSON: ",
            nul ? "a string holds \\u0000, which no name or text may hold: remove it"
                : error.text);
    }
    *ret_document = document;
    return DUET_OK;
}
