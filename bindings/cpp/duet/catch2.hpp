/* Benchmarks of Catch2 that duet compares: include catch_benchmark.hpp first.
 *
 *     BENCHMARK_ADVANCED("parse")(Catch::Benchmark::Chronometer meter) {
 *         duet_cpp::run(meter, "parse", [&] { return parse(text); });   // for meter.measure(...)
 *     };
 *
 * SPDX-License-Identifier: MIT */
#ifndef DUET_CATCH2_HPP
#define DUET_CATCH2_HPP

#include "duet/measure.hpp"

namespace duet_cpp {

template <typename Work>
void run(Catch::Benchmark::Chronometer &meter, const std::string &name, Work work)
{
    if (wanted()) {
        const auto call = [&work](int) { return work(); };
        /* As Catch does: what it returns is kept, or the compiler removes the work. */
        measure(name, [&call] { Catch::Benchmark::invoke_deoptimized(call, 0); });
        meter.measure([] {}); /* Catch wants one */
    } else {
        meter.measure(work);
    }
}

} // namespace duet_cpp

#endif
