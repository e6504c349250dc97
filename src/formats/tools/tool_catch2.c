/* Catch2's XML (-r xml): the mean of each benchmark, in ns. A file is a process. */
#include "formats/tools/tool_readers.h"

#include "base/text.h"
#include "formats/scan.h"

#include <expat.h>
#include <string.h>

/* What Expat 2.9 deprecates, and what it has instead. */
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define LINE_NUMBER XML_GetCurrentLineNumber
#define COLUMN_NUMBER XML_GetCurrentColumnNumber
#else
#define LINE_NUMBER XML_GetCurrentLineNumber64
#define COLUMN_NUMBER XML_GetCurrentColumnNumber64
#endif

enum { DEPTH_MAX = 64, CHUNK_BYTES = 1 << 16 };

struct catch2 {
    struct formats_tool_sink *sink;
    XML_Parser parser;
    struct text path;         /* "test case > section" */
    size_t before[DEPTH_MAX]; /* its length before each open element */
    size_t depth;
    struct text benchmark; /* the open one; empty: none */
    bool has_mean;
    enum duet_code code;
    struct duet_error error;
};

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return attributes[i + 1];
        }
    }
    return "";
}

static void stop(struct catch2 *catch2, enum duet_code code)
{
    if (catch2->code == DUET_OK && code != DUET_OK) {
        catch2->code = code;
        (void)XML_StopParser(catch2->parser, XML_FALSE);
    }
}

static void take_mean(struct catch2 *catch2, const char *value)
{
    struct formats_measured measured = {
        .benchmark = text_string(&catch2->benchmark), .process = "0", .count = 1};
    if (!formats_scan_number(value, strlen(value), &measured.ns)) {
        stop(catch2, error_set(&catch2->error, DUET_E_FORMAT,
                               "'%s': %.300s: the mean '%.40s' is not a number",
                               catch2->sink->source->name, measured.benchmark, value));
        return;
    }
    catch2->has_mean = true;
    stop(catch2, formats_tool_add(catch2->sink, &measured, &catch2->error));
}

static void XMLCALL element_start(void *context, const XML_Char *name,
                                  const XML_Char **attributes)
{
    struct catch2 *catch2 = context;
    if (catch2->depth == DEPTH_MAX) {
        stop(catch2, error_set(&catch2->error, DUET_E_FORMAT,
                               "'%s': more than %d elements in each other",
                               catch2->sink->source->name, DEPTH_MAX));
        return;
    }
    catch2->before[catch2->depth++] = catch2->path.length;
    if (strcmp(name, "TestCase") == 0 || strcmp(name, "Section") == 0) {
        text_append_format(&catch2->path, "%s%s", catch2->path.length > 0 ? " > " : "",
                           attribute(attributes, "name"));
    } else if (strcmp(name, "BenchmarkResults") == 0) {
        catch2->benchmark.length = 0;
        catch2->has_mean = false;
        text_append_format(&catch2->benchmark, "%s%s%s", text_string(&catch2->path),
                           catch2->path.length > 0 ? " > " : "",
                           attribute(attributes, "name"));
        stop(catch2,
             formats_tool_name_once(catch2->sink, &catch2->benchmark, &catch2->error));
    } else if (strcmp(name, "mean") == 0 && catch2->benchmark.length > 0) {
        take_mean(catch2, attribute(attributes, "value"));
    }
    if (text_failed(&catch2->path)) {
        stop(catch2, error_no_memory(&catch2->error));
    }
}

static void XMLCALL element_end(void *context, const XML_Char *name)
{
    struct catch2 *catch2 = context;
    if (strcmp(name, "BenchmarkResults") == 0) {
        if (!catch2->has_mean) {
            formats_tool_leave_out(catch2->sink, text_string(&catch2->benchmark),
                                   "it failed");
        }
        catch2->benchmark.length = 0;
    }
    catch2->path.length = catch2->before[--catch2->depth];
    text_append(&catch2->path, "");
}

/* A document type could define entities, of which a few bytes make gigabytes. */
static void XMLCALL doctype_start(void *context, const XML_Char *name,
                                  const XML_Char *system_id, const XML_Char *public_id,
                                  int has_internal)
{
    struct catch2 *catch2 = context;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal;
    stop(catch2, error_set(&catch2->error, DUET_E_FORMAT,
                           "'%s' has a document type, which Catch2's XML has not",
                           catch2->sink->source->name));
}

bool formats_tool_catch2_is(const char *bytes, size_t length)
{
    return length > 0 && *bytes == '<' &&
           (memmem(bytes, length, "<Catch2TestRun", 14) != NULL ||
            memmem(bytes, length, "<Catch ", 7) != NULL);
}

static enum duet_code parse(struct catch2 *catch2, struct formats_source *source,
                            struct duet_error *reterr)
{
    enum XML_Status status = XML_STATUS_OK;
    size_t length = 1;
    while (status == XML_STATUS_OK && length > 0) {
        const char *bytes = (const char *)formats_source_look(source, &length);
        length = length < CHUNK_BYTES ? length : CHUNK_BYTES;
        status = XML_Parse(catch2->parser, bytes, (int)length, length == 0);
        source->at += length;
    }
    if (catch2->code != DUET_OK) {
        return error_set(reterr, catch2->code, "%s", catch2->error.message);
    }
    if (status != XML_STATUS_OK &&
        XML_GetErrorCode(catch2->parser) == XML_ERROR_NO_MEMORY) {
        return error_no_memory(reterr);
    }
    return status == XML_STATUS_OK
               ? DUET_OK
               : formats_source_error(
                     source, LINE_NUMBER(catch2->parser),
                     COLUMN_NUMBER(catch2->parser) + 1, reterr, "not XML: %s",
                     XML_ErrorString(XML_GetErrorCode(catch2->parser)));
}

enum duet_code formats_tool_catch2_read(struct formats_source *source,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    struct catch2 catch2 = {.sink = sink, .parser = XML_ParserCreate(NULL)};
    if (catch2.parser == NULL) {
        return error_no_memory(reterr);
    }
    XML_SetUserData(catch2.parser, &catch2);
    XML_SetElementHandler(catch2.parser, element_start, element_end);
    XML_SetStartDoctypeDeclHandler(catch2.parser, doctype_start);
    enum duet_code code = parse(&catch2, source, reterr);
    XML_ParserFree(catch2.parser);
    text_release(&catch2.path);
    text_release(&catch2.benchmark);
    return code;
}
