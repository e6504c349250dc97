/* Parameters (-L, -P): a command line with {VAR} in it, once for each value. */
#ifndef DUET_SESSION_PARAMETER_H
#define DUET_SESSION_PARAMETER_H

#include "base/error.h"

#include <stddef.h>

struct parameter {
    char *name;
    char **values;
    size_t count;
};

struct parameter_list {
    struct parameter *parameters;
    size_t count;
};

/* -L VAR a,b,c. Errors: DUET_E_USAGE, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code parameter_add_list(struct parameter_list *list,
                                                const char *name, const char *values,
                                                struct duet_error *reterr);
/* The values one by one, copied. Errors: as above. */
BASE_MUST_USE enum duet_code parameter_add_values(struct parameter_list *list,
                                                  const char *name,
                                                  const char *const *values,
                                                  size_t count,
                                                  struct duet_error *reterr);
/* -P VAR MIN MAX with -D STEP (0: 1), decimal. Errors: as above. */
BASE_MUST_USE enum duet_code parameter_add_scan(struct parameter_list *list,
                                                const char *name, const char *low,
                                                const char *high, const char *step,
                                                struct duet_error *reterr);

/* Number of combinations; 1 without parameters, SIZE_MAX where it is larger. */
size_t parameter_combinations(const struct parameter_list *list);

/* `text` with every {VAR} replaced by its value in combination `index`; free(). NULL
 * when memory is short. */
char *parameter_expand(const struct parameter_list *list, size_t index,
                       const char *text);

/* "VAR=a, X=2" of the combination, "" without parameters; free(). */
char *parameter_label(const struct parameter_list *list, size_t index);

void parameter_list_release(struct parameter_list *list);

#endif
