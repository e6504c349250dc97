/* The tables of docs/protocol.md against the structs. */
#include "sync/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct field {
    const char *name;
    size_t offset;
    size_t bytes;
    unsigned seen;
};

#define IN_PAGE(field)                                \
    {                                                 \
#field, offsetof(struct sync_page, field),    \
            sizeof(((struct sync_page *)0)->field), 0 \
    }
#define IN_RECORD(field)                                \
    {                                                   \
#field, offsetof(struct sync_record, field),    \
            sizeof(((struct sync_record *)0)->field), 0 \
    }

static struct field *field_find(struct field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static FILE *document(void)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/../docs/protocol.md", "r");
    assert_non_null(file);
    return file;
}

/* Rows are "| 128 | 8 | `control.limit` | ...". False: another kind of line. Cuts the
 * line behind the name. */
static bool row_read(char *line, size_t *ret_offset, size_t *ret_bytes, char **ret_name)
{
    char *rest = line;
    if (strncmp(line, "| ", 2) != 0) {
        return false;
    }
    *ret_offset = strtoul(line + 2, &rest, 10);
    if (rest == line + 2 || strncmp(rest, " | ", 3) != 0) {
        return false;
    }
    char *bytes = rest + 3;
    *ret_bytes = strtoul(bytes, &rest, 10);
    if (rest == bytes || strncmp(rest, " | `", 4) != 0) {
        return false;
    }
    *ret_name = rest + 4;
    char *end = strchr(*ret_name, '`');
    if (end == NULL) {
        return false;
    }
    *end = '\0';
    return true;
}

static void tables_agree_with_the_structs(void **state)
{
    (void)state;
    struct field fields[] = {
        IN_PAGE(header.magic),
        IN_PAGE(header.version),
        IN_PAGE(header.page_bytes),
        IN_PAGE(header.slot_count),
        IN_PAGE(header.ring_records),
        IN_PAGE(header.record_bytes),
        IN_PAGE(header.flags),
        IN_PAGE(header.ring_offset),
        IN_PAGE(header.nonce),
        IN_PAGE(header.run_time_ns),
        IN_PAGE(header.runner_pid),
        IN_PAGE(header.least_iterations),
        IN_PAGE(control.limit),
        IN_PAGE(control.stop),
        IN_PAGE(control.abort),
        IN_PAGE(control.last),
        IN_PAGE(begin.first),
        IN_PAGE(begin.second),
        IN_PAGE(end.first),
        IN_PAGE(end.second),
        IN_PAGE(slots[0].claim),
        IN_PAGE(slots[0].state),
        IN_PAGE(slots[0].traits),
        IN_PAGE(slots[0].head),
        IN_PAGE(slots[0].fillers),
        IN_PAGE(slots[0].ended),
        IN_PAGE(slots[0].expected_ns),
        IN_PAGE(slots[0].regions),
        IN_PAGE(slots[0].drained),
        IN_PAGE(slots[0].wake),
        IN_PAGE(slots[0].names),
        IN_PAGE(slots[1].claim),
        IN_RECORD(start_ns),
        IN_RECORD(end_ns),
        IN_RECORD(cpu_ns),
        IN_RECORD(user_ns),
        IN_RECORD(system_ns),
        IN_RECORD(delay_ns),
        IN_RECORD(operations),
        IN_RECORD(voluntary_switches),
        IN_RECORD(involuntary_switches),
        IN_RECORD(minor_faults),
        IN_RECORD(major_faults),
        IN_RECORD(cpu),
        IN_RECORD(flags),
        IN_RECORD(region),
    };
    const size_t count = sizeof fields / sizeof fields[0];
    FILE *file = document();
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        size_t offset = 0;
        size_t bytes = 0;
        char *name = NULL;
        if (!row_read(line, &offset, &bytes, &name)) {
            continue;
        }
        struct field *field = field_find(fields, count, name);
        if (field == NULL) {
            fail_msg("docs/protocol.md has an unknown field %s", name);
            break;
        }
        if (offset != field->offset || bytes != field->bytes) {
            fail_msg("docs/protocol.md: %s is at %zu, %zu bytes", name, field->offset,
                     field->bytes);
        }
        field->seen++;
    }
    (void)fclose(file);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].seen != 1) {
            fail_msg("docs/protocol.md has %u rows for %s", fields[i].seen,
                     fields[i].name);
        }
    }
}

static bool document_has(const char *text)
{
    FILE *file = document();
    char line[512];
    bool found = false;
    while (fgets(line, sizeof line, file) != NULL && !found) {
        found = strstr(line, text) != NULL;
    }
    (void)fclose(file);
    return found;
}

static void numbers_in_the_text_agree(void **state)
{
    (void)state;
    struct sync_map map;
    struct sync_setup setup = {0, 1, SYNC_NEVER, 0};
    int fd = -1;
    assert_int_equal(sync_page_create(&setup, &fd, &map, NULL), DUET_OK);
    char text[128];
    (void)snprintf(text, sizeof text, "`header.page_bytes` | %zu |", map.bytes);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "its size is %zu bytes", map.bytes);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "of the rings: %u and %u",
                   map.page->header.ring_offset[0], map.page->header.ring_offset[1]);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "`header.ring_records` | %d,", SYNC_RING_RECORDS);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "`header.record_bytes` | %zu |",
                   sizeof(struct sync_record));
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "`header.version` | %d |", SYNC_PAGE_VERSION);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "modulo %d", SYNC_RING_RECORDS);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "more than %d: the ring is full",
                   SYNC_RING_RECORDS - SYNC_ITERATION_RECORDS);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "%d names of %d bytes", SYNC_REGIONS_MAX,
                   SYNC_REGION_BYTES);
    assert_true(document_has(text));
    (void)snprintf(text, sizeof text, "`header.magic` | 0x%llx",
                   (unsigned long long)SYNC_PAGE_MAGIC);
    assert_true(document_has(text));
    char magic[9] = {0};
    memcpy(magic, &map.page->header.magic, 8);
    assert_string_equal(magic, "DUETPAG1");
    assert_int_equal(SYNC_MEETING_POISON, 0xffffffffU);
    assert_int_equal(SYNC_SLOT_FULL, 2);
    assert_int_equal(SYNC_SLOT_CLOSED, 3);
    assert_int_equal(SYNC_ABORT_RUNNER, 7);
    sync_page_unmap(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_agree_with_the_structs),
        cmocka_unit_test(numbers_in_the_text_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
