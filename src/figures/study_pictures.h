/* The figures of Bulej 2020 for any data, as SVG files in a folder. */
#ifndef DUET_FIGURES_STUDY_PICTURES_H
#define DUET_FIGURES_STUDY_PICTURES_H

#include "report/plot/plot.h"
#include "study/study_ratio.h"
#include "study/study_samples.h"
#include "study/study_stopping.h"
#include "study/widths.h"

/* Writes a figure as folder/name; the folder is made when it is not there. Errors:
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_picture_write(const char *folder, const char *name,
                                                 const struct plot_figure *figure,
                                                 struct duet_error *reterr);

/* How much was measured, and when: "workloads: 12, runs: 10 to 20, ...", of the rows
 * from `first` on. */
void study_pictures_note(struct text *text, const struct widths *widths, size_t first);

/* The same of series that were read: "series: 21, measurements of a series: 336 to
 * 1008". A series does not say when it was measured. */
enum { STUDY_NOTE_BYTES = 128 };
void study_pictures_series_note(char note[STUDY_NOTE_BYTES],
                                const struct study_series *series, size_t count);

/* Figures 2 and 4 (interval widths by platform, duet beside the standard method and
 * beside shuffled pairs), figure-2-widths.svg and figure-4-shuffled.svg. Errors:
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_pictures_widths(const char *folder,
                                                   const struct widths *widths,
                                                   struct duet_error *reterr);

/* Figure 5: paired and shuffled widths of each platform beside each other (quiet and
 * busy), figure-5-sharing.svg. Errors: as above. */
BASE_MUST_USE enum duet_code study_pictures_sharing(const char *folder,
                                                    const struct widths *widths,
                                                    struct duet_error *reterr);

/* Figures 1, 3 and 7: distributions of times, samples over time of the workload whose
 * intervals differ most, times together against alone; figure-1-times.svg,
 * figure-3-samples.svg, figure-7-together.svg. `widths`: of the same workloads, from
 * `first` on. Errors: as above, and those of
 * samples->load(). */
BASE_MUST_USE enum duet_code study_pictures_samples(const char *folder,
                                                    const struct study_samples *samples,
                                                    const struct widths *widths,
                                                    size_t first,
                                                    struct duet_error *reterr);

/* Figure 6: the distribution of ratios over runs; a box for each workload, condition
 * and fill that was measured. widths: of the same measurements, which say when they
 * were made. Errors: as above. */
BASE_MUST_USE enum duet_code study_pictures_ratio(const char *folder,
                                                  const struct study_ratio *ratio,
                                                  const struct widths *widths,
                                                  struct duet_error *reterr);

#endif
