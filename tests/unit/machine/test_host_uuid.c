/* Name-based UUIDs. The expected ones are Python's: uuid.uuid5(uuid.NAMESPACE_DNS,
 * name); the first is also the example of RFC 9562, appendix A.4. */
#include "machine/host_uuid.h"

#include "unit/machine/file_tree.h"

static void names_give_the_standard_uuids(void **state)
{
    (void)state;
    static const unsigned char dns[16] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad,
                                          0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0,
                                          0x4f, 0xd4, 0x30, 0xc8};
    char uuid[37];
    host_uuid_of_name(dns, "www.example.com", uuid);
    assert_string_equal(uuid, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    host_uuid_of_name(dns, "", uuid);
    assert_string_equal(uuid, "4ebd0208-8328-5d69-8c44-ec50939c0967");
    /* Lengths at which the digest's padding just fits and just does not. */
    static const struct {
        size_t length;
        const char *uuid;
    } cases[] = {{39, "2f80c0d1-1c62-579f-8d68-e61ad5592c9b"},
                 {40, "e56fd57a-7633-5e1d-8f80-70e05ac413e5"},
                 {47, "a112377b-8258-5ef7-b5b0-d2540bc03abb"},
                 {48, "83993b6c-dea9-55ca-be5b-9989c85943fc"},
                 {112, "0243b19e-8bd4-5b57-95a2-1fcacc3142a0"},
                 {300, "8563d838-2cd7-5fbc-9b5c-88a26c27da93"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[301] = {0};
        memset(name, 'x', cases[i].length);
        host_uuid_of_name(dns, name, uuid);
        assert_string_equal(uuid, cases[i].uuid);
    }
}

static void find(const char *id, const char *host_name, const char *instance,
                 char ret_uuid[37])
{
    char root[256];
    file_tree_open(root);
    if (id != NULL) {
        file_tree_put(root, "/etc/machine-id", id);
    }
    host_uuid_of_machine(root, host_name, instance, ret_uuid);
    file_tree_remove(root);
}

static void assert_machine(const char *id, const char *host_name, const char *expected)
{
    char uuid[37];
    find(id, host_name, NULL, uuid);
    assert_string_equal(uuid, expected);
}

static void machines_are_told_apart(void **state)
{
    (void)state;
    static const char by_id[] = "b50b1a64-90ab-551b-848a-b8991dc68eca";
    static const char by_name[] = "27da7c1d-adaa-5a96-8594-b6d5eaca30f1";
    assert_machine("0123456789abcdef0123456789abcdef\n", "runner-7", by_id);
    assert_machine("0123456789abcdef0123456789abcdef", "", by_id);
    assert_machine(NULL, "runner-7", by_name);
    assert_machine("", "runner-7", by_name);
    assert_machine("uninitialized\n", "runner-7", by_name);
    assert_machine("0123456789abcdef0123456789abcdeg\n", "runner-7", by_name);
    assert_machine("0123456789abcdef0123456789abcdef00\n", "runner-7", by_name);
    assert_machine(NULL, "", "");
}

static void clones_are_told_apart_by_what_they_are_called(void **state)
{
    (void)state;
    static const char id[] = "0123456789abcdef0123456789abcdef";
    char plain[37];
    char unnamed[37];
    char first[37];
    char second[37];
    char elsewhere[37];
    find(id, "runner-7", NULL, plain);
    find(id, "runner-7", "", unnamed);
    find(id, "runner-7", "n1", first);
    find(id, "runner-8", "n2", second);
    find(NULL, "runner-7", "n1", elsewhere);
    assert_string_equal(plain, unnamed);
    assert_string_not_equal(plain, first);
    assert_string_not_equal(first, second);
    assert_string_not_equal(first, elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_give_the_standard_uuids),
        cmocka_unit_test(machines_are_told_apart),
        cmocka_unit_test(clones_are_told_apart_by_what_they_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
