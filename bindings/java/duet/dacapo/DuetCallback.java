// SPDX-License-Identifier: MIT
package duet.dacapo;

import duet.Duet;
import org.dacapo.harness.Callback;
import org.dacapo.harness.CommandLineArgs;

/**
 * Lets benchmarks of DaCapo take part:
 * {@code java -cp dacapo.jar:duet.jar Harness -c duet.dacapo.DuetCallback -n 10 lusearch}.
 * DaCapo's warm-up iterations, all but the last of {@code -n}, are its own; then each iteration
 * is one of duet's, for as long as duet wants more. Started without duet, it does nothing.
 */
public final class DuetCallback extends Callback {
    private Duet duet;
    private boolean ready; // next() has said yes
    private boolean timed;

    /**
     * As DaCapo calls it.
     *
     * @param arguments DaCapo's
     */
    public DuetCallback(CommandLineArgs arguments) {
        super(arguments);
    }

    /** Last before DaCapo's clock: the super class prints. */
    @Override
    public void start(String benchmark) {
        super.start(benchmark);
        if (!Duet.wanted()) {
            return;
        }
        if (duet == null) {
            duet = Duet.open(benchmark);
        }
        if (isWarmup()) {
            return;
        }
        timed = ready || more();
        ready = false;
        if (timed) {
            duet.begin();
        }
    }

    /** First after DaCapo's clock. */
    @Override
    public void stop(long duration) {
        if (timed) {
            duet.end();
            timed = false;
        }
        super.stop(duration);
    }

    @Override
    public boolean runAgain() {
        if (super.runAgain()) {
            return true; // DaCapo's warm-up
        }
        ready = duet != null && more();
        return ready;
    }

    private boolean more() {
        if (duet.next()) {
            return true;
        }
        Duet closing = duet;
        duet = null;
        closing.close(); // throws when an error has ended the run
        return false;
    }
}
