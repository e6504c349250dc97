/* Google Benchmark takes part without a change of its source: this file stands between a
 * benchmark and State::StartKeepRunning() and FinishKeepRunning(), which bracket its loop,
 * and those that say which time of the loop counts.
 *
 *   c++ -O2 -shared -fPIC duet_gbench.cc $(pkg-config --cflags --libs duet) -o libduet_gbench.so
 *                                           for programs that link libbenchmark.so: LD_PRELOAD
 *   c++ -O2 -DDUET_WRAP -c duet_gbench.cc   for those that link libbenchmark.a, together with
 *                                           the options of README.md
 *
 * An execution of the loop is an iteration of duet's, of as many operations as the loop has
 * had passes, calibration included. SPDX-License-Identifier: MIT */
/* The header calls it when this file is loaded, also into programs without the library:
 * LD_PRELOAD is meant for duet and shells, too, where it is exported. */
#define InitializeStreams duet_initialize_streams
#include <benchmark/benchmark.h>
#undef InitializeStreams
#include <duet/duet.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#define START _ZN9benchmark5State16StartKeepRunningEv
#define FINISH _ZN9benchmark5State17FinishKeepRunningEv
#define PAUSE _ZN9benchmark5State11PauseTimingEv
#define RESUME _ZN9benchmark5State12ResumeTimingEv
#define MANUAL _ZN9benchmark5State16SetIterationTimeEd
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define TEXT(a) #a
#define QUOTED(a) TEXT(a)

#ifdef DUET_WRAP
#define MINE(name) NAME(__wrap_, name)
extern "C" void NAME(__real_, START)(benchmark::State *);
extern "C" void NAME(__real_, FINISH)(benchmark::State *);
extern "C" void NAME(__real_, PAUSE)(benchmark::State *);
extern "C" void NAME(__real_, RESUME)(benchmark::State *);
extern "C" void NAME(__real_, MANUAL)(benchmark::State *, double);
#define REAL(name, ...) NAME(__real_, name)
#else
#define MINE(name) name
#define REAL(name, ...) \
    reinterpret_cast<void (*)(__VA_ARGS__)>(dlsym(RTLD_NEXT, QUOTED(name)))
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

using steady = std::chrono::steady_clock;

/* The execution of the loop that is under way; thread 0 alone looks at it. */
struct {
    bool timed; /* the benchmark's code executes, and not the library's */
    steady::time_point begun;
    bool pauses;
    steady::time_point since;
    steady::duration paused;
    bool manual;
    double manual_s;
} loop;

/* Passes that the last execution was asked for. The library asks a benchmark for more, or for
 * as many as before; for fewer only the next benchmark. */
benchmark::IterationCount asked;

[[noreturn]] void fail(const char *message)
{
    (void)fprintf(stderr, "duet: %s\n", message);
    (void)fflush(nullptr);
    _exit(1);
}

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
        fail("select one benchmark with --benchmark_filter='^NAME$': each process is measured as "
             "one");
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

/* From version 1.8 on a benchmark may also skip itself without an error. */
template <typename State> auto is_skipped(const State &state, int) -> decltype(state.skipped())
{
    return state.skipped();
}

template <typename State> bool is_skipped(const State &state, long)
{
    return state.error_occurred();
}

/* Its loop has no passes then, which would be taken for very fast ones. */
void refuse_skipped(const benchmark::State &state)
{
    if (is_skipped(state, 0)) {
        fail("the benchmark called SkipWithError(); started without duet it says why");
    }
}

void begin(const benchmark::State &state)
{
    struct duet *d = harness();
    refuse_skipped(state);
    if (loop.timed) {
        fail("the benchmark left its loop before the end");
    }
    if (state.max_iterations < asked) {
        fail("--benchmark_filter selects several benchmarks: select one, as in '^NAME$'");
    }
    asked = state.max_iterations;
    if (!duet_next(d)) {
        leave(d);
    }
    duet_begin(d);
    loop = {};
    loop.begun = steady::now();
}

/* KeepRunningBatch() may have had more passes than were asked for. */
void end(const benchmark::State &state)
{
    using std::chrono::duration;
    const double tolerance = 1.01; /* for what sets another clock */
    struct duet *d = harness();
    if (loop.manual || loop.pauses) {
        const duration<double> elapsed = steady::now() - loop.begun;
        const duration<double> unpaused = elapsed - loop.paused;
        const double took_s = loop.manual ? loop.manual_s : unpaused.count();
        if (took_s > tolerance * elapsed.count()) {
            fail("SetIterationTime() was given more time than has passed, which cannot be "
                 "compared");
        }
        duet_took(d, took_s > 1e-9 ? static_cast<uint64_t>(took_s * 1e9) : 1);
    }
    refuse_skipped(state);
    duet_count(d, static_cast<uint64_t>(state.iterations()));
    duet_end(d);
}

bool is_timed(const benchmark::State &state)
{
    return state.thread_index() == 0 && loop.timed;
}

} // namespace

/* The library's own clock is inside of duet's: what the sides wait for each other must not
 * count for its calibration. Its two readings, a microsecond each, are timed. */
extern "C" DUET_API void MINE(START)(benchmark::State *state)
{
    static const auto real = REAL(START, benchmark::State *);
    if (mine(*state)) {
        begin(*state);
        real(state);
        loop.timed = true;
    } else {
        real(state);
    }
}

extern "C" DUET_API void MINE(FINISH)(benchmark::State *state)
{
    static const auto real = REAL(FINISH, benchmark::State *);
    if (mine(*state)) {
        loop.timed = false;
        real(state); /* of several threads: waits for all */
        end(*state);
    } else {
        real(state);
    }
}

/* The library calls these two itself, when its loop begins and ends. */
extern "C" DUET_API void MINE(PAUSE)(benchmark::State *state)
{
    static const auto real = REAL(PAUSE, benchmark::State *);
    if (is_timed(*state)) {
        loop.pauses = true;
        loop.since = steady::now();
    }
    real(state);
}

extern "C" DUET_API void MINE(RESUME)(benchmark::State *state)
{
    static const auto real = REAL(RESUME, benchmark::State *);
    real(state);
    if (is_timed(*state)) {
        loop.paused += steady::now() - loop.since;
    }
}

extern "C" DUET_API void MINE(MANUAL)(benchmark::State *state, double seconds)
{
    static const auto real = REAL(MANUAL, benchmark::State *, double);
    if (is_timed(*state)) {
        loop.manual = true;
        loop.manual_s += seconds;
    }
    real(state, seconds);
}
