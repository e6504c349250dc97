#include "session/sameness/identical.h"

#include "base/alloc.h"
#include "base/text.h"
#include "measure/launch.h"
#include "session/sameness/same_code.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is compared, and what it has come to. */
struct look {
    const struct model_plan *plan;
    const char *folders[MODEL_SIDES]; /* "." without one */
    bool program;                     /* the programs say enough by themselves */
    char *why;
    struct duet_error *reterr;
};

static bool differs(const struct look *look, const char *what, const char *name)
{
    (void)snprintf(look->why, IDENTICAL_WHY_BYTES, "%s%s%s%s", what,
                   name != NULL ? " '" : "", name != NULL ? name : "",
                   name != NULL ? "'" : "");
    return false;
}

/* ---- Files and folders ---- */

static char *join(const char *folder, const char *name)
{
    return name[0] == '/' ? alloc_string(name) : alloc_format("%s/%s", folder, name);
}

static int is_listed(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
           strcmp(entry->d_name, ".git") != 0;
}

/* What is being compared, with all in it. Links are followed out of it, once. */
struct tree {
    const char *roots[MODEL_SIDES]; /* without links */
    bool followed;
};

static bool same_tree(const struct tree *tree, const char *old_path,
                      const char *new_path, unsigned depth);

static bool same_entries(const struct tree *tree, const char *old_path,
                         const char *new_path, unsigned depth)
{
    struct dirent **lists[MODEL_SIDES] = {NULL, NULL};
    int counts[MODEL_SIDES] = {scandir(old_path, &lists[0], is_listed, alphasort),
                               scandir(new_path, &lists[1], is_listed, alphasort)};
    bool same = counts[0] >= 0 && counts[0] == counts[1];
    for (int i = 0; i < counts[0] && same; i++) {
        const char *name = lists[0][i]->d_name;
        char *old = join(old_path, name);
        char *new = join(new_path, name);
        same = strcmp(name, lists[1][i]->d_name) == 0 && old != NULL &&
               new != NULL &&same_tree(tree, old, new, depth);
        free(old);
        free(new);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        for (int i = 0; i < counts[side]; i++) {
            free(lists[side][i]);
        }
        free((void *)lists[side]);
    }
    return same;
}

static bool same_words_of_link(const char *old_path, const char *new_path)
{
    char targets[MODEL_SIDES][PATH_MAX];
    ssize_t old = readlink(old_path, targets[0], sizeof targets[0]);
    ssize_t new = readlink(new_path, targets[1], sizeof targets[1]);
    return old >= 0 && old == new &&memcmp(targets[0], targets[1], (size_t)old) == 0;
}

static bool is_within(const char *path, const char *root)
{
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* What two paths without links lead to. */
static bool same_target(const char *old_path, const char *new_path, bool followed)
{
    const struct tree tree = {.roots = {old_path, new_path}, .followed = followed};
    return same_tree(&tree, old_path, new_path, 0);
}

/* What lies within the tree is compared there. */
static bool same_link(const struct tree *tree, const char *old_path,
                      const char *new_path)
{
    if (!same_words_of_link(old_path, new_path)) {
        return false;
    }
    char *old = realpath(old_path, NULL);
    char *new = realpath(new_path, NULL);
    bool same = old == NULL && new == NULL;
    if (old != NULL && new != NULL) {
        bool within = is_within(old, tree->roots[MODEL_OLD]) &&
                      is_within(new, tree->roots[MODEL_NEW]);
        same = within || strcmp(old, new) == 0 ||
               (!tree->followed && same_target(old, new, true));
    }
    free(old);
    free(new);
    return same;
}

/* A file or a folder that is named, perhaps by a link. */
static bool same_named(const char *old_path, const char *new_path)
{
    char *old = realpath(old_path, NULL);
    char *new = realpath(new_path, NULL);
    bool same = old != NULL && new != NULL
                    ? same_target(old, new, false)
                    : old == new &&same_words_of_link(old_path, new_path);
    free(old);
    free(new);
    return same;
}

static bool same_tree(const struct tree *tree, const char *old_path,
                      const char *new_path, unsigned depth)
{
    enum { DEPTH_MAX = 64 };
    struct stat old;
    struct stat new;
    if (depth == DEPTH_MAX || lstat(old_path, &old) != 0 ||
        lstat(new_path, &new) != 0 || (old.st_mode & S_IFMT) != (new.st_mode &S_IFMT)) {
        return false;
    }
    if (old.st_dev == new.st_dev && old.st_ino == new.st_ino) {
        return true;
    }
    if (S_ISDIR(old.st_mode)) {
        return same_entries(tree, old_path, new_path, depth + 1);
    }
    return S_ISLNK(old.st_mode)
               ? same_link(tree, old_path, new_path)
               : S_ISREG(old.st_mode) &&
                     same_code_of(old_path, new_path) != SAME_CODE_DIFFERS;
}

/* ---- Words ---- */

/* The text with each side's folder as "{dir}". NULL: no memory. */
static char *without_folder(const char *text, const char *folder)
{
    struct text plain = {0};
    size_t length = folder == NULL ? 0 : strlen(folder);
    const char *found = length == 0 ? NULL : strstr(text, folder);
    while (found != NULL) {
        text_append_n(&plain, text, (size_t)(found - text));
        text_append(&plain, "{dir}");
        text = found + length;
        found = strstr(text, folder);
    }
    text_append(&plain, text);
    return text_take(&plain);
}

static bool same_text(const struct look *look, const char *old, const char *new)
{
    const struct model_workload *sides = look->plan->sides;
    if (old == NULL || new == NULL) {
        return old == new;
    }
    char *plain[MODEL_SIDES] = {without_folder(old, sides[MODEL_OLD].folder),
                                without_folder(new, sides[MODEL_NEW].folder)};
    bool same = plain[0] != NULL && plain[1] != NULL && strcmp(plain[0], plain[1]) == 0;
    free(plain[0]);
    free(plain[1]);
    return same;
}

static bool same_hooks(const struct look *look)
{
    const struct model_workload *old = &look->plan->sides[MODEL_OLD];
    const struct model_workload *new = &look->plan->sides[MODEL_NEW];
    return same_text(look, old->setup, new->setup) &&
           same_text(look, old->prepare, new->prepare) &&
           same_text(look, old->conclude, new->conclude) &&
           same_text(look, old->cleanup, new->cleanup);
}

/* A word, or what stands behind its '=', may be a file of each side. */
static bool same_word(const struct look *look, const char *const words[MODEL_SIDES])
{
    const char *names[MODEL_SIDES] = {words[MODEL_OLD], words[MODEL_NEW]};
    if (!same_text(look, words[MODEL_OLD], words[MODEL_NEW])) {
        return differs(look, "the commands differ:", words[MODEL_NEW]);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        const char *value = strchr(words[side], '=');
        names[side] = value != NULL ? value + 1 : words[side];
    }
    char *paths[MODEL_SIDES] = {join(look->folders[MODEL_OLD], names[MODEL_OLD]),
                                join(look->folders[MODEL_NEW], names[MODEL_NEW])};
    struct stat status;
    bool known = paths[0] != NULL && paths[1] != NULL;
    bool old_is = known && stat(paths[0], &status) == 0;
    bool new_is = known && stat(paths[1], &status) == 0;
    bool same =
        known && old_is == new_is && (!old_is || same_named(paths[0], paths[1]));
    free(paths[0]);
    free(paths[1]);
    return same || differs(look, "the sides differ in", names[MODEL_NEW]);
}

static bool same_programs(struct look *look)
{
    char *found[MODEL_SIDES] = {NULL, NULL};
    bool same = true;
    for (int side = 0; side < MODEL_SIDES && same; side++) {
        const struct model_workload *workload = &look->plan->sides[side];
        same = launch_find_in(workload->folder, workload->argv[0], &found[side],
                              NULL) == DUET_OK;
    }
    struct stat status[MODEL_SIDES];
    same = same && stat(found[0], &status[0]) == 0 && stat(found[1], &status[1]) == 0;
    bool shared = same && status[0].st_dev == status[1].st_dev &&
                  status[0].st_ino == status[1].st_ino;
    enum same_code code = !same    ? SAME_CODE_DIFFERS
                          : shared ? SAME_CODE_BYTES
                                   : same_code_of(found[0], found[1]);
    look->program = code == SAME_CODE_PROGRAM;
    if (code == SAME_CODE_DIFFERS) {
        same = differs(look, "the programs differ", NULL);
    } else if (!look->program) {
        (void)differs(look,
                      code == SAME_CODE_BESIDE
                          ? "the program loads libraries from a place of its own"
                      : shared ? "both sides run the same program, which reads"
                                 " more than itself"
                               : "it is a script, which may read more than itself",
                      NULL);
    }
    free(found[0]);
    free(found[1]);
    return same;
}

static bool same_words(struct look *look)
{
    const char *const *old = look->plan->sides[MODEL_OLD].argv;
    const char *const *new = look->plan->sides[MODEL_NEW].argv;
    size_t i = 1;
    for (; old[i] != NULL && new[i] != NULL; i++) {
        const char *const words[MODEL_SIDES] = {old[i], new[i]};
        if (!same_word(look, words)) {
            return false;
        }
    }
    return (old[i] == NULL && new[i] == NULL) ||
           differs(look, "the commands differ", NULL);
}

/* ---- Paths that the user names ---- */

static enum duet_code same_path(const struct look *look, const char *path,
                                bool *ret_same)
{
    char *paths[MODEL_SIDES] = {join(look->folders[MODEL_OLD], path),
                                join(look->folders[MODEL_NEW], path)};
    struct stat status;
    enum duet_code code = DUET_OK;
    if (paths[0] == NULL || paths[1] == NULL) {
        code = error_no_memory(look->reterr);
    } else if (lstat(paths[0], &status) != 0 && lstat(paths[1], &status) != 0) {
        code = error_set_errno(look->reterr, DUET_E_USAGE, errno,
                               "--identical-if '%s' is in neither side's folder", path);
    } else {
        *ret_same = same_named(paths[0], paths[1]) ||
                    differs(look, "the sides differ in", path);
    }
    free(paths[0]);
    free(paths[1]);
    return code;
}

static enum duet_code same_paths(const struct look *look, const char *list,
                                 bool *ret_same)
{
    char *copy = alloc_string(list);
    char *rest = copy;
    enum duet_code code = copy == NULL ? error_no_memory(look->reterr) : DUET_OK;
    while (rest != NULL && code == DUET_OK && *ret_same) {
        const char *path = strsep(&rest, ",");
        code = *path == '\0' ? DUET_OK : same_path(look, path, ret_same);
    }
    free(copy);
    return code;
}

bool identical_command(const struct model_plan *plan)
{
    const char *old = plan->sides[MODEL_OLD].folder;
    const char *new = plan->sides[MODEL_NEW].folder;
    bool same_folder =
        old == new || (old != NULL && new != NULL &&strcmp(old, new) == 0);
    return same_folder &&
           strcmp(plan->sides[MODEL_OLD].command, plan->sides[MODEL_NEW].command) == 0;
}

enum duet_code identical_sides(const struct model_plan *plan, const char *paths,
                               enum identical *ret_identical,
                               char ret_why[IDENTICAL_WHY_BYTES],
                               struct duet_error *reterr)
{
    struct look look = {.plan = plan, .why = ret_why, .reterr = reterr};
    for (int side = 0; side < MODEL_SIDES; side++) {
        const char *folder = plan->sides[side].folder;
        look.folders[side] = folder != NULL ? folder : ".";
    }
    ret_why[0] = '\0';
    bool same = same_hooks(&look) || differs(&look, "the hooks differ", NULL);
    if (same && identical_command(plan)) {
        (void)differs(&look, "both sides are the same command in the same folder",
                      NULL);
        *ret_identical = IDENTICAL_YES;
        return DUET_OK;
    }
    if (same && plan->shell != NULL) {
        same = same_text(&look, plan->sides[MODEL_OLD].command,
                         plan->sides[MODEL_NEW].command) ||
               differs(&look, "the commands differ", NULL);
        (void)(same &&
               differs(&look, "a shell runs it, which may read anything", NULL));
    } else {
        same = same && same_programs(&look) && same_words(&look);
    }
    if (same && look.program && plan->sides[MODEL_NEW].setup != NULL) {
        look.program = differs(&look, "its setup may make the program anew", NULL);
    }
    enum duet_code code =
        same && paths != NULL ? same_paths(&look, paths, &same) : DUET_OK;
    if (code == DUET_OK) {
        bool enough = look.program || paths != NULL;
        *ret_identical = !same    ? IDENTICAL_NOT
                         : enough ? IDENTICAL_YES
                                  : IDENTICAL_UNKNOWN;
        if (same && enough) {
            (void)differs(&look, "the programs are the same", NULL);
        }
    }
    return code;
}
