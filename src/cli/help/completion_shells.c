/* The shells for which there are completions. */
#include "cli/help/completion.h"
#include "cli/help/manual.h"

#include <string.h>

bool completion_print(FILE *stream, const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(FILE *stream);
    } shells[] = {
        {"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(stream);
            return true;
        }
    }
    return false;
}
