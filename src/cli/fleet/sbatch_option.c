#include "cli/fleet/sbatch_option.h"

#include "base/parse.h"

#include <stdlib.h>

enum duet_code sbatch_option_take(struct model_words *words, const char *value,
                                  struct duet_error *reterr)
{
    char **parsed = NULL;
    enum duet_code code = parse_command_words(value, &parsed, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; parsed[i] != NULL && code == DUET_OK; i++) {
        code = i == 0 && parsed[i][0] != '-'
                   ? error_set(reterr, DUET_E_USAGE,
                               "--sbatch '%s': expected an option of sbatch, such as "
                               "--constraint=avx2",
                               value)
                   : model_words_add(words, parsed[i], reterr);
    }
    free((void *)parsed);
    return code;
}
