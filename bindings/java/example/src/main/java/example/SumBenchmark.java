package example;

import duet.jmh.DuetInvocation;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Benchmarks of JMH to copy from; SUM_COUNT is the work, so that two of the same can differ. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SumBenchmark {
    private final int count = Integer.parseInt(System.getenv().getOrDefault("SUM_COUNT", "1000"));

    /** As it is: DuetProfiler makes an iteration of JMH one of duet's. */
    @Benchmark
    public int sum() {
        return sumOf(count);
    }

    /** Each call is an iteration of duet's. */
    @Benchmark
    public int pairs(DuetInvocation pair) {
        return sumOf(100 * count);
    }

    private static int sumOf(int n) {
        int total = 0;
        for (int i = 0; i < n; i++) {
            total += i ^ (total << 1);
        }
        return total;
    }
}
