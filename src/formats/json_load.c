#include "formats/json_load.h"

#include "formats/json_room.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* A document on its way to the library. */
struct feed {
    struct formats_source *source;
    bool in_string;
    bool escaped;
    size_t token;  /* bytes of the present one, or more */
    char word[12]; /* that was read ahead */
    size_t length;
    size_t at; /* of the word, what was handed over */
};

static bool is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Of a number or a word; otherwise it is between tokens. */
static bool is_of_token(unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '+' ||
           is_letter(byte);
}

/* How many of the bytes go over as they are, outside of strings up to a word, and for
 * as long as a token has room. */
static size_t count_plain(struct feed *feed, const unsigned char *bytes, size_t length)
{
    bool in_string = feed->in_string;
    bool escaped = feed->escaped;
    size_t token = feed->token;
    size_t room = json_room();
    size_t i = 0;
    for (; i < length && token < room; i++) {
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

/* Whether more may be handed over. */
static bool fits(const struct feed *feed)
{
    return !json_room_is_short() && (feed->token < json_room() || json_room_double());
}

static size_t read_more(void *bytes, size_t size, void *context)
{
    struct feed *feed = context;
    if (!fits(feed)) {
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
        if (!fits(feed)) {
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
    struct feed feed = {.source = source};
    json_room_begin();
    errno = 0;
    json_t *document = json_load_callback(read_more, &feed, 0, &error);
    /* jansson itself calls that a mistake in the file. */
    bool no_memory = document == NULL && (errno == ENOMEM || json_room_is_short());
    json_room_end();
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
