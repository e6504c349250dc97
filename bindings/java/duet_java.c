/* Java's half of the harness: duet.NativeHarness calls it through JNI. One function of
 * duet.h each; the handle travels as a number. Compiled together with libduet.a, so
 * that the Java side loads one file. */
#include "duet/duet.h"

#include <jni.h>
#include <stdint.h>
#include <string.h>

static struct duet *handle_of(jlong handle)
{
    return (struct duet *)(intptr_t)handle;
}

/* 0 when the name cannot be had: an exception is pending then. */
static jlong java_open(JNIEnv *env, jclass unused, jstring name)
{
    (void)unused;
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    if (text == NULL) {
        return 0;
    }
    struct duet *d = duet_open(text);
    (*env)->ReleaseStringUTFChars(env, name, text);
    return (jlong)(intptr_t)d;
}

static jboolean java_next(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    return duet_next(handle_of(handle)) != 0 ? JNI_TRUE : JNI_FALSE;
}

static void java_begin(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    duet_begin(handle_of(handle)); /* last: it starts the clock */
}

static void java_end(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    duet_end(handle_of(handle)); /* first: it stops the clock */
}

static void java_count(JNIEnv *env, jclass unused, jlong handle, jlong operations)
{
    (void)env, (void)unused;
    duet_count(handle_of(handle), (uint64_t)operations);
}

static void java_took(JNIEnv *env, jclass unused, jlong handle, jlong took_ns)
{
    (void)env, (void)unused;
    duet_took(handle_of(handle), (uint64_t)took_ns);
}

/* The name has a zero at its end. */
static void java_region(JNIEnv *env, jclass unused, jlong handle, jbyteArray name)
{
    (void)unused;
    jbyte *text = name == NULL ? NULL : (*env)->GetByteArrayElements(env, name, NULL);
    if (name != NULL && text == NULL) {
        return; /* an exception is pending */
    }
    duet_region(handle_of(handle), (const char *)text);
    if (text != NULL) {
        (*env)->ReleaseByteArrayElements(env, name, text, JNI_ABORT);
    }
}

static void java_handon(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    duet_hand_on(handle_of(handle));
}

/* NULL: nothing is wrong, or an exception is pending. */
static jbyteArray java_reason(JNIEnv *env, jclass unused, jlong handle)
{
    (void)unused;
    const char *reason = duet_reason(handle_of(handle));
    if (reason == NULL) {
        return NULL;
    }
    jsize length = (jsize)strlen(reason);
    jbyteArray bytes = (*env)->NewByteArray(env, length);
    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)reason);
    }
    return bytes;
}

static jint java_close(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    return duet_close(handle_of(handle));
}

static jboolean java_attached(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    return duet_attached(handle_of(handle)) != 0 ? JNI_TRUE : JNI_FALSE;
}

static jlong java_index(JNIEnv *env, jclass unused, jlong handle)
{
    (void)env, (void)unused;
    return (jlong)duet_index(handle_of(handle));
}

static jint java_version(JNIEnv *env, jclass unused)
{
    (void)env, (void)unused;
    return duet_version();
}

/* JNI wants names and signatures that may be written to, and functions as objects. */
#define METHOD(name, signature)                                             \
    {                                                                       \
        (char *)(uintptr_t) #name "Native", (char *)(uintptr_t)(signature), \
            (void *)(uintptr_t)java_##name                                  \
    }

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    const JNINativeMethod methods[] = {
        METHOD(open, "(Ljava/lang/String;)J"),
        METHOD(next, "(J)Z"),
        METHOD(begin, "(J)V"),
        METHOD(end, "(J)V"),
        METHOD(count, "(JJ)V"),
        METHOD(region, "(J[B)V"),
        METHOD(took, "(JJ)V"),
        METHOD(handon, "(J)V"),
        METHOD(reason, "(J)[B"),
        METHOD(close, "(J)I"),
        METHOD(attached, "(J)Z"),
        METHOD(index, "(J)J"),
        METHOD(version, "()I"),
    };
    void *env_place = NULL;
    (void)reserved;
    if ((*vm)->GetEnv(vm, &env_place, JNI_VERSION_1_8) != JNI_OK) {
        return JNI_ERR;
    }
    JNIEnv *env = env_place;
    jclass harness = (*env)->FindClass(env, "duet/NativeHarness");
    if (harness == NULL) {
        return JNI_ERR;
    }
    const jint count = (jint)(sizeof methods / sizeof methods[0]);
    return (*env)->RegisterNatives(env, harness, methods, count) == 0 ? JNI_VERSION_1_8
                                                                      : JNI_ERR;
}
