/* Where a calibration is kept, and whose it is. */
#include "workloads/calibration.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define FILE_NAME "duet/calibration-" CALIBRATION_VERSION

/* The variable's value unless it is empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

enum duet_code calibration_path_new(char **ret_path, struct duet_error *reterr)
{
    const char *file = variable("DUET_CALIBRATION");
    const char *cache = variable("XDG_CACHE_HOME");
    const char *home = variable("HOME");
    char *path = NULL;
    if (file != NULL) {
        path = alloc_string(file);
    } else if (cache != NULL && cache[0] == '/') { /* relative: ignored, as XDG says */
        path = alloc_format("%s/" FILE_NAME, cache);
    } else if (home != NULL) {
        path = alloc_format("%s/.cache/" FILE_NAME, home);
    } else {
        return error_set(
            reterr, DUET_E_NOT_FOUND,
            "no place to keep the calibration of the workloads: neither HOME nor XDG_CACHE_HOME is set; "
            "set DUET_CALIBRATION to a file, or give both sides their count with --operations");
    }
    if (path == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a file name");
    }
    *ret_path = path;
    return DUET_OK;
}

/* The field after "key<blanks>:" in a line of /proc/cpuinfo, cut at the newline; NULL
 * when the line is another one. */
static char *cpuinfo_value(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) {
        return NULL;
    }
    char *colon = line + length + strspn(line + length, " \t");
    if (*colon != ':') {
        return NULL;
    }
    char *value = colon + 1 + strspn(colon + 1, " \t");
    value[strcspn(value, "\n")] = '\0';
    return value;
}

/* x86 calls it "model name", POWER "cpu"; ARM has only "CPU part". "unknown" when the
 * file is missing or says none of them: the node's name still tells hosts apart. */
static void cpu_model(char *model, size_t size)
{
    static const char *const keys[] = {"model name", "cpu", "CPU part"};
    char line[512];
    (void)snprintf(model, size, "%s", "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) {
        return;
    }
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !found; i++) {
            const char *value = cpuinfo_value(line, keys[i]);
            if (value != NULL) {
                (void)snprintf(model, size, "%s", value);
                found = true;
            }
        }
    }
    (void)fclose(file);
}

enum duet_code calibration_host_new(char **ret_host, struct duet_error *reterr)
{
    struct utsname system = {0};
    (void)uname(&system); /* fails only for a bad pointer */
    char model[256];
    cpu_model(model, sizeof model);
    char *host = alloc_format("%s %s %s", system.nodename, system.machine, model);
    if (host == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the host's name");
    }
    for (char *c = host; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') { /* would end a field of the file */
            *c = ' ';
        }
    }
    *ret_host = host;
    return DUET_OK;
}
