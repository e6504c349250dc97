#include "session/sameness/same_code.h"

#include "base/alloc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files are read, not mapped: whoever writes one anew meanwhile would end this process.
 */
struct image {
    int fd; /* -1: it cannot be read */
    uint64_t length;
};

static struct image image_open(const char *path)
{
    struct image image = {.fd = -1};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        image = (struct image){.fd = fd, .length = (uint64_t)status.st_size};
    } else if (fd >= 0) {
        (void)close(fd);
    }
    return image;
}

static void image_close(const struct image *image)
{
    if (image->fd >= 0) {
        (void)close(image->fd);
    }
}

static bool is_within(const struct image *image, uint64_t offset, uint64_t length)
{
    return offset <= image->length && length <= image->length - offset;
}

/* false: that is not within the file, or is not there any more. */
static bool read_at(const struct image *image, uint64_t offset, void *to, size_t length)
{
    char *at = to;
    if (!is_within(image, offset, length)) {
        return false;
    }
    while (length > 0) {
        ssize_t got = pread(image->fd, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

static bool same_bytes(const struct image *a, uint64_t a_at, const struct image *b,
                       uint64_t b_at, uint64_t length)
{
    enum { BLOCK_BYTES = 16384 };
    unsigned char left[BLOCK_BYTES];
    unsigned char right[BLOCK_BYTES];
    bool same = is_within(a, a_at, length) && is_within(b, b_at, length);
    for (uint64_t done = 0; same && done < length;) {
        size_t count =
            length - done < BLOCK_BYTES ? (size_t)(length - done) : BLOCK_BYTES;
        same = read_at(a, a_at + done, left, count) &&
               read_at(b, b_at + done, right, count) && memcmp(left, right, count) == 0;
        done += count;
    }
    return same;
}

/* A file's section headers, and the names of section e_shstrndx. */
struct sections {
    const struct image *image;
    Elf64_Ehdr header;
    Elf64_Shdr *table;
    size_t count;
    char *names;
    size_t names_size;
};

static void sections_close(struct sections *sections)
{
    free(sections->table);
    free(sections->names);
}

/* Of a file that says that it has some. */
static bool read_sections(struct sections *sections)
{
    enum { NAMES_MAX_BYTES = 64 << 20 };
    const struct image *image = sections->image;
    const Elf64_Ehdr *header = &sections->header;
    size_t bytes = header->e_shnum * sizeof(Elf64_Shdr);
    if (!is_within(image, header->e_shoff, bytes)) {
        return false;
    }
    sections->count = header->e_shnum;
    sections->table = alloc_array(sections->count, sizeof *sections->table);
    if (sections->table == NULL ||
        !read_at(image, header->e_shoff, sections->table, bytes)) {
        return false;
    }
    const Elf64_Shdr *names = &sections->table[header->e_shstrndx];
    if (names->sh_size == 0 || names->sh_size > NAMES_MAX_BYTES ||
        !is_within(image, names->sh_offset, names->sh_size)) {
        return false;
    }
    sections->names_size = (size_t)names->sh_size;
    sections->names = alloc_array(sections->names_size, 1);
    return sections->names != NULL &&
           read_at(image, names->sh_offset, sections->names, sections->names_size) &&
           sections->names[sections->names_size - 1] == '\0';
}

/* A program or a library of this machine's word size and byte order; anything else is
 * not looked into. In an object file relocations, symbols and what is optimized later
 * (LTO) count, too, and nothing loads them. */
static bool sections_open(const struct image *image, struct sections *sections)
{
    const uint16_t one = 1;
    unsigned char order = *(const unsigned char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    *sections = (struct sections){.image = image};
    const Elf64_Ehdr *header = &sections->header;
    return read_at(image, 0, &sections->header, sizeof sections->header) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == order &&
           (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
           header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shnum != 0 &&
           header->e_shstrndx < header->e_shnum && read_sections(sections);
}

static const char *name_of(const struct sections *sections, const Elf64_Shdr *section)
{
    return section->sh_name < sections->names_size ? sections->names + section->sh_name
                                                   : "";
}

/* What tools write for debuggers and for each other, which nothing loads. */
static bool is_for_tools(const char *name, uint32_t type)
{
    static const char *const beginnings[] = {
        ".debug", ".zdebug", ".comment", ".gnu",     ".gdb_index",
        ".stab",  ".GCC",    ".ctf",     ".annobin", ".llvm"};
    bool known = type != SHT_PROGBITS;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        known = known || strncmp(name, beginnings[i], strlen(beginnings[i])) == 0;
    }
    return known;
}

/* The next section that says something, from *at on: it is loaded, or the program may
 * read it from its file, as bundles of scripts with their interpreter do. */
static bool next_counted(const struct sections *sections, size_t *at,
                         Elf64_Shdr *ret_section)
{
    while (*at < sections->count) {
        *ret_section = sections->table[(*at)++];
        const char *name = name_of(sections, ret_section);
        bool loaded = (ret_section->sh_flags & SHF_ALLOC) != 0;
        if (loaded ? strcmp(name, ".note.gnu.build-id") != 0
                   : !is_for_tools(name, ret_section->sh_type)) {
            return true;
        }
    }
    return false;
}

static bool same_section(const struct sections *a, const Elf64_Shdr *left,
                         const struct sections *b, const Elf64_Shdr *right)
{
    if (left->sh_type != right->sh_type || left->sh_flags != right->sh_flags ||
        left->sh_addr != right->sh_addr || left->sh_size != right->sh_size ||
        strcmp(name_of(a, left), name_of(b, right)) != 0) {
        return false;
    }
    if (left->sh_type == SHT_NOBITS) {
        return true;
    }
    return same_bytes(a->image, left->sh_offset, b->image, right->sh_offset,
                      left->sh_size);
}

static bool same_sections(const struct sections *a, const struct sections *b)
{
    size_t i = 0;
    size_t j = 0;
    size_t loaded = 0;
    Elf64_Shdr left;
    Elf64_Shdr right;
    if (a->header.e_type != b->header.e_type ||
        a->header.e_machine != b->header.e_machine ||
        a->header.e_entry != b->header.e_entry) {
        return false;
    }
    for (;;) {
        bool more = next_counted(a, &i, &left);
        if (more != next_counted(b, &j, &right)) {
            return false;
        }
        if (!more) {
            return loaded > 0;
        }
        if (!same_section(a, &left, b, &right)) {
            return false;
        }
        loaded += (left.sh_flags & SHF_ALLOC) != 0;
    }
}

/* Where what the headers name ends. */
static uint64_t end_of(const struct sections *sections)
{
    const Elf64_Ehdr *header = &sections->header;
    uint64_t end = header->e_shoff + sections->count * sizeof(Elf64_Shdr);
    for (size_t i = 0; i < sections->count; i++) {
        const Elf64_Shdr *section = &sections->table[i];
        bool has_bytes =
            section->sh_type != SHT_NOBITS &&
            is_within(sections->image, section->sh_offset, section->sh_size);
        uint64_t its_end = has_bytes ? section->sh_offset + section->sh_size : 0;
        end = its_end > end ? its_end : end;
    }
    return end;
}

/* What is appended, for the program to read from its own file. */
static bool same_behind(const struct sections *a, const struct sections *b)
{
    uint64_t a_end = end_of(a);
    uint64_t b_end = end_of(b);
    uint64_t length = a->image->length - a_end;
    return length == b->image->length - b_end &&
           same_bytes(a->image, a_end, b->image, b_end, length);
}

/* What is not there any more may have had one. */
static bool names_folder(const struct image *image, const Elf64_Shdr *dynamic)
{
    enum { ENTRIES = 256 };
    Elf64_Dyn entries[ENTRIES] = {0};
    uint64_t left = dynamic->sh_size / sizeof entries[0];
    uint64_t at = dynamic->sh_offset;
    bool named = false;
    while (left > 0 && !named) {
        size_t count = left < ENTRIES ? (size_t)left : ENTRIES;
        named = !read_at(image, at, entries, count * sizeof entries[0]);
        for (size_t i = 0; i < count && !named; i++) {
            named = entries[i].d_tag == DT_RUNPATH || entries[i].d_tag == DT_RPATH;
        }
        at += count * sizeof entries[0];
        left -= count;
    }
    return named;
}

static bool has_runpath(const struct sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        const Elf64_Shdr *section = &sections->table[i];
        if (section->sh_type == SHT_DYNAMIC &&
            is_within(sections->image, section->sh_offset, section->sh_size) &&
            names_folder(sections->image, section)) {
            return true;
        }
    }
    return false;
}

static enum same_code same_images(const struct image *old, const struct image *new)
{
    struct sections a = {.table = NULL};
    struct sections b = {.table = NULL};
    enum same_code same = SAME_CODE_DIFFERS;
    if (old->fd < 0 || new->fd < 0) {
        return same;
    }
    if (sections_open(old, &a) && sections_open(new, &b)) {
        same = !same_sections(&a, &b) || !same_behind(&a, &b) ? SAME_CODE_DIFFERS
               : has_runpath(&a)                              ? SAME_CODE_BESIDE
                                                              : SAME_CODE_PROGRAM;
    } else if (old->length == new->length && same_bytes(old, 0, new, 0, old->length)) {
        same = SAME_CODE_BYTES;
    }
    sections_close(&a);
    sections_close(&b);
    return same;
}

enum same_code same_code_of(const char *old_path, const char *new_path)
{
    const struct image old = image_open(old_path);
    const struct image new = image_open(new_path);
    enum same_code same = same_images(&old, &new);
    image_close(&old);
    image_close(&new);
    return same;
}
