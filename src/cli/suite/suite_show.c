#include "cli/suite/suite_show.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/gate_say.h"
#include "cli/history/baseline_carry.h"
#include "cli/terminal_listener.h"
#include "session/comparison/regions.h"
#include "session/suite/suite_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shows the answers; returns the status of their verdicts. *measured: what measuring,
 * and then the clean-up behind confirmations, has come to. */
static int show(struct suite_session *session, enum duet_code *measured,
                const struct output_options *output,
                const struct baseline_options *baseline, struct answer **answers,
                size_t *ret_count)
{
    struct duet_error error = {0};
    struct duet_error unclean;
    struct store *store = session->with.store;
    int stopped = CLI_EXIT_OK;
    enum duet_code code = suite_session_answer(session, *answers, ret_count, &error);
    if (code == DUET_OK) {
        code = regions_conclude(store, answers, ret_count, &error);
    }
    if (code == DUET_OK && *measured == DUET_OK &&
        suite_session_confirm(session, answers, ret_count, &error) != DUET_OK) {
        stopped = cli_fail(&error); /* the answers are there */
    }
    enum duet_code cleaned = suite_session_clean(session, &unclean);
    *measured = *measured == DUET_OK ? cleaned : *measured;
    if (code == DUET_OK && *ret_count > 0) {
        code = output_answers(output, store, *answers, *ret_count, &error);
    }
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    int status = gate_say(*answers, *ret_count, true, output->verbosity == 0);
    bool whole = *measured == DUET_OK && stopped == CLI_EXIT_OK;
    status = whole
                 ? baseline_carry(baseline, output, store, *answers, *ret_count, status)
                 : status;
    return stopped != CLI_EXIT_OK ? stopped : status;
}

static int show_all(struct suite_session *session, enum duet_code *measured,
                    const struct output_options *output,
                    const struct baseline_options *baseline)
{
    struct answer *answers =
        alloc_array(MODEL_ROLES * session->plan->count, sizeof *answers);
    size_t count = 0;
    int status = CLI_EXIT_UNSUITABLE;
    if (answers == NULL) {
        struct duet_error unclean;
        cli_say("out of memory");
        (void)!suite_session_clean(session, &unclean);
    } else {
        status = show(session, measured, output, baseline, &answers, &count);
    }
    answers_free(answers, count);
    return status;
}

static void say_rest(const struct suite_session *session)
{
    const struct suite_plan *plan = session->plan;
    size_t left = 0;
    for (size_t i = 0; i < plan->count; i++) {
        left += session->outcomes[i] == SUITE_OUTCOME_NONE ||
                session->outcomes[i] == SUITE_OUTCOME_CUT;
    }
    if (session->failed > 0) {
        struct text names = {0};
        for (size_t i = 0; i < plan->count; i++) {
            if (session->outcomes[i] == SUITE_OUTCOME_FAILED) {
                text_append(&names, names.length > 0 ? "; " : "");
                text_append(&names, plan->entries[i].name);
            }
        }
        cli_say("%zu of %zu benchmarks failed: %s", session->failed, plan->count,
                text_string(&names));
        text_release(&names);
    }
    const char *store = session->request->base.store;
    if (left > 0 && (store == NULL || strcmp(store, "none") != 0)) {
        cli_say(
            "%zu of %zu benchmarks are left; the same command with --resume goes on",
            left, plan->count);
    }
}

static int answer_and_show(struct suite_session *session,
                           const struct output_options *output,
                           const struct baseline_options *baseline)
{
    struct duet_error error = {0};
    enum duet_code code = suite_session_measure(session, &error);
    int status = show_all(session, &code, output, baseline);
    say_rest(session);
    if (suite_session_end(session, code, &error) != DUET_OK) {
        status = cli_fail(&error);
    }
    if (code != DUET_OK) {
        return cli_exit_of(code);
    }
    bool interrupted = status == CLI_EXIT_INTERRUPTED;
    return session->failed > 0 && !interrupted ? CLI_EXIT_WORKLOAD : status;
}

int suite_show_run(const struct suite_request *request, struct suite_plan *plan,
                   const struct output_options *output,
                   const struct baseline_options *baseline, const char *path,
                   int cancel_fd)
{
    struct suite_session session = {
        .request = request,
        .plan = plan,
        .path = path,
        .with = {.cancel_fd = cancel_fd,
                 .listener = terminal_listener(output->verbosity > 0)}};
    struct duet_error error = {0};
    enum duet_code code = suite_session_prepare(&session, &error);
    if (code == DUET_OK) {
        code = output_check(output, request->base.store, &error);
    }
    if (code == DUET_OK) {
        code = baseline_check(baseline, request->base.store, &error);
    }
    if (code == DUET_OK) {
        code = suite_session_open(&session, &error);
    }
    int status = code == DUET_OK ? answer_and_show(&session, output, baseline)
                                 : cli_fail(&error);
    suite_session_release(&session);
    return status;
}
