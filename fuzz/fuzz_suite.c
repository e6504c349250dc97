// link: duet_formats
/* Suites (formats/suite_file.h): any bytes as a suite's file. */
#include "formats/suite_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_suite suite = {0};
    struct duet_error error = {0};
    enum duet_code code =
        formats_suite_parse((const char *)data, size, "f", &suite, &error);
    if (code != DUET_OK) {
        require(error.code == code && strncmp(error.message, "f:", 2) == 0);
        require(suite.benchmarks == NULL);
        return 0;
    }
    require(suite.count > 0);
    for (size_t i = 0; i < suite.count; i++) {
        require(suite.benchmarks[i].name != NULL);
        require(suite.benchmarks[i].commands[MODEL_OLD] != NULL);
        require(suite.benchmarks[i].commands[MODEL_NEW] != NULL);
    }
    model_suite_release(&suite);
    return 0;
}
