// link: duet_measure
/* The runner reads a page into which benchmarks have written anything
 * (measure/ring.h): what reaches the sink is counted in order and has possible times,
 * and everything else is an error. The first byte says how many sides there are and
 * whether times are made possible; then come both slots, the end, and records. */
#include "measure/ring.h"

#include "input_bytes.h"
#include "kept_page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MAX = 512 };
#define TIME_MASK ((UINT64_C(1) << 29U) - 1U) /* half a second after the boot */

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

static uint64_t expected[MODEL_SIDES]; /* index of the next record */

static enum duet_code look(void *context, enum model_side side,
                           const struct model_iteration *iterations, size_t count,
                           struct duet_error *reterr)
{
    (void)context;
    (void)reterr;
    for (size_t i = 0; i < count; i++) {
        require(iterations[i].index == expected[side]);
        require(iterations[i].region <= MODEL_REGIONS_MAX);
        require(iterations[i].operations >= 1 &&
                iterations[i].operations <= SYNC_OPERATIONS_MAX);
        expected[side] += iterations[i].region == 0;
        require(iterations[i].start_ns > 0 &&
                iterations[i].end_ns >= iterations[i].start_ns);
    }
    return DUET_OK;
}

static void write_slot(struct sync_map *map, unsigned slot, struct input *input)
{
    struct sync_slot *written = &map->page->slots[slot];
    uint64_t counters[4];
    uint32_t words[3];
    input_take(input, counters, sizeof counters);
    input_take(input, words, sizeof words);
    atomic_store(&written->claim, counters[0]);
    atomic_store(&written->head, counters[1]);
    atomic_store(&written->drained, counters[2]);
    atomic_store(&written->expected_ns, counters[3]);
    atomic_store(&written->state, words[0]);
    atomic_store(&written->traits, words[1]);
    atomic_store(&written->regions, words[2]);
    atomic_store(&written->ended, counters[1]);
    input_take(input, written->names[0], sizeof written->names[0]);
    input_take(input, written->names[1], sizeof written->names[1]);
}

/* Those that an input writes; all behind them are zeros. */
static void forget_records(struct sync_map *map)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        memset(map->rings[slot], 0,
               RECORDS_MAX / SYNC_SLOTS * sizeof *map->rings[slot]);
    }
}

static void write_records(struct sync_map *map, bool possible, struct input *input)
{
    for (size_t i = 0; i < RECORDS_MAX && input->left > 0; i++) {
        struct sync_record *record = &map->rings[i % SYNC_SLOTS][i / SYNC_SLOTS];
        input_take(input, record, sizeof *record);
        if (possible) {
            record->start_ns = 1 + (record->start_ns & TIME_MASK);
            record->end_ns = record->start_ns + (record->end_ns & TIME_MASK);
            record->operations = 1 + (record->operations & 255U);
            record->region &= 3U;
        }
    }
}

static void read_page(struct runner *runner, unsigned slots)
{
    static const enum model_side sides[] = {MODEL_NEW, MODEL_OLD};
    struct duet_error error = {0};
    expected[MODEL_OLD] = expected[MODEL_NEW] = 0;
    for (int again = 0; again < 3; again++) {
        if (ring_drain(runner, slots, sides, 1, &error) != DUET_OK) {
            require(error.message[0] != '\0');
            return;
        }
    }
    require(runner->region_count <= MODEL_REGIONS_MAX);
    for (uint32_t i = 0; i < runner->region_count; i++) {
        require(sync_region_name_fits(runner->regions[i]));
    }
    for (unsigned slot = 0; slot < slots; slot++) {
        if (ring_is_complete(runner, slot)) {
            require(ring_is_idle(runner, slot) && ring_iterations(runner, slot) > 0);
        }
        (void)ring_is_claimed(runner, slot);
        require(runner->read[slot] == expected[sides[slot]]);
        require(runner->read[slot] <= runner->map.drained[slot]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const struct measure_hooks hooks = {.sink = {.iterations = look}};
    struct measure_result result = {0};
    const struct model_plan plan = {.schedule = MODEL_SCHEDULE_DUET};
    const struct kept_page *kept = kept_page_again();
    struct runner runner = {.plan = &plan,
                            .hooks = &hooks,
                            .result = &result,
                            .page_fd = kept->fd,
                            .map = kept->map};
    uint8_t choice = 0;
    uint64_t last = 0;
    forget_records(&runner.map);
    input_take(&input, &choice, 1);
    write_slot(&runner.map, 0, &input);
    write_slot(&runner.map, 1, &input);
    input_take(&input, &last, sizeof last);
    atomic_store(&runner.map.page->control.last, last);
    write_records(&runner.map, (choice & 2U) != 0, &input);
    read_page(&runner, 1 + (choice & 1U));
    return 0;
}
