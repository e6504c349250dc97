/* Which way a call came: two calls with the same functions above them, at the same
 * instructions, have the same number, in every process of the same programs. Functions
 * of the library that has this do not count. */
#ifndef DUET_TESTS_CALL_STACK_H
#define DUET_TESTS_CALL_STACK_H

#include <dlfcn.h>
#include <stdint.h>
#include <unwind.h>

struct call_stack {
    uint64_t number;
    const void *ours; /* where the library that has this lies */
};

static inline _Unwind_Reason_Code call_stack_add(struct _Unwind_Context *frame,
                                                 void *context)
{
    struct call_stack *stack = context;
    uint64_t address = _Unwind_GetIP(frame);
    struct dl_find_object its;
    if (_dl_find_object((void *)address, &its) == 0) {
        if (its.dlfo_map_start == stack->ours) {
            return _URC_NO_REASON;
        }
        // Each time it lies elsewhere.
        address -= (uint64_t)(uintptr_t)its.dlfo_map_start;
    }
    stack->number = (stack->number ^ address) * UINT64_C(0x9E3779B97F4A7C15);
    stack->number ^= stack->number >> 29U;
    return _URC_NO_REASON;
}

/* Of the call that is under way; never 0. To find it allocates nothing. */
static inline uint64_t call_stack_number(void)
{
    static char here;
    struct call_stack stack = {.number = 1};
    struct dl_find_object ours;
    if (_dl_find_object(&here, &ours) == 0) {
        stack.ours = ours.dlfo_map_start;
    }
    (void)_Unwind_Backtrace(call_stack_add, &stack);
    return stack.number != 0 ? stack.number : 1;
}

#endif
