// SPDX-License-Identifier: MIT
package duet.jmh;

import duet.Duet;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * Lets JMH benchmarks take part, unchanged: {@code -prof duet.jmh.DuetProfiler -f 1 -i 100000}.
 * Each measured iteration of JMH is one of duet's, which begins together with the other side's,
 * and has JMH's own score: what lies between the hook and the work is not in it. Warm-up
 * iterations are JMH's. Started without duet, it does nothing.
 *
 * <p>For a pair of each call see {@link DuetInvocation}.
 *
 * <p>JMH makes an instance in its host JVM, which starts the JVM that measures and never takes
 * part itself, and another one there.
 */
public final class DuetProfiler implements InternalProfiler, ExternalProfiler {
    private static int trials; // JMH makes an instance for each

    @Override
    public String getDescription() {
        return "duet: measures each iteration together with another process";
    }

    // In the JVM that measures

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (!Duet.wanted()) {
            return;
        }
        Side.open(benchmark.getBenchmark());
        if (iteration.getType() == IterationType.MEASUREMENT) {
            Side.begin();
        }
    }

    @Override
    public Collection<? extends Result> afterIteration(BenchmarkParams benchmark,
            IterationParams iteration, IterationResult result) {
        if (Duet.wanted() && iteration.getType() == IterationType.MEASUREMENT) {
            // No result: the benchmark has thrown, which JMH tells.
            if (!result.getRawPrimaryResults().isEmpty()) {
                note(benchmark, result);
            }
            Side.end();
        }
        return Collections.emptyList();
    }

    private static void note(BenchmarkParams benchmark, IterationResult result) {
        double score = result.getPrimaryResult().getScore();
        double unit = benchmark.getTimeUnit().toNanos(1);
        long operations = Math.max(1, result.getMetadata().getMeasuredOps());
        double tookNs;
        if (benchmark.getMode() == Mode.Throughput) { // of all threads together
            tookNs = operations * unit / score;
        } else if (benchmark.getMode() == Mode.SingleShotTime) { // of a batch
            operations = 1;
            tookNs = score * unit;
        } else { // of each thread
            tookNs = operations * unit * score / benchmark.getThreads();
        }
        Side.duet().count(operations);
        Side.duet().took(Math.round(tookNs));
    }

    // In the host

    @Override
    public void beforeTrial(BenchmarkParams benchmark) {
        trials++;
        if (!Duet.wanted()) {
            return;
        }
        if (benchmark.getForks() > 1) {
            refuse("give JMH -f 1: a process takes part once, not in " + benchmark.getForks()
                    + " forks");
        }
        if (trials > 1) {
            refuse("it measures one benchmark of a process, with one value of each parameter: "
                    + "select one, such as '^" + benchmark.getBenchmark().replace(".", "\\.")
                    + "$', with -p NAME=VALUE for its parameters");
        }
    }

    /** JMH would go on, and end with 0. */
    private static void refuse(String why) {
        System.err.println("duet: " + why);
        System.err.flush();
        Runtime.getRuntime().halt(1);
    }

    @Override
    public Collection<? extends Result> afterTrial(BenchmarkResult result, long pid,
            java.io.File standardOutput, java.io.File standardError) {
        return Collections.emptyList();
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams benchmark) {
        return Collections.emptyList();
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams benchmark) {
        return Collections.emptyList();
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }
}
