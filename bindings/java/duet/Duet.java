// SPDX-License-Identifier: MIT
package duet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;

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
 * it likes. Between {@link #begin} and {@link #end} there is one transition out of native
 * code and one into it, some 20 ns together, and no allocation.
 *
 * <p>The native library, {@code libduet_java.so}, is looked for as the system property
 * {@code duet.library} says (the file's path), else beside {@code duet.jar}, else inside it,
 * else in {@code java.library.path}.
 */
public final class Duet implements AutoCloseable {
    /** The system property that names the native library's file. */
    public static final String LIBRARY_PROPERTY = "duet.library";

    private static volatile Object kept;
    private static volatile long keptNumber;

    private long handle; // a struct duet *; 0: closed

    private Duet(long handle) {
        this.handle = handle;
    }

    /** Loads the native library once, on first use. */
    private static final class Library {
        static final Throwable FAILURE = load();

        private static Throwable load() {
            try {
                String given = System.getProperty(LIBRARY_PROPERTY);
                Path beside = given == null ? besideJar() : null;
                if (given != null) {
                    System.load(Path.of(given).toAbsolutePath().toString());
                } else if (beside != null) {
                    System.load(beside.toString());
                } else if (!insideJar()) {
                    System.loadLibrary("duet_java");
                }
                return null;
            } catch (UnsatisfiedLinkError | IOException | RuntimeException failure) {
                return failure;
            }
        }

        private static Path besideJar() {
            try {
                CodeSource source = Duet.class.getProtectionDomain().getCodeSource();
                Path jar = Path.of(source.getLocation().toURI()).toAbsolutePath();
                Path file = jar.resolveSibling(System.mapLibraryName("duet_java"));
                return Files.exists(file) ? file : null;
            } catch (java.net.URISyntaxException | RuntimeException unknown) {
                return null;
            }
        }

        /** Maven keeps one file of an artifact: the jar that it packs has the library inside. */
        private static boolean insideJar() throws IOException {
            String name = "native/" + System.getProperty("os.arch") + "/"
                    + System.mapLibraryName("duet_java");
            try (InputStream packed = Duet.class.getResourceAsStream(name)) {
                if (packed == null) {
                    return false;
                }
                Path file = Files.createTempFile("duet", ".so");
                try {
                    Files.copy(packed, file, StandardCopyOption.REPLACE_EXISTING);
                    System.load(file.toString());
                } finally {
                    Files.delete(file); // it stays mapped
                }
                return true;
            }
        }

        static void need() {
            if (FAILURE != null) {
                throw new DuetException("cannot load duet's native library ("
                        + FAILURE.getMessage() + "); build it with a JDK present, and put "
                        + System.mapLibraryName("duet_java") + " beside duet.jar, or name "
                        + "it with -D" + LIBRARY_PROPERTY + "=FILE, or its folder with "
                        + "-Djava.library.path=DIR", FAILURE);
            }
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
        Library.need();
        return new Duet(openNative(name));
    }

    /**
     * Whether another iteration is wanted. The iteration may be a filler, which is executed
     * in the same way but not recorded.
     *
     * @return false: enough
     */
    public boolean next() {
        return nextNative(handle());
    }

    /** Waits for the other side and starts the clock. Everything before it is not timed. */
    public void begin() {
        beginNative(handle());
    }

    /**
     * Stops the clock; then waits until the other side has ended its iteration too, so that
     * what follows cannot disturb it.
     */
    public void end() {
        endNative(handle());
    }

    /**
     * Says that the iteration under way executes so many operations; without it, it is one.
     * The sides are compared by time per operation.
     *
     * @param operations 1 to 2^53
     */
    public void count(long operations) {
        countNative(handle(), Math.max(operations, 0));
    }

    /**
     * Ends the region of the iteration that is open, and begins another one. Each name is
     * compared by itself, too, in the same run.
     *
     * @param name 1 to 31 printable characters of ASCII; null: none
     */
    public void region(String name) {
        regionNative(handle(), name == null ? null : bytes(name));
    }

    /**
     * Says how long the work of the iteration under way took by a clock of the program's own,
     * where {@link #begin} and {@link #end} cannot be called right around it.
     *
     * @param nanoseconds at most the time since {@link #begin}
     */
    public void took(long nanoseconds) {
        tookNative(handle(), Math.max(nanoseconds, 1));
    }

    /** Leaves the measurement to another process that calls {@link #open}, before begin(). */
    public void handOn() {
        handonNative(handle());
    }

    /**
     * Ends the measurement; alone, prints its times. A second call does nothing.
     *
     * @throws DuetException where a program in C would end with status 1: attaching failed,
     *     an error ended the run, or calls came in a wrong order
     */
    @Override
    public void close() {
        if (handle != 0) {
            long closing = handle;
            handle = 0;
            System.out.flush(); // what the program printed comes before our line
            byte[] reason = reasonNative(closing);
            if (closeNative(closing) != 0) {
                throw new DuetException(reason == null
                        ? "the measurement was ended by an error, which standard error tells"
                        : new String(reason, StandardCharsets.UTF_8));
            }
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
        return attachedNative(handle());
    }

    /**
     * The current iteration, from 0; a filler has the index of the iteration it follows.
     *
     * @return the index
     */
    public long index() {
        return indexNative(handle());
    }

    /**
     * The native library's version.
     *
     * @return major * 10000 + minor * 100 + patch
     * @throws DuetException when the native library cannot be loaded
     */
    public static int version() {
        Library.need();
        return versionNative();
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

    private long handle() {
        if (handle == 0) {
            throw new DuetException("this harness is closed");
        }
        return handle;
    }

    /** As C has it, with a zero at its end. */
    private static byte[] bytes(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return java.util.Arrays.copyOf(text, text.length + 1);
    }

    private static String mainClass() {
        String[] words = System.getProperty("sun.java.command", "").trim().split("\\s");
        String name = words[0].substring(words[0].lastIndexOf('/') + 1);
        name = name.endsWith(".jar") ? name : name.substring(name.lastIndexOf('.') + 1);
        return name.isEmpty() ? "java" : name;
    }

    private static native long openNative(String name);

    private static native boolean nextNative(long handle);

    private static native void beginNative(long handle);

    private static native void endNative(long handle);

    private static native void countNative(long handle, long operations);

    private static native void regionNative(long handle, byte[] name);

    private static native void tookNative(long handle, long nanoseconds);

    private static native void handonNative(long handle);

    private static native byte[] reasonNative(long handle);

    private static native int closeNative(long handle);

    private static native boolean attachedNative(long handle);

    private static native long indexNative(long handle);

    private static native int versionNative();
}
