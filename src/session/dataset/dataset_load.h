/* The data set of a study: which data, what of it, and how it is cleaned. */
#ifndef DUET_SESSION_DATASET_DATASET_LOAD_H
#define DUET_SESSION_DATASET_DATASET_LOAD_H

#include "formats/dataset_read.h"
#include "study/study_cleaning.h"
#include "study/study_ranking.h"

struct dataset_options {
    enum formats_dataset_kind kind;
    struct formats_dataset_options csv;
    char *columns[FORMATS_DATASET_ROLES]; /* owned; `csv` points to them */
    double outliers;                      /* multiple of the median; 0: none dropped */
    struct study_limits limits;
    unsigned ranks;    /* bit r: rank r; 0: all benchmarks */
    const char *store; /* of --store; or NULL */
};

struct dataset_options dataset_options_default(void);
void dataset_options_release(struct dataset_options *options);

/* A benchmark that was selected by its place in the order of variation. */
struct dataset_rank {
    enum study_rank rank;
    double cv;
    const char *benchmark; /* the data set's */
};

/* A data set that was read and cleaned. */
struct dataset_loaded {
    struct model_dataset dataset;
    struct formats_dataset_counts counts;
    struct study_cleaned *cleaned; /* one a configuration */
    struct dataset_rank ranked[STUDY_RANKS];
    size_t ranked_count; /* 0: all benchmarks */
    size_t ranked_of;    /* so many benchmarks */
};

/* The data as it is. Errors: those of session/dataset/dataset_source.h. */
BASE_MUST_USE enum duet_code dataset_read(const struct dataset_options *options,
                                          char *const *words, int count,
                                          struct model_dataset *ret_dataset,
                                          struct formats_dataset_counts *ret_counts,
                                          struct duet_error *reterr);

/* words: [ENVIRONMENT=]WHAT, where WHAT is a file or something stored
 * (session/dataset/dataset_source.h). Errors: those of reading and cleaning. */
BASE_MUST_USE enum duet_code dataset_load(const struct dataset_options *options,
                                          char *const *words, int count,
                                          struct dataset_loaded *ret_loaded,
                                          struct duet_error *reterr);
void dataset_loaded_release(struct dataset_loaded *loaded);

#endif
