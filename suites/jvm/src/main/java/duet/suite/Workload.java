package duet.suite;

/** One program of suites/jvm.yaml. Its input follows from {@link Inputs#SEED} alone. */
interface Workload {
    /** Once, before the first iteration. */
    void setUp() throws Exception;

    /** Before each iteration, not timed. */
    default void prepare() throws Exception {}

    /**
     * One iteration, timed: all of the work, and as little as possible to check it by.
     *
     * @return a count or checksum of the work's results
     */
    long iterate() throws Exception;

    /** What {@link #iterate} returns, in every iteration and on every machine. */
    long expected();
}
