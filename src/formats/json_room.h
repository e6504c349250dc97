/* Memory for the buffer in which jansson keeps a token's bytes. It has room for so many
 * at first and doubles. A byte for which it gets no memory is left out without a word:
 * a string then is another one, or its end is looked for behind the buffer. So there is
 * a spare block before the buffer grows; where there is none, nothing more may be
 * handed over. Private to src/formats. */
#ifndef DUET_FORMATS_JSON_ROOM_H
#define DUET_FORMATS_JSON_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* For one document at a time: json_room_end() before the next one. */
void json_room_begin(void);
void json_room_end(void);

/* Bytes of a token for which there is room. */
size_t json_room(void);
/* For about twice as many. Whether there is memory for it. */
bool json_room_double(void);
/* Whether the library was short of memory, or the last json_room_double(). */
bool json_room_is_short(void);

#endif
