#include "formats/suite_document.h"

#include "base/alloc.h"
#include "base/text.h"
#include "formats/yaml_limits.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of memory that a copied text takes beside itself. */
enum { TEXT_BYTES = 64 };

/* ---- Errors ---- */

static void append_way(struct text *text, const struct suite_at *at)
{
    if (at->up == NULL) {
        return;
    }
    append_way(text, at->up); /* a suite nests a few levels deep */
    if (at->key != NULL) {
        text_append_format(text, "%s%s", text->length == 0 ? "" : ".", at->key);
    } else {
        text_append_format(text, "[%zu]", at->index);
    }
}

struct model_position suite_position(const struct suite_at *at)
{
    return (struct model_position){.line = at->node->start_mark.line + 1,
                                   .column = at->node->start_mark.column + 1};
}

enum duet_code suite_fail(const struct suite_document *document,
                          const struct suite_at *at, const char *format, ...)
{
    struct text way = {0};
    append_way(&way, at);
    va_list args;
    va_start(args, format);
    char *message = alloc_format_v(format, args);
    va_end(args);
    struct model_position position = suite_position(at);
    enum duet_code code =
        message == NULL || text_failed(&way)
            ? error_set(document->reterr, DUET_E_NOMEM, "no memory to read '%s'",
                        document->name)
            : error_set(document->reterr, DUET_E_FORMAT, "%s:%llu:%llu: %s%s%s",
                        document->name, (unsigned long long)position.line,
                        (unsigned long long)position.column, text_string(&way),
                        way.length == 0 ? "" : ": ", message);
    free(message);
    text_release(&way);
    return code;
}

enum duet_code suite_fail_memory(const struct suite_document *document)
{
    return error_set(document->reterr, DUET_E_NOMEM, "no memory to read '%s'",
                     document->name);
}

/* ---- Loading ---- */

/* What follows the first document must be the end. */
static enum duet_code check_end(yaml_parser_t *parser, const char *name,
                                struct duet_error *reterr)
{
    yaml_document_t next;
    if (yaml_parser_load(parser, &next) == 0) {
        return yaml_syntax_error(parser, name, reterr);
    }
    yaml_node_t *root = yaml_document_get_root_node(&next);
    enum duet_code code = DUET_OK;
    if (root != NULL) {
        code = error_set(reterr, DUET_E_FORMAT,
                         "%s:%zu:%zu: a second document: a file holds one suite", name,
                         root->start_mark.line + 1, root->start_mark.column + 1);
    }
    yaml_document_delete(&next);
    return code;
}

enum duet_code suite_document_load(const char *bytes, size_t length, const char *name,
                                   struct suite_document *ret_document,
                                   struct duet_error *reterr)
{
    yaml_parser_t parser;
    struct suite_document document = {
        .name = name, .reterr = reterr, .texts_left = SUITE_TEXTS_BYTES_MAX};
    enum duet_code code = yaml_limits_check(bytes, length, name, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (yaml_parser_initialize(&parser) == 0) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    if (yaml_parser_load(&parser, &document.yaml) == 0) {
        code = yaml_syntax_error(&parser, name, reterr);
    } else {
        const yaml_node_t *root = yaml_document_get_root_node(&document.yaml);
        if (root == NULL) {
            code = error_set(reterr, DUET_E_FORMAT, "%s:1:1: the file is empty", name);
        } else if (root->type != YAML_MAPPING_NODE) {
            code =
                error_set(reterr, DUET_E_FORMAT,
                          "%s:%zu:%zu: a suite is a mapping, with the key 'benchmarks'",
                          name, root->start_mark.line + 1, root->start_mark.column + 1);
        } else {
            code = check_end(&parser, name, reterr);
        }
        if (code != DUET_OK) {
            yaml_document_delete(&document.yaml);
        }
    }
    yaml_parser_delete(&parser);
    if (code == DUET_OK) {
        *ret_document = document;
    }
    return code;
}

void suite_document_release(struct suite_document *document)
{
    yaml_document_delete(&document->yaml);
}

/* ---- Nodes ---- */

static bool is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    const char *value = (const char *)node->data.scalar.value;
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++) {
        if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
            strcmp(value, nulls[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum duet_code suite_text(struct suite_document *document, const struct suite_at *at,
                          char **ret_text)
{
    if (at->node->type != YAML_SCALAR_NODE) {
        return suite_fail(document, at, "one value is needed here, not a %s",
                          at->node->type == YAML_MAPPING_NODE ? "mapping" : "list");
    }
    const char *value = (const char *)at->node->data.scalar.value;
    size_t length = at->node->data.scalar.length;
    if (memchr(value, '\0', length) != NULL) {
        return suite_fail(document, at, "there is a NUL character in it");
    }
    if (is_null(at->node)) {
        return suite_fail(document, at,
                          "it has no value; give one, or leave the key out");
    }
    if (length + TEXT_BYTES > document->texts_left) {
        return suite_fail(
            document, at,
            "its aliases make more than %d MiB of this file; write out fewer values, or let 'defaults' hold them",
            SUITE_TEXTS_BYTES_MAX >> 20);
    }
    char *text = alloc_string_n(value, length);
    if (text == NULL) {
        return suite_fail_memory(document);
    }
    document->texts_left -= length + TEXT_BYTES;
    free(*ret_text);
    *ret_text = text;
    return DUET_OK;
}

static const char *key_text(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static bool is_key(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE &&
           memchr(key_text(node), '\0', node->data.scalar.length) == NULL;
}

/* Whether a pair before `pair` has its key. */
static bool is_repeated(struct suite_document *document, const yaml_node_t *mapping,
                        const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(&document->yaml, pair->key);
    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start;
         other < pair; other++) {
        const yaml_node_t *node = yaml_document_get_node(&document->yaml, other->key);
        if (node->data.scalar.length == key->data.scalar.length &&
            strcmp(key_text(key), key_text(node)) == 0) {
            return true;
        }
    }
    return false;
}

enum duet_code suite_mapping(
    struct suite_document *document, const struct suite_at *at, size_t limit,
    enum duet_code (*visit)(struct suite_document *document, const struct suite_at *key,
                            const struct suite_at *value, void *context),
    void *context)
{
    if (at->node->type != YAML_MAPPING_NODE) {
        return suite_fail(document, at, "a mapping is needed here (key: value)");
    }
    const yaml_node_pair_t *pairs = at->node->data.mapping.pairs.start;
    size_t count = (size_t)(at->node->data.mapping.pairs.top - pairs);
    if (count > limit) {
        return suite_fail(document, at, "%zu keys; at most %zu can be", count, limit);
    }
    for (size_t i = 0; i < count; i++) {
        struct suite_at key = {
            .up = at, .node = yaml_document_get_node(&document->yaml, pairs[i].key)};
        struct suite_at value = {
            .up = at, .node = yaml_document_get_node(&document->yaml, pairs[i].value)};
        if (!is_key(key.node)) {
            key.key = "?";
            return suite_fail(document, &key, "a key must be a word");
        }
        key.key = value.key = key_text(key.node);
        if (is_repeated(document, at->node, &pairs[i])) {
            return suite_fail(document, &key, "the key is given twice");
        }
        enum duet_code code = visit(document, &key, &value, context);
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}

enum duet_code
suite_list(struct suite_document *document, const struct suite_at *at, size_t limit,
           enum duet_code (*visit)(struct suite_document *document,
                                   const struct suite_at *element, void *context),
           void *context)
{
    if (at->node->type != YAML_SEQUENCE_NODE) {
        return suite_fail(document, at, "a list is needed here");
    }
    const yaml_node_item_t *items = at->node->data.sequence.items.start;
    size_t count = (size_t)(at->node->data.sequence.items.top - items);
    if (count == 0 || count > limit) {
        return suite_fail(document, at, "%zu elements; there can be 1 to %zu", count,
                          limit);
    }
    for (size_t i = 0; i < count; i++) {
        struct suite_at element = {
            .up = at,
            .index = i,
            .node = yaml_document_get_node(&document->yaml, items[i])};
        enum duet_code code = visit(document, &element, context);
        if (code != DUET_OK) {
            return code;
        }
    }
    return DUET_OK;
}
