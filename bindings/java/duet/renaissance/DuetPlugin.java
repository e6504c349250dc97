// SPDX-License-Identifier: MIT
package duet.renaissance;

import duet.Duet;
import org.renaissance.Plugin;

/**
 * Lets benchmarks of Renaissance take part:
 * {@code java -Dduet.warmup=20 -jar renaissance.jar --policy duet.jar!duet.renaissance.DuetPlugin
 * scrabble}. The first operations are warm-up, as many as the property {@code duet.warmup} says;
 * then each operation is an iteration of duet's, for as long as duet wants more. Without duet it
 * executes one operation after the warm-up.
 */
public final class DuetPlugin implements Plugin.ExecutionPolicy, Plugin.AfterOperationSetUpListener,
        Plugin.BeforeOperationTearDownListener {
    private final int warmup = Integer.getInteger("duet.warmup", 0);
    private Duet duet;
    private boolean ready; // next() has said yes
    private boolean timed;

    @Override
    public boolean canExecute(String benchmark, int operation) {
        if (!Duet.wanted()) {
            return operation <= warmup;
        }
        if (duet == null) {
            duet = Duet.open(benchmark);
        }
        ready = operation >= warmup && duet.next();
        if (operation >= warmup && !ready) {
            duet.close(); // throws when an error has ended the run
        }
        return operation < warmup || ready;
    }

    @Override
    public boolean isLast(String benchmark, int operation) {
        return false; // nobody knows
    }

    /** Other plugins are called before this one, or between it and Renaissance's clock. */
    @Override
    public void afterOperationSetUp(String benchmark, int operation, boolean isLast) {
        timed = ready;
        if (timed) {
            duet.begin();
        }
    }

    @Override
    public void beforeOperationTearDown(String benchmark, int operation, long durationNanos) {
        if (timed) {
            duet.end();
        }
    }
}
