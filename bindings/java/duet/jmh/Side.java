// SPDX-License-Identifier: MIT
package duet.jmh;

import duet.Duet;
import duet.DuetException;

/** This JVM's part in the measurement, which a JMH harness drives: one of a JVM. */
final class Side {
    private static Duet duet;
    private static boolean timed;

    private Side() {
    }

    /** In the JVM that measures, before its first iteration: not in JMH's host. */
    static void open(String benchmark) {
        if (duet == null) {
            duet = Duet.open(benchmark);
        }
    }

    /**
     * Begins an iteration. When duet has enough, ends this JVM: JMH knows no other way to end
     * early, and what it has measured is with its host already.
     *
     * @throws duet.DuetException when an error has ended the run
     */
    static void begin() {
        if (timed) {
            throw new DuetException("take one of DuetProfiler and DuetInvocation, not both");
        }
        if (!duet.next()) {
            close();
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }
        timed = true;
        duet.begin();
    }

    static void end() {
        duet.end();
        timed = false;
    }

    static Duet duet() {
        return duet;
    }

    private static void close() {
        Duet closing = duet;
        duet = null;
        closing.close();
    }
}
