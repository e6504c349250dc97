/* AddressSanitizer with less work for each allocation. A block that was freed is
 * kept until 4 MiB more were freed; a use later than that is not seen. An allocation
 * remembers its caller only: with one frame less, LeakSanitizer would find nothing. An
 * input that failed tells more with ASAN_OPTIONS=malloc_context_size=30. */

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "malloc_context_size=2:quarantine_size_mb=4:thread_local_quarantine_size_kb="
           "256";
}
