/* A benchmark of Google Benchmark as anybody writes it. */
#include <benchmark/benchmark.h>

#include <cstdlib>

static long count()
{
    const char *text = std::getenv("SUM_COUNT");
    return text != nullptr ? std::atol(text) : 1000;
}

static void sum(benchmark::State &state)
{
    const long n = count();
    for (auto _ : state) {
        unsigned long total = 0;
        for (long i = 0; i < n; i++) {
            benchmark::DoNotOptimize(total ^= static_cast<unsigned long>(i));
        }
    }
}
BENCHMARK(sum);

static void threads(benchmark::State &state)
{
    sum(state);
}
BENCHMARK(threads)->Threads(2);

BENCHMARK_MAIN();
