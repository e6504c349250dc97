/* A whole measurement by duet, for helpers of other harnesses. C++11.
 * SPDX-License-Identifier: MIT */
#ifndef DUET_MEASURE_HPP
#define DUET_MEASURE_HPP

#include <duet/duet.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace duet_cpp {

/* Whether a runner started this process and waits for somebody to attach. */
inline bool wanted()
{
    const char *text = std::getenv("DUET_ATTACH");
    return text != nullptr && *text != '\0';
}

/* How many calls take 200 us; calls it for some milliseconds, which warms caches up. The
 * longest call does not count: another program may have taken the CPU meanwhile. */
template <typename Work> uint64_t calibrate(Work &work)
{
    using clock = std::chrono::steady_clock;
    using seconds = std::chrono::duration<double>;
    const auto start = clock::now();
    seconds spent{};
    seconds longest{};
    uint64_t calls = 0;
    while (calls < 2 || (spent - longest).count() < 5e-3) {
        const seconds before = spent;
        work();
        calls++;
        spent = clock::now() - start;
        longest = std::max(longest, spent - before);
        if (calls == 1 && spent.count() > 0.1) {
            return 1;
        }
    }
    const double each = (spent - longest).count() / static_cast<double>(calls - 1);
    const double batch = 200e-6 / each;
    return batch > 1.0 ? static_cast<uint64_t>(batch) : 1;
}

/* The name that this process measures; "": none so far. Each kind of `work` is a function
 * measure() of its own, and there is one process. */
inline std::string &measured_name()
{
    static std::string name;
    return name;
}

/* Says on standard error, which duet shows, that an exception ended the measurement: Catch
 * reports that on standard output, and ends with status 0. */
class Watch {
public:
    explicit Watch(const std::string &name) : name_(name) {}
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch()
    {
        if (!done_) {
            (void)std::fprintf(stderr, "duet: the benchmark %s threw an exception\n", name_.c_str());
        }
    }
    void done() { done_ = true; }

private:
    const std::string &name_;
    bool done_ = false;
};

/* Measures calls of `work`, in batches that are compared by time per call. Of a process,
 * one name: another one, and an error that ends the run, throws std::runtime_error. A
 * further call with the same name does nothing, since harnesses call more than once. */
template <typename Work> void measure(const std::string &name, Work work)
{
    std::string &measured = measured_name();
    if (measured == name) {
        return;
    }
    if (!measured.empty()) {
        throw std::runtime_error("duet measures one benchmark of a process, and that was " +
                                 measured + "; select one, such as " + name);
    }
    measured = name;
    struct duet *d = duet_open(name.c_str());
    Watch watch(name);
    const uint64_t batch = calibrate(work);
    while (duet_next(d) != 0) {
        duet_count(d, batch);
        duet_begin(d);
        for (uint64_t i = 0; i < batch; i++) {
            work();
        }
        duet_end(d);
    }
    watch.done();
    const char *reason = duet_reason(d);
    const std::string text = reason != nullptr ? reason : "the measurement was ended";
    if (duet_close(d) != 0) {
        throw std::runtime_error(text);
    }
}

} // namespace duet_cpp

#endif
