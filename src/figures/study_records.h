/* Rows of a study's answer, written as CSV and as JSON from one description. */
#ifndef DUET_FIGURES_STUDY_RECORDS_H
#define DUET_FIGURES_STUDY_RECORDS_H

#include "base/text.h"
#include "report/json/json_writer.h"

#include <stddef.h>
#include <stdint.h>

/* Both documents under way. */
struct study_records {
    struct text *csv;
    struct text *json;         /* NULL: not wanted */
    struct json_writer writer; /* into json */
    const char *names;         /* of the fields, with commas; borrowed */
    const char *name;          /* of the row's next one, and those behind it */
};

/* JSON: {"schema_version": 1, "study": STUDY, "seed": N, "rows": [{NAME: ...}, ...]};
 * CSV: the names, then a row each, RFC 4180. names: "one,another_one"; json NULL: not
 * wanted. */
void study_records_begin(struct study_records *records, const char *study,
                         uint64_t seed, const char *names, struct text *csv,
                         struct text *json);
/* The fields of a row, one call each. */
void study_records_text(struct study_records *records, const char *value);
/* What is not finite is not known: empty, null. */
void study_records_number(struct study_records *records, double value);
void study_records_whole(struct study_records *records, uint64_t value);
/* A failure is that of the texts. */
void study_records_end(struct study_records *records);

#endif
