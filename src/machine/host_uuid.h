/* A machine's name in stored results. */
#ifndef DUET_MACHINE_HOST_UUID_H
#define DUET_MACHINE_HOST_UUID_H

/* The name-based UUID (version 5, RFC 9562 section 5.5) of `name` in the name space of
 * 16 bytes `name_space`, in its usual 36 characters. It is made from a SHA-1 digest,
 * so that `name` cannot be computed from it, though a short name can be guessed. */
void host_uuid_of_name(const unsigned char name_space[16], const char *name,
                       char ret_uuid[37]);

/* What stands for this machine: "machine-id:" and /etc/machine-id below `root`, or
 * "host-name:" and `host_name` where there is none, in this program's own name space.
 * Stored results are passed around: a machine id must not be published (machine-id(5)),
 * and a hash of it under a name space of our own neither reveals it nor matches what
 * another program derives from it. Machines cloned from one image with its machine id
 * in it are told apart by `instance` only (NULL or "": none). "" when neither is known.
 */
void host_uuid_of_machine(const char *root, const char *host_name, const char *instance,
                          char ret_uuid[37]);

#endif
