// SPDX-License-Identifier: MIT
package duet;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

/**
 * The harness that a benchmark in Java (or another language of the JVM) includes: the
 * functions of {@code duet.h} under their names.
 *
 * <pre>{@code
 * try (Duet d = Duet.open()) {      // attaches to a running `duet`, or works alone
 *     while (d.next()) {            // false: enough
 *         prepare();                // not timed
 *         d.begin();                // both sides are released together
 *         Duet.keep(work());
 *         d.end();
 *     }
 * }
 * }</pre>
 *
 * <p>Started by {@code duet OLD NEW}, two such programs are measured in lock-step, many
 * iterations in one JVM; started by itself, the program measures itself and prints its
 * times on standard output. What may be set for that case ({@code DUET_TIME},
 * {@code DUET_ITERATIONS}, {@code DUET_TIMES}) is the same as for C.
 *
 * <p>Not thread-safe: one thread at a time drives it; the work may use as many threads as
 * it likes. Between {@link #begin} and {@link #end} nothing is allocated.
 *
 * <p>There are two clients, which the system property {@code duet.client} names:
 * {@code native} calls the C library through JNI; {@code foreign} maps the shared page as
 * foreign memory, for Java 22 and later. The default is {@code native}, and {@code foreign}
 * where the native library is not to be had.
 *
 * <p>The native library, {@code libduet_java.so}, is looked for as the system property
 * {@code duet.library} says (the file's path), else beside {@code duet.jar}, else inside it,
 * else in {@code java.library.path}.
 */
public final class Duet implements AutoCloseable {
    /** The system property that names the native library's file. */
    public static final String LIBRARY_PROPERTY = "duet.library";

    /** The system property that names the client: {@code foreign} or {@code native}. */
    public static final String CLIENT_PROPERTY = "duet.client";

    private static final int VERSION = 100; // 0.1.0
    private static volatile Object kept;
    private static volatile long keptNumber;

    private Harness harness; // null: closed

    private Duet(Harness harness) {
        this.harness = harness;
    }

    /** The client without native code, looked for when it is needed: it takes long to start. */
    private static final class Foreign {
        static final Constructor<? extends Harness> OPEN;
        static final Throwable MISSING;

        static {
            Constructor<? extends Harness> open = null;
            Throwable missing = null;
            try {
                // The first calls the C library: it fails where Java does not allow that.
                Class.forName("duet.Sys");
                open = Class.forName("duet.ForeignHarness").asSubclass(Harness.class)
                        .getDeclaredConstructor(String.class);
            } catch (ReflectiveOperationException | LinkageError | RuntimeException failure) {
                missing = failure.getCause() == null ? failure : failure.getCause();
            }
            OPEN = open;
            MISSING = missing;
        }

        static Harness open(String name) {
            try {
                return OPEN.newInstance(name);
            } catch (InvocationTargetException thrown) {
                throw new DuetException("the client cannot start: " + thrown.getCause(),
                        thrown.getCause());
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /** Whether the client is the foreign one. */
    private static boolean isForeign() {
        String wanted = System.getProperty(CLIENT_PROPERTY, "");
        switch (wanted) {
            case "":
                return System.getProperty(LIBRARY_PROPERTY) == null && !NativeHarness.loads()
                        && Foreign.OPEN != null;
            case "native":
                return false;
            case "foreign":
                if (Foreign.OPEN == null) {
                    throw new DuetException("-D" + CLIENT_PROPERTY + "=foreign needs Java 22 or "
                            + "later, and a duet.jar that was built with it (" + Foreign.MISSING
                            + "); this is Java " + Runtime.version().feature(), Foreign.MISSING);
                }
                return true;
            default:
                throw new DuetException("-D" + CLIENT_PROPERTY + "=" + wanted
                        + " is not a client; the clients are 'foreign' and 'native'");
        }
    }

    /**
     * Attaches to the runner that started this process, or, without one, prepares to work
     * alone, under the name of the main class.
     *
     * @return the harness; a failure to attach is told on standard error, {@link #next}
     *     then says false at once and {@link #close} throws
     * @throws DuetException when the native library cannot be loaded
     */
    public static Duet open() {
        return open(mainClass());
    }

    /**
     * As {@link #open()}.
     *
     * @param name of the benchmark, shown when it works alone
     * @return the harness
     * @throws DuetException when the native library cannot be loaded
     */
    public static Duet open(String name) {
        if (name == null) {
            throw new NullPointerException("the benchmark's name is null");
        }
        return new Duet(isForeign() ? Foreign.open(name) : new NativeHarness(name));
    }

    /**
     * Whether another iteration is wanted. The iteration may be a filler, which is executed
     * in the same way but not recorded.
     *
     * @return false: enough
     */
    public boolean next() {
        return harness().next();
    }

    /** Waits for the other side and starts the clock. Everything before it is not timed. */
    public void begin() {
        harness().begin();
    }

    /**
     * Stops the clock; then waits until the other side has ended its iteration too, so that
     * what follows cannot disturb it.
     */
    public void end() {
        harness().end();
    }

    /**
     * Says that the iteration under way executes so many operations; without it, it is one.
     * The sides are compared by time per operation.
     *
     * @param operations 1 to 2^53
     */
    public void count(long operations) {
        harness().count(Math.max(operations, 0));
    }

    /**
     * Ends the region of the iteration that is open, and begins another one. Each name is
     * compared by itself, too, in the same run.
     *
     * @param name 1 to 31 printable characters of ASCII; null: none
     */
    public void region(String name) {
        harness().region(name);
    }

    /**
     * Says how long the work of the iteration under way took by a clock of the program's own,
     * where {@link #begin} and {@link #end} cannot be called right around it.
     *
     * @param nanoseconds at most the time since {@link #begin}
     */
    public void took(long nanoseconds) {
        harness().took(Math.max(nanoseconds, 1));
    }

    /** Leaves the measurement to another process that calls {@link #open}, before begin(). */
    public void handOn() {
        harness().handOn();
    }

    /**
     * Ends the measurement; alone, prints its times. A second call does nothing.
     *
     * @throws DuetException where a program in C would end with status 1: attaching failed,
     *     an error ended the run, or calls came in a wrong order
     */
    @Override
    public void close() {
        if (harness != null) {
            Harness closing = harness;
            harness = null;
            System.out.flush(); // what the program printed comes before our line
            closing.close();
        }
    }

    /**
     * Whether a runner started this process and waits for somebody to attach.
     *
     * @return false: {@link #open} would work alone
     */
    public static boolean wanted() {
        String attach = System.getenv("DUET_ATTACH");
        return attach != null && !attach.isEmpty();
    }

    /**
     * Whether a runner is attached.
     *
     * @return false: the program works alone
     */
    public boolean attached() {
        return harness().attached();
    }

    /**
     * The current iteration, from 0; a filler has the index of the iteration it follows.
     *
     * @return the index
     */
    public long index() {
        return harness().index();
    }

    /**
     * The client's version; of the native one, the library's.
     *
     * @return major * 10000 + minor * 100 + patch
     * @throws DuetException when the native library cannot be loaded
     */
    public static int version() {
        return isForeign() ? VERSION : NativeHarness.version();
    }

    /**
     * Keeps the compiler from removing the computation of an object. It stays reachable
     * until the next call.
     *
     * @param value what was computed; may be null
     */
    public static void keep(Object value) {
        kept = value;
    }

    /**
     * Keeps the compiler from removing the computation of a number.
     *
     * @param value what was computed
     */
    public static void keep(long value) {
        keptNumber = value;
    }

    /**
     * Keeps the compiler from removing the computation of a number.
     *
     * @param value what was computed
     */
    public static void keep(double value) {
        keptNumber = Double.doubleToRawLongBits(value);
    }

    private Harness harness() {
        if (harness == null) {
            throw new DuetException("this harness is closed");
        }
        return harness;
    }

    private static String mainClass() {
        String[] words = System.getProperty("sun.java.command", "").trim().split("\\s");
        String name = words[0].substring(words[0].lastIndexOf('/') + 1);
        name = name.endsWith(".jar") ? name : name.substring(name.lastIndexOf('.') + 1);
        return name.isEmpty() ? "java" : name;
    }
}
