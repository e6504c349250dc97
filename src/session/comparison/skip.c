#include "session/comparison/skip.h"

#include "base/version.h"
#include "session/comparison/answer_done.h"
#include "session/sameness/identical.h"
#include "store/store_revision.h"

/* Its commits, for a history, and its suite. */
static enum duet_code join(const struct benchmark *benchmark, struct store *store,
                           int64_t experiment, struct duet_error *reterr)
{
    const struct benchmark_suite *suite = benchmark->suite;
    struct duet_error ignored;
    enum duet_code code =
        benchmark->revisions != NULL
            ? store_revisions_save(store, experiment, benchmark->benchmark,
                                   benchmark->revisions, reterr)
            : DUET_OK;
    if (code == DUET_OK && suite != NULL) {
        code =
            store_suite_add(store, suite->run, experiment, suite->definition, reterr);
    }
    if (code != DUET_OK) {
        (void)!store_experiment_end(store, experiment, STORE_FAILED, NULL,
                                    reterr->message, &ignored);
    }
    return code;
}

static enum duet_code keep(const struct benchmark *benchmark,
                           const struct session *session, const char *why,
                           int64_t *ret_experiment, struct duet_error *reterr)
{
    struct store *store = session->store;
    struct model_plan plan = benchmark->plan;
    const struct model_analysis analysis =
        benchmark_describe(&benchmark->analysis, &plan);
    struct model_host host;
    int64_t experiment = 0;
    plan.analysis = &analysis;
    machine_describe(session->machine, plan.cpus, &host);
    enum duet_code code = store_experiment_begin(store, &plan, &host, NULL,
                                                 BASE_VERSION, &experiment, reterr);
    code = code == DUET_OK ? join(benchmark, store, experiment, reterr) : code;
    if (code == DUET_OK) {
        code = store_experiment_end(store, experiment, STORE_DONE, NULL, why, reterr);
    }
    if (code == DUET_OK) {
        code = identical_save(store, experiment, reterr);
    }
    if (code == DUET_OK) {
        *ret_experiment = experiment;
    }
    return code;
}

enum duet_code skip_identical(const struct run_request *options,
                              const struct benchmark *benchmark,
                              const struct session *session, int64_t *ret_experiment,
                              struct duet_error *reterr)
{
    char why[IDENTICAL_WHY_BYTES];
    enum identical identical = IDENTICAL_NOT;
    *ret_experiment = 0;
    enum duet_code code = options->skip_identical
                              ? identical_sides(&benchmark->plan, options->identical_if,
                                                &identical, why, reterr)
                              : DUET_OK;
    if (code == DUET_OK && identical == IDENTICAL_UNKNOWN) {
        listener_tell(
            session->listener,
            "%s is measured: %s; --identical-if PATHS says what must be equal",
            benchmark->plan.name, why);
    }
    return code == DUET_OK && identical == IDENTICAL_YES
               ? keep(benchmark, session, why, ret_experiment, reterr)
               : code;
}
