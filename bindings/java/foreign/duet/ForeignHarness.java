// SPDX-License-Identifier: MIT
package duet;

/** The client of Java 22 and later: the shared page as foreign memory, without native code. */
final class ForeignHarness extends Harness {
    private static final int BETWEEN = 0; // iterations
    private static final int WANTED = 1; // next() said yes
    private static final int TIMED = 2;
    private static final int ENDED = 3;

    /** A loop may leave out an iteration, but one that begins none would never end. */
    private static final long SKIPPED_MOST_NS = 10_000_000_000L;

    private AttachedSide side;
    private Alone alone;
    private String failure; // why attaching failed
    private String misuse;
    private int phase = BETWEEN;
    private long skippedNs; // since when no yes of next() was used; 0: it was

    ForeignHarness(String name) {
        String attach = System.getenv(Page.VARIABLE);
        try {
            if (attach != null && !attach.isEmpty()) {
                side = new AttachedSide(attach);
            } else {
                alone = new Alone(name);
            }
        } catch (DuetException refused) {
            failure = refused.getMessage();
            System.err.println("duet: " + failure);
        }
    }

    /** Tells so at the end, and wants no more. */
    private void misused(String text) {
        misuse = misuse == null ? text : misuse;
    }

    private boolean works() {
        return side != null || alone != null;
    }

    private boolean skipsTooLong() {
        long now = Sys.monoNs();
        skippedNs = skippedNs == 0 ? now : skippedNs;
        return now - skippedNs >= SKIPPED_MOST_NS;
    }

    @Override
    boolean next() {
        if (phase == TIMED) {
            misused("next() was called before end()");
        }
        if (phase != WANTED) {
            skippedNs = 0;
        } else if (skipsTooLong()) {
            misused("next() was called for 10 s without begin(): call begin() and end() "
                    + "around the work");
        }
        if (misuse != null || !works()) {
            return false;
        }
        boolean more = side != null ? side.next() : alone.next();
        phase = more ? WANTED : BETWEEN;
        return more;
    }

    @Override
    void begin() {
        if (phase != WANTED) {
            if (works()) {
                misused("begin() was called before next() returned true");
            }
            return;
        }
        phase = TIMED;
        if (side != null) {
            side.begin(); // last: it starts the clock
        } else {
            alone.begin();
        }
    }

    @Override
    void end() {
        if (phase != TIMED) {
            if (works()) {
                misused("end() was called without begin()");
            }
            return;
        }
        if (side != null) {
            side.end(); // first: it stops the clock
        } else {
            alone.end();
        }
        phase = ENDED;
    }

    @Override
    void count(long operations) {
        if (!works()) {
            return;
        }
        if (phase != WANTED && phase != TIMED) {
            misused("count() was called outside of an iteration");
        } else if (operations < 1 || operations > 1L << 53) {
            misused("count() was called with a number that is not 1 to 2^53");
        } else if (side != null) {
            side.operations = operations;
        } else {
            alone.operations = operations;
        }
    }

    @Override
    void region(String name) {
        String wrong = null;
        if (phase == TIMED) {
            wrong = side != null ? side.region(name) : alone.region(name);
        } else if (works()) {
            wrong = "region() was called outside of begin() and end()";
        }
        if (wrong != null) {
            misused(wrong);
        }
    }

    @Override
    void took(long nanoseconds) {
        if (phase != TIMED) {
            if (works()) {
                misused("took() was called outside of begin() and end()");
            }
        } else if (side != null) {
            side.tookNs = nanoseconds;
        } else {
            alone.tookNs = nanoseconds;
        }
    }

    @Override
    void handOn() {
        if (!works()) {
            return;
        }
        boolean begun = side != null ? side.ended() > 0 : alone.begun();
        if (begun || phase == TIMED || phase == ENDED) {
            misused("handOn() was called after begin()");
            return;
        }
        if (side != null) {
            side.handOn();
        }
        side = null;
        alone = null;
        phase = BETWEEN;
    }

    @Override
    void close() {
        String wrong = failure;
        if (side != null) {
            long ended = side.ended();
            String reason = side.close();
            wrong = reason == null ? null
                    : "stopped after " + ended + (ended == 1 ? " iteration: " : " iterations: ")
                            + reason;
        }
        wrong = misuse != null ? misuse : wrong;
        if (wrong != null) {
            throw new DuetException(wrong);
        }
        if (alone != null) {
            alone.report();
        }
    }

    @Override
    boolean attached() {
        return side != null;
    }

    @Override
    long index() {
        if (alone != null) {
            return alone.index(phase == ENDED || phase == BETWEEN);
        }
        return side != null ? side.index(phase == ENDED) : 0;
    }
}
