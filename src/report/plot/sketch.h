/* A picture under way: its panels, and the memory that they borrow. */
#ifndef DUET_REPORT_PLOT_SKETCH_H
#define DUET_REPORT_PLOT_SKETCH_H

#include "base/error.h"
#include "base/text.h"
#include "model/dataset.h"
#include "report/plot/plot.h"

enum { SKETCH_PANELS_MAX = 256 };

/* Zeroed storage is an empty one. What cannot be allocated is found out at the end:
 * everything here takes the NULL that an earlier call gave. */
struct sketch {
    void **blocks;
    size_t block_count;
    struct plot_panel panels[SKETCH_PANELS_MAX];
    size_t panel_count;
    bool failed;
};

/* count elements of `size` bytes, zeroed, that live as long as the sketch. NULL: no
 * memory. */
void *sketch_take(struct sketch *sketch, size_t count, size_t size);
const char *sketch_name(struct sketch *sketch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a panel; more than SKETCH_PANELS_MAX are left out. */
void sketch_panel(struct sketch *sketch, const struct plot_panel *panel);

/* ", measured 2026-11-22", or "... to 2026-11-23", of moments in ms since 1970; nothing
 * where the first is 0, unknown. */
void sketch_append_days(struct text *text, int64_t first_utc_ms, int64_t last_utc_ms);

/* How much a data set holds and, where that is known, when it was measured: for the
 * note of its picture. */
const char *sketch_dataset_note(struct sketch *sketch,
                                const struct model_dataset *dataset);

/* Appends the figure, with these panels, and releases the sketch; no memory becomes the
 * text's failure. */
void sketch_append(struct sketch *sketch, struct text *text,
                   const struct plot_figure *figure);

/* Writes the figure, with these panels, to `path`, and releases the sketch. Errors:
 * DUET_E_NOMEM, DUET_E_IO. */
BASE_MUST_USE enum duet_code sketch_write(struct sketch *sketch, const char *path,
                                          const struct plot_figure *figure,
                                          struct duet_error *reterr);

#endif
