#include "session/suite/benchmark_list.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *name; /* owned; the command stands behind its end */
    const char *command;
};

struct list {
    struct entry *entries;
    size_t count;
};

static void list_release(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].name);
    }
    free(list->entries);
}

static const struct entry *list_find(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->entries[i].name, name) == 0) {
            return &list->entries[i];
        }
    }
    return NULL;
}

/* line: with a tab in it. */
static enum duet_code list_add(struct list *list, const char *line,
                               struct duet_error *reterr)
{
    char *name = alloc_string(line);
    struct entry *grown =
        name == NULL ? NULL
                     : alloc_resize(list->entries, list->count + 1, sizeof *grown);
    if (grown == NULL) {
        free(name);
        return error_no_memory(reterr);
    }
    list->entries = grown;
    char *tab = strchr(name, '\t');
    *tab = '\0';
    if (list_find(list, name) != NULL) {
        free(name);
        return DUET_OK;
    }
    grown[list->count++] = (struct entry){.name = name, .command = tab + 1};
    return DUET_OK;
}

static enum duet_code list_read(const char *path, struct list *list,
                                struct duet_error *reterr)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return errno == ENOENT ? DUET_OK
                               : error_set_errno(reterr, DUET_E_IO, errno,
                                                 "cannot open '%s'", path);
    }
    char *line = NULL;
    size_t size = 0;
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        code = strchr(line, '\t') == NULL
                   ? error_set(reterr, DUET_E_FORMAT,
                               "%s: expected NAME, a tab and a command, got '%s'", path,
                               line)
                   : list_add(list, line, reterr);
    }
    if (code == DUET_OK && ferror(file) != 0) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot read '%s'", path);
    }
    free(line);
    (void)fclose(file);
    return code;
}

/* In YAML's single quotes, where nothing but these has a meaning. */
static void append_quoted(struct text *text, const char *string)
{
    text_append_char(text, '\'');
    for (; *string != '\0'; string++) {
        text_append(text, *string == '\'' ? "'" : "");
        text_append_char(text, *string);
    }
    text_append_char(text, '\'');
}

static size_t append_suite(struct text *text, const char *suite,
                           const struct list *lists)
{
    size_t count = 0;
    text_append(text, "name: ");
    append_quoted(text, suite);
    text_append(text, "\nbenchmarks:\n");
    for (size_t i = 0; i < lists[MODEL_NEW].count; i++) {
        const struct entry *new = &lists[MODEL_NEW].entries[i];
        const struct entry *old = list_find(&lists[MODEL_OLD], new->name);
        if (old != NULL) {
            count++;
            text_append(text, "  - name: ");
            append_quoted(text, new->name);
            text_append(text, "\n    old: ");
            append_quoted(text, old->command);
            text_append(text, "\n    new: ");
            append_quoted(text, new->command);
            text_append_char(text, '\n');
        }
    }
    return count;
}

/* A benchmark that was added or removed is no mistake. */
static void tell_of_lonely(const struct benchmark_lists *lists, const struct list *read,
                           const struct listener *listener)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct text names = {0};
        for (size_t i = 0; i < read[side].count; i++) {
            const char *name = read[side].entries[i].name;
            if (list_find(&read[MODEL_NEW - side], name) == NULL) {
                text_append(&names, names.length > 0 ? ", " : "");
                text_append(&names, name);
            }
        }
        if (names.length > 0) {
            listener_tell(listener, "only in %s, not compared: %s", lists->labels[side],
                          text_string(&names));
        }
        text_release(&names);
    }
}

enum duet_code benchmark_list_suite(const struct benchmark_lists *lists,
                                    const char *path, const struct listener *listener,
                                    struct duet_error *reterr)
{
    struct list read[MODEL_SIDES] = {{0}, {0}};
    struct text text = {0};
    enum duet_code code = list_read(lists->paths[MODEL_OLD], &read[MODEL_OLD], reterr);
    if (code == DUET_OK) {
        code = list_read(lists->paths[MODEL_NEW], &read[MODEL_NEW], reterr);
    }
    if (code == DUET_OK && read[MODEL_OLD].count + read[MODEL_NEW].count == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "no benchmark that takes part: %s",
                         lists->hint);
    } else if (code == DUET_OK) {
        tell_of_lonely(lists, read, listener);
        if (append_suite(&text, lists->suite, read) == 0) {
            code = error_set(reterr, DUET_E_NOT_FOUND,
                             "%s and %s have no benchmark in common",
                             lists->labels[MODEL_OLD], lists->labels[MODEL_NEW]);
        }
    }
    if (code == DUET_OK) {
        code = file_write_text(path, &text, reterr);
    }
    text_release(&text);
    list_release(&read[MODEL_OLD]);
    list_release(&read[MODEL_NEW]);
    return code;
}
