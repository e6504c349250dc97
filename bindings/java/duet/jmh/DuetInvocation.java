// SPDX-License-Identifier: MIT
package duet.jmh;

import duet.Duet;
import duet.DuetException;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * A state that makes each call of a benchmark an iteration beside the other side's. The
 * benchmark takes it as a parameter; the profiler is not needed:
 *
 * <pre>{@code
 * @Benchmark
 * public Object parse(DuetInvocation pair) {
 *     return parser.parse(text);
 * }
 * }</pre>
 *
 * <p>Right around the call lie two readings of JMH's clock. For calls of 10 µs and more, by one
 * thread. Started without duet, it does nothing.
 */
@State(Scope.Benchmark)
public class DuetInvocation {
    private boolean measured;

    /**
     * Attaches before the first iteration. Calls of warm-up iterations are not measured.
     *
     * @param benchmark JMH's
     * @param iteration JMH's
     */
    @Setup(Level.Iteration)
    public void iteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (!Duet.wanted()) {
            return;
        }
        if (benchmark.getThreads() > 1) {
            throw new DuetException("DuetInvocation is for one thread, not "
                    + benchmark.getThreads() + ": give JMH -t 1, or take DuetProfiler");
        }
        Side.open(benchmark.getBenchmark());
        measured = iteration.getType() == IterationType.MEASUREMENT;
    }

    /** Waits for the other side. */
    @Setup(Level.Invocation)
    public void begin() {
        if (measured) {
            Side.begin();
        }
    }

    /** Stops the clock. */
    @TearDown(Level.Invocation)
    public void end() {
        if (measured) {
            Side.end();
        }
    }
}
