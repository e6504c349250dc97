// link: duet_formats
/* A series (formats/series_folder.h) or, by the first byte, a table of configurations
 * (formats/configuration_table.h), which may name series. */
#include "formats/configuration_table.h"
#include "formats/series_folder.h"

#include "foreign_input.h"
#include "input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_series(const char *path)
{
    struct formats_series_folder folder = {0};
    struct duet_error error = {0};
    if (formats_series_folder_read(path, &folder, &error) == DUET_OK) {
        require(folder.count == 1 && folder.series[0].count > 0);
        formats_series_folder_release(&folder);
    } else {
        require(folder.series == NULL && error.message[0] != '\0');
    }
}

static void try_table(const char *path)
{
    struct formats_configuration_table table = {0};
    struct duet_error error = {0};
    if (formats_configuration_table_read(path, &table, &error) == DUET_OK) {
        require(table.count > 0);
        for (size_t i = 0; i < table.count; i++) {
            require(table.rows[i].name != NULL && table.rows[i].count > 0);
        }
        formats_configuration_table_release(&table);
    } else {
        require(table.rows == NULL && error.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[INPUT_FILE_PATH_BYTES];
    if (size < 2) {
        return 0;
    }
    input_file(data + 1, size - 1, path);
    if ((data[0] & 1U) != 0) {
        try_series(path);
    } else {
        try_table(path);
    }
    return 0;
}
