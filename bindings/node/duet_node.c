/* Node's half of the harness, through Node-API: one function of duet.h each. The handle
 * travels as an external value. */
#include <duet/duet.h>

#include <node_api.h>
#include <stdint.h>

enum { NAME_BYTES = 256, WORDS = 2 };

struct call {
    napi_value words[WORDS];
    struct duet *d;
};

/* NULL as the handle: an exception is pending. */
static struct call call_of(napi_env env, napi_callback_info info)
{
    struct call call = {{0}};
    size_t count = WORDS;
    void *handle = NULL;
    if (napi_get_cb_info(env, info, &count, call.words, NULL, NULL) != napi_ok ||
        napi_get_value_external(env, call.words[0], &handle) != napi_ok) {
        (void)napi_throw_type_error(env, NULL, "this harness is closed");
        return call;
    }
    call.d = handle;
    return call;
}

static napi_value number(napi_env env, double value)
{
    napi_value result = NULL;
    (void)napi_create_double(env, value, &result);
    return result;
}

static napi_value js_open(napi_env env, napi_callback_info info)
{
    char name[NAME_BYTES] = "";
    size_t count = 1;
    size_t length = 0;
    napi_value word = NULL;
    napi_value result = NULL;
    (void)napi_get_cb_info(env, info, &count, &word, NULL, NULL);
    (void)napi_get_value_string_utf8(env, word, name, sizeof name, &length);
    (void)napi_create_external(env, duet_open(name), NULL, NULL, &result);
    return result;
}

static napi_value js_next(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    return call.d == NULL ? NULL : number(env, duet_next(call.d));
}

static napi_value js_begin(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    if (call.d != NULL) {
        duet_begin(call.d); /* last: it starts the clock */
    }
    return NULL;
}

static napi_value js_end(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    if (call.d != NULL) {
        duet_end(call.d);
    }
    return NULL;
}

static napi_value js_count(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    const double most = 9007199254740992.0; /* 2^53 */
    double operations = 0.0;
    if (call.d != NULL) {
        (void)napi_get_value_double(env, call.words[1], &operations);
        uint64_t whole =
            operations > 0.0 && operations <= most ? (uint64_t)operations : 0;
        duet_count(call.d, (double)whole == operations ? whole : 0);
    }
    return NULL;
}

static napi_value js_region(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    char name[NAME_BYTES];
    size_t length = 0;
    if (call.d != NULL) {
        bool named = napi_get_value_string_utf8(env, call.words[1], name, sizeof name,
                                                &length) == napi_ok;
        duet_region(call.d, named ? name : NULL);
    }
    return NULL;
}

static napi_value js_hand_on(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    if (call.d != NULL) {
        duet_hand_on(call.d);
    }
    return NULL;
}

static napi_value js_reason(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    const char *reason = call.d == NULL ? NULL : duet_reason(call.d);
    napi_value result = NULL;
    if (reason != NULL) {
        (void)napi_create_string_utf8(env, reason, NAPI_AUTO_LENGTH, &result);
    }
    return result;
}

static napi_value js_close(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    return call.d == NULL ? NULL : number(env, duet_close(call.d));
}

static napi_value js_attached(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    return call.d == NULL ? NULL : number(env, duet_attached(call.d));
}

static napi_value js_index(napi_env env, napi_callback_info info)
{
    struct call call = call_of(env, info);
    return call.d == NULL ? NULL : number(env, (double)duet_index(call.d));
}

NAPI_MODULE_INIT()
{
    static const struct {
        const char *name;
        napi_callback function;
    } functions[] = {
        {"open", js_open},         {"next", js_next},     {"begin", js_begin},
        {"end", js_end},           {"count", js_count},   {"region", js_region},
        {"handOn", js_hand_on},    {"reason", js_reason}, {"close", js_close},
        {"attached", js_attached}, {"index", js_index}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        napi_value function = NULL;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH,
                                 functions[i].function, NULL, &function) != napi_ok ||
            napi_set_named_property(env, exports, functions[i].name, function) !=
                napi_ok) {
            return NULL;
        }
    }
    return exports;
}
