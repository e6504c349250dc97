#include "formats/suite_file.h"

#include "base/alloc.h"
#include "base/text.h"
#include "formats/source.h"
#include "formats/suite_schema.h"

#include <stdlib.h>
#include <string.h>

#define BENCHMARK(field) offsetof(struct model_suite_benchmark, field)
#define SUITE(field) offsetof(struct model_suite, field)

/* ---- A benchmark ---- */

/* `command`: for both sides; which of the keys are there is checked at the end. */
static enum duet_code command_read(struct suite_document *document,
                                   const struct suite_at *at, void *field)
{
    struct model_suite_benchmark *benchmark = field;
    benchmark->one_command = true;
    enum duet_code code = suite_text(document, at, &benchmark->commands[MODEL_OLD]);
    return code == DUET_OK ? suite_text(document, at, &benchmark->commands[MODEL_NEW])
                           : code;
}

static enum duet_code side_command_read(struct suite_document *document,
                                        const struct suite_at *at, char **command,
                                        const struct model_suite_benchmark *benchmark)
{
    return benchmark->one_command
               ? suite_fail(document, at,
                            "either 'command', or 'old' and 'new', not both")
               : suite_text(document, at, command);
}

static enum duet_code old_read(struct suite_document *document,
                               const struct suite_at *at, void *field)
{
    struct model_suite_benchmark *benchmark = field;
    return side_command_read(document, at, &benchmark->commands[MODEL_OLD], benchmark);
}

static enum duet_code new_read(struct suite_document *document,
                               const struct suite_at *at, void *field)
{
    struct model_suite_benchmark *benchmark = field;
    return side_command_read(document, at, &benchmark->commands[MODEL_NEW], benchmark);
}

static enum duet_code only_command_read(struct suite_document *document,
                                        const struct suite_at *at, void *field)
{
    struct model_suite_benchmark *benchmark = field;
    return benchmark->commands[MODEL_OLD] != NULL ||
                   benchmark->commands[MODEL_NEW] != NULL
               ? suite_fail(document, at,
                            "either 'command', or 'old' and 'new', not both")
               : command_read(document, at, field);
}

static const struct suite_field benchmark_fields[] = {
    {"name", suite_read_text, BENCHMARK(name)},
    {"description", suite_read_text, BENCHMARK(description)},
    {"command", only_command_read, 0},
    {"old", old_read, 0},
    {"new", new_read, 0},
    {"variables", suite_read_variables, BENCHMARK(variables)},
    {"parameters", suite_read_parameters, BENCHMARK(parameters)},
    {"check", suite_read_check, BENCHMARK(check)},
    {NULL, NULL, 0}};

static enum duet_code benchmark_finish(struct suite_document *document,
                                       const struct suite_at *at,
                                       const struct model_suite *suite,
                                       const struct model_suite_benchmark *benchmark)
{
    if (benchmark->name == NULL) {
        return suite_fail(document, at, "it needs a 'name'");
    }
    if (benchmark->commands[MODEL_OLD] == NULL ||
        benchmark->commands[MODEL_NEW] == NULL) {
        return suite_fail(document, at, "it needs 'command', or both 'old' and 'new'");
    }
    for (const struct model_suite_benchmark *other = suite->benchmarks;
         other < benchmark; other++) {
        if (strcmp(other->name, benchmark->name) == 0) {
            return suite_fail(document, at,
                              "the name '%s' is already used in line "
                              "%llu",
                              benchmark->name,
                              (unsigned long long)other->position.line);
        }
    }
    return DUET_OK;
}

static enum duet_code benchmark_visit(struct suite_document *document,
                                      const struct suite_at *element, void *context)
{
    struct model_suite *suite = context;
    struct model_suite_benchmark *grown =
        alloc_resize(suite->benchmarks, suite->count + 1, sizeof *grown);
    if (grown == NULL) {
        return suite_fail_memory(document);
    }
    suite->benchmarks = grown;
    struct model_suite_benchmark *benchmark = &grown[suite->count++];
    *benchmark = (struct model_suite_benchmark){.position = suite_position(element)};
    struct suite_shape shape = {.fields = benchmark_fields,
                                .into = benchmark,
                                .settings = &benchmark->settings};
    enum duet_code code = suite_shape_read(document, element, &shape);
    return code == DUET_OK ? benchmark_finish(document, element, suite, benchmark)
                           : code;
}

/* ---- The suite ---- */

static enum duet_code benchmarks_read(struct suite_document *document,
                                      const struct suite_at *at, void *field)
{
    return suite_list(document, at, FORMATS_SUITE_BENCHMARKS_MAX, benchmark_visit,
                      field);
}

static enum duet_code defaults_read(struct suite_document *document,
                                    const struct suite_at *at, void *field)
{
    static const struct suite_field defaults_fields[] = {
        {"parameters", suite_read_parameters, SUITE(parameters)}, {NULL, NULL, 0}};
    struct model_suite *suite = field;
    struct suite_shape shape = {.fields = defaults_fields,
                                .into = suite,
                                .settings = &suite->defaults,
                                .defaults = true};
    return suite_shape_read(document, at, &shape);
}

static const struct suite_field suite_fields[] = {
    {"name", suite_read_text, SUITE(name)},
    {"description", suite_read_text, SUITE(description)},
    {"setup", suite_read_text, SUITE(setup)},
    {"cleanup", suite_read_text, SUITE(cleanup)},
    {"variables", suite_read_variables, SUITE(variables)},
    {"defaults", defaults_read, 0},
    {"benchmarks", benchmarks_read, 0},
    {NULL, NULL, 0}};

/* "suites/native.yaml": "native". */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    return dot == NULL || dot == base ? alloc_string(base)
                                      : alloc_string_n(base, (size_t)(dot - base));
}

static enum duet_code suite_finish(struct suite_document *document,
                                   const struct suite_at *root, const char *path,
                                   struct model_suite *suite)
{
    if (suite->count == 0) {
        return suite_fail(document, root, "it needs 'benchmarks', a list of them");
    }
    suite->path = alloc_string(path);
    suite->name = suite->name != NULL ? suite->name : name_of(path);
    return suite->path == NULL || suite->name == NULL ? suite_fail_memory(document)
                                                      : DUET_OK;
}

enum duet_code formats_suite_parse(const char *bytes, size_t length, const char *path,
                                   struct model_suite *ret_suite,
                                   struct duet_error *reterr)
{
    struct duet_error unwanted;
    struct suite_document document;
    struct model_suite suite = {0};
    enum duet_code code = suite_document_load(bytes, length, path, &document,
                                              reterr != NULL ? reterr : &unwanted);
    if (code != DUET_OK) {
        return code;
    }
    struct suite_at root = {.node = yaml_document_get_root_node(&document.yaml)};
    struct suite_shape shape = {.fields = suite_fields, .into = &suite};
    code = suite_shape_read(&document, &root, &shape);
    if (code == DUET_OK) {
        code = suite_finish(&document, &root, path, &suite);
    }
    suite_document_release(&document);
    if (code == DUET_OK) {
        *ret_suite = suite;
    } else {
        model_suite_release(&suite);
    }
    return code;
}

/* All of the file. */
static enum duet_code read_all(struct formats_source *source, struct text *text,
                               struct duet_error *reterr)
{
    text_append(text, "");
    for (;;) {
        size_t ready = 0;
        const unsigned char *bytes = formats_source_look(source, &ready);
        if (ready == 0) {
            break;
        }
        text_append_n(text, (const char *)bytes, ready);
        source->at += ready;
        if (text->length > FORMATS_SUITE_BYTES_MAX) {
            return error_set(reterr, DUET_E_FORMAT, "'%s' is above 1 MiB: not a suite",
                             source->name);
        }
    }
    enum duet_code code = formats_source_check(source, reterr);
    return code == DUET_OK && text_failed(text)
               ? error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", source->name)
               : code;
}

enum duet_code formats_suite_read(const char *path, struct model_suite *ret_suite,
                                  struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    struct text text = {0};
    enum duet_code code = formats_source_open(path, &source, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = read_all(source, &text, reterr);
    if (code == DUET_OK) {
        code = formats_suite_parse(text_string(&text), text.length, source->name,
                                   ret_suite, reterr);
    }
    formats_source_close(source);
    text_release(&text);
    return code;
}
