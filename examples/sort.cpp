// A benchmark in C++: std::sort, or std::stable_sort with the argument "stable".
//
//     duet './example_sort' './example_sort stable'
#include <duet/duet.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace
{

struct Close {
    void operator()(duet *d) const
    {
        (void)duet_close(d);
    }
};

} // namespace

int main(int argc, char **argv)
{
    const bool stable = argc > 1 && std::strcmp(argv[1], "stable") == 0;
    std::vector<std::uint32_t> numbers(100000);

    // The guard closes when an exception leaves; otherwise main() wants the status.
    std::unique_ptr<duet, Close> guard(duet_open("sort"));
    duet *d = guard.get();
    while (duet_next(d)) {
        std::mt19937 engine(static_cast<std::uint32_t>(duet_index(d)));
        std::generate(numbers.begin(), numbers.end(),
                      [&engine] { return static_cast<std::uint32_t>(engine()); });

        duet_begin(d);
        if (stable) {
            std::stable_sort(numbers.begin(), numbers.end());
        } else {
            std::sort(numbers.begin(), numbers.end());
        }
        duet_keep(numbers.data());
        duet_end(d);
    }
    return duet_close(guard.release());
}
