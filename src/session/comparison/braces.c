#include "session/comparison/braces.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') {
        return 0;
    }
    while (isalnum((unsigned char)text[length]) || text[length] == '_') {
        length++;
    }
    return length;
}

/* awk's statements, which stand alone in braces: awk '{print}'. */
static bool is_awk(const char *name, size_t length)
{
    static const char *const statements[] = {"print", "next", "exit", "getline"};
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (strlen(statements[i]) == length &&
            strncmp(statements[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_name(const struct parameter_list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *known = list->parameters[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The next name in braces that nothing has a value for, from *at on; its length, and
 * *at behind the brace in front of it. 0: there is none. ${NAME} is the shell's. */
static size_t next_unknown(const struct run_request *options, enum model_side side,
                           const char **at)
{
    for (const char *brace = strchr(*at, '{'); brace != NULL;
         brace = strchr(brace + 1, '{')) {
        const char *name = brace + 1;
        size_t length = name_length(name);
        bool of_shell = brace > *at && brace[-1] == '$';
        bool of_suite = options->variables[side].count > 0 && length == 5 &&
                        strncmp(name, "build", length) == 0; /* suite_plan tells */
        if (length > 0 && name[length] == '}' && !of_shell && !of_suite &&
            !is_awk(name, length) && !has_name(&options->parameters, name, length) &&
            !has_name(&options->variables[side], name, length)) {
            *at = name;
            return length;
        }
    }
    return 0;
}

static bool uses(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; at != NULL && (at = strchr(at, '{')) != NULL; at++) {
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '}') {
            return true;
        }
    }
    return false;
}

/* A parameter that nothing of the side mentions; NULL: all are in use. */
static const char *unused_parameter(const struct run_request *options,
                                    enum model_side side)
{
    const char *const texts[] = {options->commands[side],
                                 options->folders[side],
                                 options->setup,
                                 options->prepare,
                                 options->conclude,
                                 options->cleanup,
                                 options->plan.input.path,
                                 options->plan.output.path,
                                 options->plan.error_output.path};
    for (size_t i = 0; i < options->parameters.count; i++) {
        const char *name = options->parameters.parameters[i].name;
        bool used = false;
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
            used = used || uses(texts[t], name);
        }
        if (!used) {
            return name;
        }
    }
    return NULL;
}

enum duet_code braces_check(const struct run_request *options, enum model_side side,
                            struct duet_error *reterr)
{
    const char *unused = unused_parameter(options, side);
    const char *at = options->commands[side];
    size_t length = unused != NULL ? next_unknown(options, side, &at) : 0;
    if (length == 0) {
        return DUET_OK;
    }
    return error_set(reterr, DUET_E_USAGE,
                     "command '%s': no parameter '%.*s'; did you mean {%s}?",
                     options->commands[side], (int)length, at, unused);
}

void braces_warn(const struct run_request *options, const struct listener *listener)
{
    for (int side = 0; side < MODEL_SIDES && options->parameters.count == 0; side++) {
        const char *command = options->commands[side];
        const char *at = command;
        size_t length = 0;
        while ((length = next_unknown(options, (enum model_side)side, &at)) > 0) {
            bool begins = at - 1 == command || strchr(" \t'\"", at[-2]) != NULL;
            bool ends = strchr(" \t'\"", at[length + 1]) != NULL; /* or the NUL */
            if (begins && ends) {
                listener_warn(
                    listener,
                    "command '%s': {%.*s} is passed on as it is, since there is no parameter '%.*s'; -L %.*s VALUE,... "
                    "gives it values",
                    command, (int)length, at, (int)length, at, (int)length, at);
                return;
            }
        }
    }
}
