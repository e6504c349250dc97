/* The output of go test -bench, as golang.org/design/14313-benchmark-format and
 * benchstat read it: lines of a benchmark, lines "key: value" that describe those
 * below, and anything else, which is not looked at. */
#include "formats/scan.h"
#include "formats/tools/tool_readers.h"

#include "base/alloc.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

enum { KEYS_MAX = 64 };

/* A value of a line, until all keys of the file are known. */
struct go_value {
    double ns;
    uint64_t process;
    uint32_t name;          /* in go.names */
    uint32_t configuration; /* in go.configurations */
};

struct go {
    struct formats_tool_sink *sink;
    struct model_name_table names;          /* with package and unit */
    struct model_name_table keys;           /* KEYS_MAX at most */
    struct model_name_table values;         /* of all keys; 0 is "" */
    uint32_t now[KEYS_MAX];                 /* the keys' values, by number */
    struct model_name_table configurations; /* "3,0,7,": all keys' values */
    struct go_value *list;
    size_t count;
    size_t capacity;
    struct text package;
    uint64_t process;
    bool process_ended; /* what comes next is of another one */
};

/* ---- Lines ---- */

/* Reads a line without its end. false: the file has ended. */
static bool next_line(struct formats_source *source, struct text *line)
{
    line->length = 0;
    text_append(line, "");
    int byte = formats_source_next(source);
    bool any = byte != FORMATS_SOURCE_END;
    while (byte != '\n' && byte != FORMATS_SOURCE_END) {
        text_append_char(line, (char)byte);
        byte = formats_source_next(source);
    }
    return any;
}

/* The next word at *at, which moves behind it. Its length; 0: none is left. */
static size_t next_word(const char **at, const char **ret_word)
{
    *ret_word = *at + strspn(*at, blanks);
    size_t length = strcspn(*ret_word, blanks);
    *at = *ret_word + length;
    return length;
}

bool formats_tool_go_is_line(const char *line, size_t length)
{
    char copy[256];
    const char *word = NULL;
    double number = 0;
    uint64_t iterations = 0;
    (void)snprintf(copy, sizeof copy, "%.*s", length < 255 ? (int)length : 255, line);
    const char *at = copy;
    if (strncmp(copy, "Benchmark", 9) != 0 || next_word(&at, &word) == 0) {
        return false;
    }
    size_t n = next_word(&at, &word);
    bool counted = n > 0 && formats_scan_whole(word, n, &iterations);
    n = counted ? next_word(&at, &word) : 0;
    return n > 0 && formats_scan_number(word, n, &number) && next_word(&at, &word) > 0;
}

/* ---- What the file says of what follows ---- */

/* "key: value": the key begins with a small letter and holds neither blanks nor
 * capitals. The length of the key; 0: another line. */
static size_t key_length(const char *line)
{
    size_t length = 0;
    if (line[0] < 'a' || line[0] > 'z') {
        return 0;
    }
    while (line[length] != '\0' && line[length] != ':') {
        unsigned char c = (unsigned char)line[length];
        if (c <= ' ' || (c >= 'A' && c <= 'Z')) {
            return 0;
        }
        length++;
    }
    const char *behind = line + length + 1;
    return line[length] == ':' && (*behind == '\0' || strchr(blanks, *behind) != NULL)
               ? length
               : 0;
}

/* Without the blanks around it. */
static size_t trim(const char **text)
{
    *text += strspn(*text, blanks);
    size_t length = strlen(*text);
    while (length > 0 && strchr(blanks, (*text)[length - 1]) != NULL) {
        length--;
    }
    return length;
}

static enum duet_code take_key(struct go *go, const char *line, size_t length,
                               struct duet_error *reterr)
{
    const char *value = line + length + 1;
    size_t value_length = trim(&value);
    uint32_t key = 0;
    if (length == 3 && strncmp(line, "pkg", 3) == 0) {
        go->package.length = 0;
        text_append_n(&go->package, value, value_length);
        return DUET_OK;
    }
    enum duet_code code = model_name_table_find(&go->keys, line, length, &key, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (key >= KEYS_MAX) {
        return formats_source_error(
            go->sink->source, go->sink->source->line - 1, 1, reterr,
            "more than %d different lines 'key: value'; leave out those that describe nothing",
            KEYS_MAX);
    }
    return model_name_table_find(&go->values, value, value_length, &go->now[key],
                                 reterr);
}

/* All keys and their values, now. */
static enum duet_code find_configuration(struct go *go, uint32_t *ret_number,
                                         struct duet_error *reterr)
{
    struct text all = {0};
    for (size_t key = 0; key < go->keys.count; key++) {
        text_append_format(&all, "%" PRIu32 ",", go->now[key]);
    }
    enum duet_code code =
        text_failed(&all)
            ? error_no_memory(reterr)
            : model_name_table_find(&go->configurations, text_string(&all), all.length,
                                    ret_number, reterr);
    text_release(&all);
    return code;
}

/* ---- Benchmarks ---- */

/* "ns/op" and "sec/op", also behind something else: "build-real-ns/op". *ret_plain:
 * nothing else is there. false: no time of an operation. */
static bool find_unit(const char *unit, size_t length, bool *ret_plain, double *ret_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns/op", 1}, {"sec/op", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t end = strlen(units[i].name);
        if (length >= end && strncmp(unit + length - end, units[i].name, end) == 0 &&
            (length == end || unit[length - end - 1] == '-')) {
            *ret_plain = length == end;
            *ret_ns = units[i].ns;
            return true;
        }
    }
    return false;
}

static enum duet_code add(struct go *go, const char *name, double ns,
                          struct duet_error *reterr)
{
    struct go_value value = {.ns = ns, .process = go->process};
    struct go_value *list =
        alloc_grow(go->list, go->count, &go->capacity, sizeof *list);
    if (list == NULL) {
        return error_no_memory(reterr);
    }
    go->list = list;
    enum duet_code code =
        model_name_table_find(&go->names, name, strlen(name), &value.name, reterr);
    if (code == DUET_OK) {
        code = find_configuration(go, &value.configuration, reterr);
    }
    if (code == DUET_OK) {
        go->list[go->count++] = value;
    }
    return code;
}

/* The pairs of value and unit behind the count. *ret_times: how many are times.
 * *ret_whole: whether all could be read. */
static enum duet_code take_pairs(struct go *go, const char *at, struct text *name,
                                 size_t *ret_times, bool *ret_whole,
                                 struct duet_error *reterr)
{
    const char *number = NULL;
    const char *unit = NULL;
    size_t bare = name->length;
    enum duet_code code = DUET_OK;
    *ret_whole = true;
    for (size_t n = next_word(&at, &number); n > 0 && *ret_whole && code == DUET_OK;
         n = next_word(&at, &number)) {
        size_t u = next_word(&at, &unit);
        double value = 0;
        double ns = 0;
        bool plain = true;
        *ret_whole = u > 0 && formats_scan_number(number, n, &value);
        if (!*ret_whole || value < 0 || !find_unit(unit, u, &plain, &ns)) {
            continue;
        }
        name->length = bare;
        text_append(name, "");
        if (!plain) {
            text_append_format(name, " [%.*s]", (int)u, unit);
        }
        code = text_failed(name) ? error_no_memory(reterr)
                                 : add(go, text_string(name), ns * value, reterr);
        ++*ret_times;
    }
    name->length = bare;
    text_append(name, "");
    return code;
}

/* "package:BenchmarkName-8", its count, and pairs of value and unit. */
static enum duet_code take_benchmark(struct go *go, const char *line,
                                     struct duet_error *reterr)
{
    const char *at = line;
    const char *word = NULL;
    uint64_t iterations = 0;
    struct text name = {0};
    size_t times = 0;
    size_t n = next_word(&at, &word);
    text_append_format(&name, "%s%s%.*s", text_string(&go->package),
                       go->package.length > 0 ? ":" : "", (int)n, word);
    n = next_word(&at, &word);
    if (n == 0) { /* go test -v says so that it begins */
        text_release(&name);
        return DUET_OK;
    }
    bool whole = formats_scan_whole(word, n, &iterations);
    enum duet_code code = DUET_OK;
    if (go->process_ended && go->count > 0) {
        go->process++;
    }
    go->process_ended = false;
    if (whole) {
        code = take_pairs(go, at, &name, &times, &whole, reterr);
    }
    if (code == DUET_OK && !whole && times == 0) {
        char where[64];
        (void)snprintf(where, sizeof where, "line %" PRIu64 " is no result",
                       go->sink->source->line - 1);
        formats_tool_leave_out(go->sink, text_string(&name), where);
    } else if (code == DUET_OK && times == 0) {
        formats_tool_leave_out(go->sink, text_string(&name), "it has no time (ns/op)");
    }
    text_release(&name);
    return code;
}

static bool is_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           (line[length] == '\0' || strchr(blanks, line[length]) != NULL);
}

static enum duet_code take_line(struct go *go, const char *line,
                                struct duet_error *reterr)
{
    size_t key = key_length(line);
    if (is_word(line, "ok") || is_word(line, "FAIL") || is_word(line, "PASS") ||
        strncmp(line, "goos:", 5) == 0) {
        go->process_ended = true;
    }
    if (strncmp(line, "Benchmark", 9) == 0) {
        return take_benchmark(go, line, reterr);
    }
    return key > 0 ? take_key(go, line, key, reterr) : DUET_OK;
}

/* ---- All of it ---- */

/* The number of a key's value in a configuration, which may be older than the key. */
static size_t value_of(const struct go *go, uint32_t configuration, size_t key)
{
    const char *at = go->configurations.names[configuration];
    for (size_t i = 0; i < key && *at != '\0'; i++) {
        at += strcspn(at, ",") + 1;
    }
    return (size_t)strtoul(at, NULL, 10); /* nothing is 0 */
}

/* Whether lines of the file differ in the key, so that it tells benchmarks apart. */
static bool key_varies(const struct go *go, size_t key)
{
    size_t first = value_of(go, 0, key);
    for (uint32_t i = 1; i < go->configurations.count; i++) {
        if (value_of(go, i, key) != first) {
            return true;
        }
    }
    return false;
}

static void append_varying(const struct go *go, const bool *varies,
                           uint32_t configuration, struct text *name)
{
    for (size_t key = 0; key < go->keys.count; key++) {
        size_t value = varies[key] ? value_of(go, configuration, key) : 0;
        if (value > 0) {
            text_append_format(name, " [%s: %s]", go->keys.names[key],
                               go->values.names[value]);
        }
    }
}

static enum duet_code hand_over(const struct go *go, struct duet_error *reterr)
{
    bool varies[KEYS_MAX] = {false};
    struct text name = {0};
    enum duet_code code = DUET_OK;
    for (size_t key = 0; key < go->keys.count && go->count > 0; key++) {
        varies[key] = key_varies(go, key);
    }
    for (size_t i = 0; i < go->count && code == DUET_OK; i++) {
        const struct go_value *value = &go->list[i];
        char process[32];
        (void)snprintf(process, sizeof process, "%" PRIu64, value->process);
        name.length = 0;
        text_append(&name, go->names.names[value->name]);
        append_varying(go, varies, value->configuration, &name);
        struct formats_measured measured = {.benchmark = text_string(&name),
                                            .process = process,
                                            .ns = value->ns,
                                            .count = 1};
        code = text_failed(&name) ? error_no_memory(reterr)
                                  : formats_tool_add(go->sink, &measured, reterr);
    }
    text_release(&name);
    return code;
}

enum duet_code formats_tool_go_read(struct formats_source *source,
                                    struct formats_tool_sink *sink,
                                    struct duet_error *reterr)
{
    struct go go = {.sink = sink};
    struct text line = {0};
    uint32_t none = 0;
    enum duet_code code = model_name_table_find(&go.values, "", 0, &none, reterr);
    while (code == DUET_OK && next_line(source, &line)) {
        code = text_failed(&line) ? error_no_memory(reterr)
                                  : take_line(&go, text_string(&line), reterr);
    }
    if (code == DUET_OK) {
        code = hand_over(&go, reterr);
    }
    free(go.list);
    model_name_table_release(&go.names);
    model_name_table_release(&go.keys);
    model_name_table_release(&go.values);
    model_name_table_release(&go.configurations);
    text_release(&go.package);
    text_release(&line);
    return code;
}
