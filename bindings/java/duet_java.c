/* Java's half of the harness: duet.Duet calls it through JNI. One function of duet.h
 * each; the handle travels as a number. Compiled together with libduet.a, so that the
 * Java side loads one file. */
#include "duet/duet.h"

#include <jni.h>
#include <stdint.h>

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
    jclass duet = (*env)->FindClass(env, "duet/Duet");
    if (duet == NULL) {
        return JNI_ERR;
    }
    const jint count = (jint)(sizeof methods / sizeof methods[0]);
    return (*env)->RegisterNatives(env, duet, methods, count) == 0 ? JNI_VERSION_1_8
                                                                   : JNI_ERR;
}
