// SPDX-License-Identifier: MIT
package duet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.Arrays;

/** The client that calls the C library through JNI, in libduet_java.so. */
final class NativeHarness extends Harness {
    private final long handle; // a struct duet *

    NativeHarness(String name) {
        Library.need();
        handle = openNative(name);
    }

    static int version() {
        Library.need();
        return versionNative();
    }

    /** Whether the library is to be had. */
    static boolean loads() {
        return Library.FAILURE == null;
    }

    /** Loads the native library once, on first use. */
    private static final class Library {
        static final Throwable FAILURE = load();

        private static Throwable load() {
            try {
                String given = System.getProperty(Duet.LIBRARY_PROPERTY);
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
                        + "it with -D" + Duet.LIBRARY_PROPERTY + "=FILE, or its folder with "
                        + "-Djava.library.path=DIR; with Java 22 or later, a duet.jar that was "
                        + "built with one needs none", FAILURE);
            }
        }
    }

    @Override
    boolean next() {
        return nextNative(handle);
    }

    @Override
    void begin() {
        beginNative(handle);
    }

    @Override
    void end() {
        endNative(handle);
    }

    @Override
    void count(long operations) {
        countNative(handle, operations);
    }

    @Override
    void region(String name) {
        regionNative(handle, name == null ? null : bytes(name));
    }

    @Override
    void took(long nanoseconds) {
        tookNative(handle, nanoseconds);
    }

    @Override
    void handOn() {
        handonNative(handle);
    }

    @Override
    void close() {
        byte[] reason = reasonNative(handle);
        if (closeNative(handle) != 0) {
            throw new DuetException(reason == null
                    ? "the measurement was ended by an error, which standard error tells"
                    : new String(reason, StandardCharsets.UTF_8));
        }
    }

    @Override
    boolean attached() {
        return attachedNative(handle);
    }

    @Override
    long index() {
        return indexNative(handle);
    }

    /** As C has it, with a zero at its end. */
    private static byte[] bytes(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(text, text.length + 1);
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
