/* Benchmarks of nanobench that duet compares: include nanobench.h first.
 *
 *     duet_cpp::run(bench, "parse", [&] { parse(text); });     for bench.run("parse", ...)
 *
 * SPDX-License-Identifier: MIT */
#ifndef DUET_NANOBENCH_HPP
#define DUET_NANOBENCH_HPP

#include "duet/measure.hpp"

namespace duet_cpp {

template <typename Work>
void run(ankerl::nanobench::Bench &bench, const std::string &name, Work work)
{
    if (wanted()) {
        measure(name, work);
    } else {
        bench.run(name, work);
    }
}

} // namespace duet_cpp

#endif
