#include "formats/json_room.h"

#include <jansson.h>

enum { FIRST_ROOM = 15 };

static struct {
    json_malloc_t get;
    json_free_t put;
    void *spare; /* room + 1 bytes; NULL: none, or in use */
    size_t room;
    bool is_short;
} memory;

static void *get_or_spare(size_t bytes)
{
    void *block = memory.get(bytes);
    if (block == NULL && memory.spare != NULL && bytes <= memory.room + 1) {
        block = memory.spare;
        memory.spare = NULL;
        memory.is_short = true;
    }
    return block;
}

void json_room_begin(void)
{
    json_get_alloc_funcs(&memory.get, &memory.put);
    memory.spare = NULL;
    memory.room = FIRST_ROOM;
    memory.is_short = false;
    json_set_alloc_funcs(get_or_spare, memory.put);
}

void json_room_end(void)
{
    memory.put(memory.spare);
    json_set_alloc_funcs(memory.get, memory.put);
}

size_t json_room(void)
{
    return memory.room;
}

bool json_room_double(void)
{
    memory.put(memory.spare);
    memory.room = 2 * memory.room + 1;
    memory.spare = memory.get(memory.room + 1);
    memory.is_short = memory.is_short || memory.spare == NULL;
    return memory.spare != NULL;
}

bool json_room_is_short(void)
{
    return memory.is_short;
}
