#include "cli/history/baseline_carry.h"

#include "base/alloc.h"
#include "cli/gate_say.h"
#include "session/comparison/answers.h"

#include <stdlib.h>
#include <string.h>

enum duet_code baseline_check(const struct baseline_options *options, const char *store,
                              struct duet_error *reterr)
{
    bool asked = options->save != NULL || options->with != NULL;
    if (asked && store != NULL && strcmp(store, "none") == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "baselines are kept in the store: leave --store none out");
    }
    return options->with == NULL ? DUET_OK
                                 : baseline_require(store, options->with, reterr);
}

/* ---- Comparing ---- */

/* JSON has no raw data here: that of both experiments is in the store. */
static enum duet_code show(const struct output_options *output, struct store *store,
                           const struct answer *answers, size_t count,
                           struct duet_error *reterr)
{
    return count == 0 ? DUET_OK : output_answers(output, store, answers, count, reterr);
}

/* shown: false where standard output is an export's, whose gates count all the same. */
static int compare(const struct baseline_options *options,
                   const struct output_options *output, bool shown, struct store *store,
                   const int64_t *experiments, size_t count)
{
    const struct baseline_manner manner = {
        .reach = options->reach, .overrides = options->overrides, .together = count};
    struct answer *answers = alloc_array(count, sizeof *answers);
    struct duet_error error = {0};
    size_t made = 0;
    int status = CLI_EXIT_OK;
    enum duet_code code = answers == NULL ? error_no_memory(&error) : DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        enum duet_code one = baseline_answer(store, options->with, &manner,
                                             experiments[i], &answers[made], &error);
        made += one == DUET_OK;
        if (one != DUET_OK) { /* the others have their answers all the same */
            status = cli_fail(&error);
            code = one == DUET_E_NOMEM || one == DUET_E_IO ? one : code;
        }
    }
    if (code == DUET_OK) {
        code = answers_judge(answers, made, &error);
        if (code == DUET_OK && shown) {
            code = show(output, store, answers, made, &error);
        }
        status = code == DUET_OK ? status : cli_fail(&error);
    }
    if (code == DUET_OK && made > 0) {
        int judged = gate_say(answers, made, true, output->verbosity == 0);
        status = status != CLI_EXIT_OK ? status : judged;
    }
    answers_free(answers, made);
    return status;
}

int baseline_compare(const struct baseline_options *options,
                     const struct output_options *output, struct store *store,
                     const int64_t *experiments, size_t count)
{
    return compare(options, output, true, store, experiments, count);
}

/* ---- With what was measured ---- */

static int save(const char *name, struct store *store, const int64_t *ids, size_t count)
{
    struct duet_error error = {0};
    if (store_baseline_save(store, name, ids, count, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    cli_say("saved as baseline '%s': %zu benchmark%s", name, count,
            count == 1 ? "" : "s");
    return CLI_EXIT_OK;
}

int baseline_carry(const struct baseline_options *options,
                   const struct output_options *output, struct store *store,
                   const struct answer *answers, size_t count, int status)
{
    int64_t *ids = alloc_array(count, sizeof *ids);
    struct duet_error error = {0};
    int compared = CLI_EXIT_OK;
    int saved = CLI_EXIT_OK;
    if (ids == NULL) {
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    size_t found = answers_judged(answers, count, ids);
    /* Exports hold what was measured now; of this duet compare makes some. */
    const struct output_options terminal = {.verbosity = output->verbosity,
                                            .no_color = output->no_color,
                                            .force_color = output->force_color,
                                            .unit_ns = output->unit_ns};
    if (options->with != NULL && found > 0) {
        compared = compare(options, &terminal, !output_takes_stdout(output), store, ids,
                           found);
    }
    if (options->save != NULL && found > 0) {
        saved = save(options->save, store, ids, found);
    }
    free(ids);
    status = status != CLI_EXIT_OK ? status : compared;
    return status != CLI_EXIT_OK ? status : saved;
}
