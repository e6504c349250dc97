#include "session/sameness/same_code.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *bytes; /* NULL: could not be read, or is empty */
    size_t length;
    bool readable;
};

static struct image image_open(const char *path)
{
    struct image image = {.bytes = NULL};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        image.length = (size_t)status.st_size;
        image.readable = true;
        if (image.length > 0) {
            void *bytes = mmap(NULL, image.length, PROT_READ, MAP_PRIVATE, fd, 0);
            image.bytes = bytes == MAP_FAILED ? NULL : bytes;
            image.readable = bytes != MAP_FAILED;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return image;
}

static void image_close(const struct image *image)
{
    if (image->bytes != NULL) {
        (void)munmap((void *)(uintptr_t)image->bytes, image->length);
    }
}

/* NULL: not within the file. */
static const unsigned char *part_of(const struct image *image, uint64_t offset,
                                    uint64_t length)
{
    return offset <= image->length && length <= image->length - offset
               ? image->bytes + offset
               : NULL;
}

/* A file's section headers; the names are those of section e_shstrndx. */
struct sections {
    const struct image *image;
    Elf64_Ehdr header;
    const unsigned char *table;
    size_t count;
    Elf64_Shdr names;
};

static Elf64_Shdr section_at(const struct sections *sections, size_t index)
{
    Elf64_Shdr section;
    memcpy(&section, sections->table + index * sizeof section, sizeof section);
    return section;
}

/* A program or a library of this machine's word size and byte order; anything else is
 * not looked into. In an object file relocations, symbols and what is optimized later
 * (LTO) count, too, and nothing loads them. */
static bool sections_open(const struct image *image, struct sections *sections)
{
    const uint16_t one = 1;
    unsigned char order = *(const unsigned char *)&one == 1 ? ELFDATA2LSB : ELFDATA2MSB;
    *sections = (struct sections){.image = image};
    if (image->bytes == NULL || image->length < sizeof sections->header) {
        return false;
    }
    memcpy(&sections->header, image->bytes, sizeof sections->header);
    const Elf64_Ehdr *header = &sections->header;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != order ||
        (header->e_type != ET_EXEC && header->e_type != ET_DYN) ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0 ||
        header->e_shstrndx >= header->e_shnum) {
        return false;
    }
    sections->count = header->e_shnum;
    sections->table =
        part_of(image, header->e_shoff, (uint64_t)sections->count * sizeof(Elf64_Shdr));
    if (sections->table == NULL) {
        return false;
    }
    sections->names = section_at(sections, header->e_shstrndx);
    const unsigned char *names =
        part_of(image, sections->names.sh_offset, sections->names.sh_size);
    return names != NULL && sections->names.sh_size > 0 &&
           names[sections->names.sh_size - 1] == '\0';
}

static const char *name_of(const struct sections *sections, const Elf64_Shdr *section)
{
    return section->sh_name < sections->names.sh_size
               ? (const char *)sections->image->bytes + sections->names.sh_offset +
                     section->sh_name
               : "";
}

/* The next section that is loaded and says something, from *at on. */
static bool next_loaded(const struct sections *sections, size_t *at,
                        Elf64_Shdr *ret_section)
{
    while (*at < sections->count) {
        *ret_section = section_at(sections, (*at)++);
        if ((ret_section->sh_flags & SHF_ALLOC) != 0 &&
            strcmp(name_of(sections, ret_section), ".note.gnu.build-id") != 0) {
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
    const unsigned char *old = part_of(a->image, left->sh_offset, left->sh_size);
    const unsigned char *new = part_of(b->image, right->sh_offset, right->sh_size);
    return old != NULL && new != NULL &&memcmp(old, new, left->sh_size) == 0;
}

static bool same_loaded(const struct sections *a, const struct sections *b)
{
    size_t i = 0;
    size_t j = 0;
    size_t compared = 0;
    Elf64_Shdr left;
    Elf64_Shdr right;
    if (a->header.e_type != b->header.e_type ||
        a->header.e_machine != b->header.e_machine ||
        a->header.e_entry != b->header.e_entry) {
        return false;
    }
    for (;;) {
        bool more = next_loaded(a, &i, &left);
        if (more != next_loaded(b, &j, &right)) {
            return false;
        }
        if (!more) {
            return compared > 0;
        }
        if (!same_section(a, &left, b, &right)) {
            return false;
        }
        compared++;
    }
}

static bool has_runpath(const struct sections *sections)
{
    for (size_t i = 0; i < sections->count; i++) {
        const Elf64_Shdr section = section_at(sections, i);
        const unsigned char *bytes =
            section.sh_type == SHT_DYNAMIC
                ? part_of(sections->image, section.sh_offset, section.sh_size)
                : NULL;
        for (size_t at = 0; bytes != NULL && at + sizeof(Elf64_Dyn) <= section.sh_size;
             at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, bytes + at, sizeof entry);
            if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) {
                return true;
            }
        }
    }
    return false;
}

static enum same_code same_images(const struct image *old, const struct image *new)
{
    struct sections a;
    struct sections b;
    if (!old->readable || !new->readable) {
        return SAME_CODE_DIFFERS;
    }
    if (sections_open(old, &a) && sections_open(new, &b)) {
        return !same_loaded(&a, &b) ? SAME_CODE_DIFFERS
               : has_runpath(&a)    ? SAME_CODE_BESIDE
                                    : SAME_CODE_PROGRAM;
    }
    bool same = old->length == new->length &&
                (old->length == 0 || memcmp(old->bytes, new->bytes, old->length) == 0);
    return same ? SAME_CODE_BYTES : SAME_CODE_DIFFERS;
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
