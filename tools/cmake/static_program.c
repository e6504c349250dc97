/* What a program that is linked statically has in place of two libraries. It loads no
 * others: those of the machine it runs on belong to another C library. And there is no
 * static libudev, which hwloc asks for the names of disks that duet never looks at. */
#include <stddef.h>

void *dlopen(const char *path, int flags);
void *dlsym(void *handle, const char *name);
int dlclose(void *handle);
char *dlerror(void);

void *dlopen(const char *path, int flags)
{
    (void)path, (void)flags;
    return NULL;
}

void *dlsym(void *handle, const char *name)
{
    (void)handle, (void)name;
    return NULL;
}

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

char *dlerror(void)
{
    static char text[] = "this duet is linked statically and loads no libraries; "
                         "build it from source for this";
    return text;
}

struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *udev);
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev,
                                                           const char *subsystem,
                                                           const char *name);
const char *udev_device_get_property_value(struct udev_device *device, const char *key);
struct udev_device *udev_device_unref(struct udev_device *device);

struct udev *udev_new(void)
{
    return NULL;
}

struct udev *udev_unref(struct udev *udev)
{
    (void)udev;
    return NULL;
}

struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev,
                                                           const char *subsystem,
                                                           const char *name)
{
    (void)udev, (void)subsystem, (void)name;
    return NULL;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
    (void)device, (void)key;
    return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *device)
{
    (void)device;
    return NULL;
}
