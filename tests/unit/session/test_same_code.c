/* Whether two files are the same program: ELF files made here, section by section. */
// link: duet_session
// link: -Wl,--wrap=pread,--wrap=mmap
#include <sys/mman.h>

#include "unit/store/store_fixture.h"

#include "session/sameness/same_code.h"

#include <elf.h>

enum { SECTIONS_MAX = 8, FILE_MAX = 4096 };

/* A section and its bytes; size 0: as many as the text has. */
struct part {
    const char *name;
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    const void *bytes;
    uint64_t size;
};

/* What is loaded: a text, data that is zero, and what names this build. */
static const struct part text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                                 0x1000,  "code code",  9};
static const struct part zeros = {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE,
                                  0x3000, NULL,       64};
static const struct part build = {
    ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x500, "0123", 4};
static const struct part debug = {".debug_info", SHT_PROGBITS, 0, 0, "lines", 5};

static char old_path[512];
static char new_path[512];

static int setup(void **state)
{
    if (fixture_setup(state) != 0) {
        return -1;
    }
    (void)snprintf(old_path, sizeof old_path, "%s", fixture_in("old"));
    (void)snprintf(new_path, sizeof new_path, "%s", fixture_in("new"));
    return 0;
}

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The file of these parts, up to one without a name; its length. */
static size_t assemble(const struct part *parts, unsigned char file[FILE_MAX])
{
    char names[512] = "";
    size_t name_length = 1;
    size_t count = 1; /* the first section is none */
    Elf64_Shdr headers[SECTIONS_MAX] = {{0}};
    size_t at = sizeof(Elf64_Ehdr);
    memset(file, 0, FILE_MAX);
    for (; parts->name != NULL; parts++, count++) {
        assert_true(count < SECTIONS_MAX - 1);
        headers[count] = (Elf64_Shdr){.sh_name = (uint32_t)name_length,
                                      .sh_type = parts->type,
                                      .sh_flags = parts->flags,
                                      .sh_addr = parts->address,
                                      .sh_offset = at,
                                      .sh_size = parts->size};
        name_length += (size_t)snprintf(names + name_length, sizeof names - name_length,
                                        "%s", parts->name) +
                       1;
        if (parts->bytes != NULL) {
            memcpy(file + at, parts->bytes, parts->size);
            at += parts->size;
        }
    }
    headers[count] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = name_length};
    memcpy(file + at, names, name_length);
    at += name_length;
    Elf64_Ehdr header = {.e_type = ET_EXEC,
                         .e_machine = EM_X86_64,
                         .e_entry = 0x1000,
                         .e_shoff = at,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = (uint16_t)(count + 1),
                         .e_shstrndx = (uint16_t)count};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] =
        *(const unsigned char *)&(const uint16_t){1} == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    memcpy(file, &header, sizeof header);
    memcpy(file + at, headers, (count + 1) * sizeof *headers);
    at += (count + 1) * sizeof *headers;
    assert_true(at <= FILE_MAX);
    return at;
}

static enum same_code compare(const struct part *old, const struct part *new)
{
    unsigned char file[FILE_MAX];
    write_bytes(old_path, file, assemble(old, file));
    write_bytes(new_path, file, assemble(new, file));
    return same_code_of(old_path, new_path);
}

static void what_does_not_run_does_not_count(void **state)
{
    (void)state;
    struct part other_build = build;
    struct part other_debug = debug;
    other_build.bytes = "9876";
    other_debug.bytes = "other lines";
    other_debug.size = 11;
    const struct part old[] = {build, text, zeros, debug, {0}};
    const struct part new[] = {other_build, text, zeros, other_debug, {0}};
    const struct part stripped[] = {other_build, text, zeros, {0}};
    assert_int_equal(compare(old, new), SAME_CODE_PROGRAM);
    assert_int_equal(compare(old, stripped), SAME_CODE_PROGRAM);
    assert_int_equal(compare(stripped, old), SAME_CODE_PROGRAM);
}

/* A bundle: an interpreter, and scripts in a section or behind all of them. */
static void what_it_may_read_from_itself_counts(void **state)
{
    (void)state;
    static const struct part scripts = {"pydata", SHT_PROGBITS, 0, 0, "one", 3};
    static const struct part other_scripts = {"pydata", SHT_PROGBITS, 0, 0, "two", 3};
    const struct part old[] = {text, scripts, debug, {0}};
    const struct part same[] = {text, debug, scripts, {0}};
    const struct part new[] = {text, other_scripts, debug, {0}};
    const struct part none[] = {text, debug, {0}};
    assert_int_equal(compare(old, same), SAME_CODE_PROGRAM);
    assert_int_equal(compare(old, new), SAME_CODE_DIFFERS);
    assert_int_equal(compare(old, none), SAME_CODE_DIFFERS);

    unsigned char file[FILE_MAX];
    size_t length = assemble(none, file);
    memcpy(file + length, "one", 3);
    write_bytes(old_path, file, length + 3);
    write_bytes(new_path, file, length + 3);
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_PROGRAM);
    file[length]++;
    write_bytes(new_path, file, length + 3);
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    write_bytes(new_path, file, length);
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
}

/* One thing at a time. */
static void what_is_loaded_counts(void **state)
{
    (void)state;
    struct part changed[6] = {text, text, text, text, text, zeros};
    changed[0].bytes = "Code code";
    changed[1].size--;
    changed[2].address += 16;
    changed[3].flags |= SHF_WRITE;
    changed[4].name = ".init";
    changed[5].size++;
    const struct part old[] = {text, zeros, {0}};
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        const struct part new[] = {
            i < 5 ? changed[i] : text, i == 5 ? changed[i] : zeros, {0}};
        assert_int_equal(compare(old, new), SAME_CODE_DIFFERS);
    }
    struct part kept = text;
    kept.type = SHT_NOTE;
    const struct part other_type[] = {kept, zeros, {0}};
    const struct part more[] = {text, zeros, text, {0}};
    const struct part fewer[] = {text, {0}};
    assert_int_equal(compare(old, other_type), SAME_CODE_DIFFERS);
    assert_int_equal(compare(old, more), SAME_CODE_DIFFERS);
    assert_int_equal(compare(old, fewer), SAME_CODE_DIFFERS);
    assert_int_equal(compare(old, old), SAME_CODE_PROGRAM);
}

/* Two files of which nothing is loaded say nothing. */
static void something_must_be_loaded(void **state)
{
    (void)state;
    const struct part nothing[] = {debug, {0}};
    assert_int_equal(compare(nothing, nothing), SAME_CODE_DIFFERS);
}

/* It calls another function where only a relocation differs. */
static void object_files_are_bytes(void **state)
{
    (void)state;
    unsigned char file[FILE_MAX];
    struct part calls = {".rela.text", SHT_RELA, SHF_INFO_LINK, 0, "calls f", 7};
    const uint16_t type = ET_REL;
    const char *const paths[] = {old_path, new_path};
    for (size_t i = 0; i < 2; i++) {
        calls.bytes = i == 0 ? "calls f" : "calls g";
        const struct part parts[] = {text, calls, {0}};
        size_t length = assemble(parts, file);
        memcpy(file + offsetof(Elf64_Ehdr, e_type), &type, sizeof type);
        write_bytes(paths[i], file, length);
    }
    assert_int_equal(same_code_of(old_path, old_path), SAME_CODE_BYTES);
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
}

static void the_header_counts(void **state)
{
    (void)state;
    unsigned char file[FILE_MAX];
    const struct part parts[] = {text, {0}};
    size_t length = assemble(parts, file);
    static const size_t fields[] = {offsetof(Elf64_Ehdr, e_type),
                                    offsetof(Elf64_Ehdr, e_machine),
                                    offsetof(Elf64_Ehdr, e_entry)};
    write_bytes(old_path, file, length);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        file[fields[i]] ^= 1;
        write_bytes(new_path, file, length);
        file[fields[i]] ^= 1;
        assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    }
}

/* Of the same folder it would find other libraries. */
static void libraries_beside_it_are_told(void **state)
{
    (void)state;
    for (int64_t tag = DT_NEEDED; tag <= DT_RUNPATH; tag++) {
        const Elf64_Dyn entries[] = {{.d_tag = DT_SONAME}, {.d_tag = tag}};
        const struct part dynamic = {".dynamic", SHT_DYNAMIC, SHF_ALLOC,
                                     0x2000,     entries,     sizeof entries};
        const struct part parts[] = {text, dynamic, {0}};
        bool beside = tag == DT_RUNPATH || tag == DT_RPATH;
        assert_int_equal(compare(parts, parts),
                         beside ? SAME_CODE_BESIDE : SAME_CODE_PROGRAM);
    }
}

/* What is no program of this machine, or a damaged one, is compared byte by byte. */
static void other_files_are_bytes(void **state)
{
    (void)state;
    unsigned char whole[FILE_MAX];
    const struct part parts[] = {text, {0}};
    size_t length = assemble(parts, whole);
    Elf64_Ehdr header;
    memcpy(&header, whole, sizeof header);
    Elf64_Ehdr damaged[7];
    for (size_t i = 0; i < 7; i++) {
        damaged[i] = header;
    }
    damaged[0].e_ident[EI_CLASS] = ELFCLASS32;
    damaged[1].e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
    damaged[2].e_shentsize--;
    damaged[3].e_shnum = 0;
    damaged[4].e_shstrndx = header.e_shnum;
    damaged[5].e_shoff = length;     /* behind the end */
    damaged[6].e_shoff = UINT64_MAX; /* and more would not be a number */
    for (size_t i = 0; i < 7; i++) {
        memcpy(whole, &damaged[i], sizeof header);
        write_bytes(old_path, whole, length);
        write_bytes(new_path, whole, length);
        assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_BYTES);
        whole[length - 1] ^= 1;
        write_bytes(new_path, whole, length);
        whole[length - 1] ^= 1;
        assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    }
    memcpy(whole, &header, sizeof header);
    /* The names' last byte must end a name: 'x' would be read on. */
    Elf64_Shdr names;
    size_t at = header.e_shoff + header.e_shstrndx * sizeof names;
    memcpy(&names, whole + at, sizeof names);
    whole[names.sh_offset + names.sh_size - 1] = 'x';
    write_bytes(old_path, whole, length);
    assert_int_equal(same_code_of(old_path, old_path), SAME_CODE_BYTES);
    names.sh_offset = length;
    memcpy(whole + at, &names, sizeof names);
    write_bytes(old_path, whole, length);
    assert_int_equal(same_code_of(old_path, old_path), SAME_CODE_BYTES);
}

/* The same file, and yet nobody knows what would be loaded. */
static void a_section_outside_the_file_differs(void **state)
{
    (void)state;
    unsigned char file[FILE_MAX];
    const struct part parts[] = {text, {0}};
    size_t length = assemble(parts, file);
    Elf64_Ehdr header;
    Elf64_Shdr section;
    memcpy(&header, file, sizeof header);
    memcpy(&section, file + header.e_shoff + sizeof section, sizeof section);
    section.sh_offset = length - 1;
    memcpy(file + header.e_shoff + sizeof section, &section, sizeof section);
    write_bytes(old_path, file, length);
    assert_int_equal(same_code_of(old_path, old_path), SAME_CODE_DIFFERS);
    section.sh_name = UINT32_MAX; /* a name outside is none */
    section.sh_offset = 0;
    memcpy(file + header.e_shoff + sizeof section, &section, sizeof section);
    write_bytes(old_path, file, length);
    assert_int_equal(same_code_of(old_path, old_path), SAME_CODE_PROGRAM);
}

static void scripts_are_bytes(void **state)
{
    (void)state;
    fixture_write(old_path, "#!/bin/sh\necho a\n");
    fixture_write(new_path, "#!/bin/sh\necho a\n");
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_BYTES);
    fixture_write(new_path, "#!/bin/sh\necho b\n");
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    fixture_write(new_path, "#!/bin/sh\necho a\n\n");
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    fixture_write(new_path, "");
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_DIFFERS);
    fixture_write(old_path, "");
    assert_int_equal(same_code_of(old_path, new_path), SAME_CODE_BYTES);
}

static void what_cannot_be_read_differs(void **state)
{
    (void)state;
    fixture_write(old_path, "a");
    assert_int_equal(same_code_of(old_path, fixture_in("missing")), SAME_CODE_DIFFERS);
    assert_int_equal(same_code_of(fixture_in("missing"), old_path), SAME_CODE_DIFFERS);
    assert_int_equal(same_code_of(fixture_folder, fixture_folder), SAME_CODE_DIFFERS);
    assert_int_equal(mkfifo(new_path, 0600), 0); /* nobody writes into it */
    assert_int_equal(same_code_of(new_path, new_path), SAME_CODE_DIFFERS);
}

/* ---- Meanwhile ---- */

static const char *cut_path; /* NULL: nothing is cut */
static int looks_left;       /* before it is */

ssize_t __real_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at);
void *__real_mmap(void *address, size_t length, int protection, int flags, int fd,
                  off_t at);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd,
                  off_t at);

static void look(void)
{
    if (cut_path != NULL && looks_left-- == 0) {
        assert_int_equal(truncate(cut_path, 0), 0);
    }
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at)
{
    look();
    return __real_pread(fd, bytes, count, at);
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd,
                  off_t at)
{
    void *memory = __real_mmap(address, length, protection, flags, fd, at);
    look();
    return memory;
}

/* Somebody builds it anew. */
static void a_file_that_is_cut_is_not_the_same(void **state)
{
    (void)state;
    const Elf64_Dyn entries[] = {{.d_tag = DT_SONAME}};
    const struct part dynamic = {".dynamic", SHT_DYNAMIC, SHF_ALLOC,
                                 0x2000,     entries,     sizeof entries};
    const struct part parts[] = {text, dynamic, {0}};
    unsigned char file[FILE_MAX];
    size_t length = assemble(parts, file);
    int looks = 0;
    for (bool cut = true; cut; looks++) {
        write_bytes(old_path, file, length);
        write_bytes(new_path, file, length);
        cut_path = old_path;
        looks_left = looks;
        enum same_code same = same_code_of(old_path, new_path);
        cut = looks_left < 0;
        cut_path = NULL;
        assert_true(cut ? same == SAME_CODE_DIFFERS || same == SAME_CODE_BESIDE
                        : same == SAME_CODE_PROGRAM);
    }
    assert_true(looks > 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_does_not_run_does_not_count),
        TEST(what_is_loaded_counts),
        TEST(what_it_may_read_from_itself_counts),
        TEST(something_must_be_loaded),
        TEST(the_header_counts),
        TEST(libraries_beside_it_are_told),
        TEST(other_files_are_bytes),
        TEST(a_section_outside_the_file_differs),
        TEST(scripts_are_bytes),
        TEST(what_cannot_be_read_differs),
        TEST(object_files_are_bytes),
        TEST(a_file_that_is_cut_is_not_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
