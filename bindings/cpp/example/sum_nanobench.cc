/* nanobench, alone and beside another one. */
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>

#include "duet/nanobench.hpp"

int main()
{
    const char *text = std::getenv("SUM_COUNT");
    const long n = text != nullptr ? std::atol(text) : 1000;
    ankerl::nanobench::Bench bench;
    duet_cpp::run(bench, "sum", [n] {
        unsigned long total = 0;
        for (long i = 0; i < n; i++) {
            ankerl::nanobench::doNotOptimizeAway(total ^= static_cast<unsigned long>(i));
        }
    });
}
