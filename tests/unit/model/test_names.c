/* Every enumerator has a name of its own, and nothing behind the last one has any. */
#include "model/analysis.h"
#include "model/comparison.h"
#include "model/fleet.h"
#include "model/gate_outcome.h"
#include "model/geomean.h"
#include "model/observation.h"
#include "model/plan.h"
#include "model/watching.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct vocabulary {
    const char *(*name_of)(unsigned value);
    unsigned count;
};

static void names_are_as_many_as_enumerators(void **state)
{
    (void)state;
    static const struct vocabulary all[] = {
        {model_statistic_kind_name, MODEL_STATISTICS},
        {model_estimator_name, MODEL_ESTIMATORS},
        {model_interval_method_name, MODEL_INTERVAL_METHODS},
        {model_test_name, MODEL_TESTS},
        {model_multiplicity_name, MODEL_MULTIPLICITIES},
        {model_winsorize_name, MODEL_WINSORIZES},
        {model_resample_name, MODEL_RESAMPLES},
        {model_scheme_name, MODEL_SCHEMES},
        {model_lost_treatment_name, MODEL_LOST_TREATMENTS},
        {model_coin_name, MODEL_COINS},
        {model_verdict_name, MODEL_VERDICTS},
        {model_unit_name, MODEL_UNITS},
        {model_losses_name, MODEL_LOSSES},
        {model_p_value_method_name, MODEL_P_VALUE_METHODS},
        {model_doubt_name, MODEL_DOUBTS},
        {model_limit_name, MODEL_LIMITS},
        {model_tasks_name, MODEL_TASKS},
        {model_fleet_engine_name, MODEL_FLEET_ENGINES},
        {model_fleet_instance_name, MODEL_FLEET_INSTANCES},
        {model_fleet_phase_name, MODEL_FLEET_PHASES},
        {model_role_name, MODEL_ROLES},
        {model_gate_state_name, MODEL_GATE_STATES},
        {model_geomean_rule_name, MODEL_GEOMEAN_RULES},
        {model_counter_name, MODEL_COUNTERS},
        {model_schedule_name, MODEL_SCHEDULES},
        {model_layout_name, MODEL_LAYOUTS},
        {model_watch_state_name, MODEL_WATCH_STATES},
        {model_side_name, MODEL_SIDES},
    };
    for (size_t v = 0; v < sizeof all / sizeof all[0]; v++) {
        for (unsigned i = 0; i < all[v].count; i++) {
            for (unsigned j = 0; j < i; j++) {
                assert_string_not_equal(all[v].name_of(i), all[v].name_of(j));
            }
        }
        assert_string_equal(all[v].name_of(all[v].count), "unknown");
        /* "unknown" is the name of an enumerator, too. */
        if (all[v].name_of != model_tasks_name) {
            assert_string_not_equal(all[v].name_of(all[v].count - 1), "unknown");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_many_as_enumerators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
