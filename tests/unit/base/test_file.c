// labels: novalgrind
/* Text into files (base/file.h). novalgrind: it exchanges standard output. */
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void names_of_standard_output(void **state)
{
    (void)state;
    assert_true(file_is_stdout("-"));
    assert_true(file_is_stdout("/dev/stdout"));
    assert_true(file_is_stdout("/proc/self/fd/1"));
    assert_false(file_is_stdout("/dev/stderr"));
    assert_false(file_is_stdout("/dev/fd/10"));
    assert_false(file_is_stdout("out.json"));
    assert_false(file_is_stdout(NULL));
    assert_true(file_is_standard("-"));
    assert_true(file_is_standard("/dev/stderr"));
    assert_false(file_is_standard("/dev/fd/10"));
    assert_false(file_is_standard(NULL));
}

/* What a stream's file holds when `path` was written with the stream there. */
static void assert_written_in_place(const char *path, FILE *stream)
{
    char found[32] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fflush(stream), 0);
    int kept = dup(fileno(stream));
    assert_true(dup2(fileno(file), fileno(stream)) >= 0);
    struct text text = {0};
    struct duet_error error;
    text_append(&text, "two");
    (void)fputs("one ", stream);
    enum duet_code code = file_write_text(path, &text, &error);
    assert_int_equal(fflush(stream), 0);
    assert_true(dup2(kept, fileno(stream)) >= 0);
    assert_int_equal(close(kept), 0);
    assert_int_equal(code, DUET_OK);
    assert_int_equal(pread(fileno(file), found, sizeof found - 1, 0), 7);
    assert_string_equal(found, "one two");
    assert_int_equal(fclose(file), 0);
}

static void standard_streams_are_written_in_place(void **state)
{
    (void)state;
    assert_written_in_place("/proc/self/fd/1", stdout);
    assert_written_in_place("/dev/fd/1", stdout);
    assert_written_in_place("/proc/self/fd/2", stderr);
}

static size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(entries);
    return count;
}

static bool knows_unnamed_files(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)close(fd);
    }
    return fd >= 0;
}

/* Whoever is killed meanwhile leaves nothing, where the file system can do it. */
static void a_file_is_there_when_it_is_whole(void **state)
{
    (void)state;
    char folder[] = "/tmp/duet-file-XXXXXX";
    char path[64];
    char found[32] = "";
    struct stat status;
    struct duet_error error;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/page", folder);
    size_t meanwhile = knows_unnamed_files(folder) ? 0 : 1;
    const enum duet_code codes[] = {DUET_E_IO, DUET_OK, DUET_OK, DUET_E_IO};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct file_output output;
        size_t before = entries_of(folder);
        assert_int_equal(before, i < 2 ? 0 : 1);
        assert_int_equal(file_open(path, &output, &error), DUET_OK);
        assert_int_equal(file_write(&output, "whole", 5, &error), DUET_OK);
        assert_int_equal(entries_of(folder), before + meanwhile);
        assert_int_equal(file_close(&output, codes[i], &error), codes[i]);
        assert_int_equal(entries_of(folder), i < 1 ? 0 : 1);
        if (i == 1) {
            assert_int_equal(chmod(path, 0640), 0); /* the next one has it, too */
        }
    }
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), 5);
    assert_string_equal(found, "whole");
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_standard_output),
        cmocka_unit_test(standard_streams_are_written_in_place),
        cmocka_unit_test(a_file_is_there_when_it_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
