/* Google Benchmark takes part without a change of its source: this file stands between a
 * benchmark and State::StartKeepRunning() and FinishKeepRunning(), which bracket its loop.
 *
 *   c++ -O2 -shared -fPIC duet_gbench.cc $(pkg-config --cflags --libs duet) -o libduet_gbench.so
 *                                           for programs that link libbenchmark.so: LD_PRELOAD
 *   c++ -O2 -DDUET_WRAP -c duet_gbench.cc   for those that link libbenchmark.a, together with
 *                                           the options of README.md
 *
 * An execution of the loop is an iteration of max_iterations operations, calibration
 * included. SPDX-License-Identifier: MIT */
/* The header calls it when this file is loaded, also into programs without the library:
 * LD_PRELOAD is meant for duet and shells, too, where it is exported. */
#define InitializeStreams duet_initialize_streams
#include <benchmark/benchmark.h>
#undef InitializeStreams
#include <duet/duet.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#define START _ZN9benchmark5State16StartKeepRunningEv
#define FINISH _ZN9benchmark5State17FinishKeepRunningEv
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define TEXT(a) #a
#define QUOTED(a) TEXT(a)

#ifdef DUET_WRAP
#define MINE(name) NAME(__wrap_, name)
extern "C" void NAME(__real_, START)(benchmark::State *);
extern "C" void NAME(__real_, FINISH)(benchmark::State *);
#define REAL(name) NAME(__real_, name)
#else
#define MINE(name) name
#define REAL(name) \
    reinterpret_cast<void (*)(benchmark::State *)>(dlsym(RTLD_NEXT, QUOTED(name)))
#endif

namespace benchmark {
namespace internal {
int duet_initialize_streams()
{
    return 0;
}
} // namespace internal
} // namespace benchmark

namespace {

bool wanted()
{
    const char *text = getenv("DUET_ATTACH");
    return text != nullptr && *text != '\0';
}

/* Without a filter every benchmark of the program would be an iteration of the same. */
bool filtered()
{
    std::ifstream file("/proc/self/cmdline");
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    return words.find("--benchmark_filter=") != std::string::npos;
}

struct duet *attach()
{
    if (!filtered()) {
        (void)fputs("duet: select one benchmark with --benchmark_filter='^NAME$': each process "
                    "is measured as one\n",
                    stderr);
        _exit(1);
    }
    return duet_open("google benchmark");
}

struct duet *harness()
{
    static struct duet *d = wanted() ? attach() : nullptr;
    return d;
}

/* duet has enough, whatever the repetitions: nothing that follows is of interest. */
[[noreturn]] void leave(struct duet *d)
{
    int status = duet_close(d);
    (void)fflush(nullptr);
    _exit(status);
}

bool mine(const benchmark::State &state)
{
    return harness() != nullptr && state.thread_index() == 0;
}

void begin(const benchmark::State &state)
{
    struct duet *d = harness();
    if (!duet_next(d)) {
        leave(d);
    }
    duet_count(d, static_cast<uint64_t>(state.max_iterations));
    duet_begin(d);
}

} // namespace

/* The library's own clock is inside of duet's: what the sides wait for each other must not
 * count for its calibration. Its two readings, a microsecond each, are timed. */
extern "C" DUET_API void MINE(START)(benchmark::State *state)
{
    static const auto real = REAL(START);
    if (mine(*state)) {
        begin(*state);
    }
    real(state);
}

extern "C" DUET_API void MINE(FINISH)(benchmark::State *state)
{
    static const auto real = REAL(FINISH);
    real(state); /* of several threads: waits for all */
    if (mine(*state)) {
        duet_end(harness());
    }
}
