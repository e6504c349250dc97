// SPDX-License-Identifier: MIT
package duet;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The functions of the C library that take part needs, and the clock. */
@SuppressWarnings("restricted")
final class Sys {
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_ACCMODE = 3;
    static final int O_NONBLOCK = 04000;
    static final int O_CLOEXEC = 02000000;
    static final int F_SETFD = 2;
    static final int F_GETFL = 3;
    static final int F_GET_SEALS = 1034;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout ADDRESS = ValueLayout.ADDRESS;
    private static final long FUTEX = futexNumber();
    private static final int CPU_CLOCK = 2; // CLOCK_PROCESS_CPUTIME_ID

    private static final MethodHandle OPEN = function("open",
            FunctionDescriptor.of(INT, ADDRESS, INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle FCNTL = function("fcntl",
            FunctionDescriptor.of(INT, INT, INT, INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle MMAP = function("mmap",
            FunctionDescriptor.of(ADDRESS, ADDRESS, LONG, INT, INT, INT, LONG));
    private static final MethodHandle MUNMAP = function("munmap",
            FunctionDescriptor.of(INT, ADDRESS, LONG));
    private static final MethodHandle MADVISE = function("madvise",
            FunctionDescriptor.of(INT, ADDRESS, LONG, INT));
    private static final MethodHandle WRITE = function("write",
            FunctionDescriptor.of(LONG, INT, ADDRESS, LONG));
    private static final MethodHandle PREAD = function("pread",
            FunctionDescriptor.of(LONG, INT, ADDRESS, LONG, LONG));
    private static final MethodHandle SYSCALL = function("syscall",
            FunctionDescriptor.of(LONG, LONG, ADDRESS, LONG, LONG, ADDRESS),
            Linker.Option.firstVariadicArg(1));
    // These return at once: the thread need not tell the JVM that it leaves Java.
    private static final MethodHandle CLOCK_GETTIME = function("clock_gettime",
            FunctionDescriptor.of(INT, INT, ADDRESS), Linker.Option.critical(false));
    private static final MethodHandle GETRUSAGE = function("getrusage",
            FunctionDescriptor.of(INT, INT, ADDRESS), Linker.Option.critical(false));
    private static final MethodHandle SCHED_GETCPU = function("sched_getcpu",
            FunctionDescriptor.of(INT), Linker.Option.critical(false));

    private static final MemorySegment ONE_BYTE = Arena.global().allocate(1);
    private static final MemorySegment NAP = Arena.global().allocate(16, 8);
    private static final MemorySegment TIME = Arena.global().allocate(16, 8);

    private static final boolean NANO_TIME_SERVES = nanoTimeServes();

    private Sys() {
    }

    /** The number of futex(2), for syscall(2). */
    private static long futexNumber() {
        String arch = System.getProperty("os.arch");
        switch (arch) {
            case "amd64":
                return 202;
            case "aarch64":
                return 98;
            default:
                throw new UnsupportedOperationException("no client for " + arch);
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor shape,
            Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        MemorySegment address = linker.defaultLookup().find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
        return linker.downcallHandle(address, shape, options);
    }

    private static IllegalStateException failed(Throwable thrown) {
        return new IllegalStateException("a function of the C library cannot be called", thrown);
    }

    /** The new descriptor, or -1. */
    static int open(String path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) OPEN.invokeExact(arena.allocateFrom(path), flags | O_CLOEXEC);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** -1: it failed. */
    static int fcntl(int descriptor, int command, int argument) {
        try {
            return (int) FCNTL.invokeExact(descriptor, command, argument);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** Shared, to read and write; null: it failed. */
    static MemorySegment map(int descriptor, long bytes) {
        try {
            MemorySegment at = (MemorySegment) MMAP.invokeExact(MemorySegment.NULL, bytes, 1 | 2,
                    1, descriptor, 0L);
            return at.address() == -1 ? null : at.reinterpret(bytes);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    static void unmap(MemorySegment mapped) {
        try {
            int ignored = (int) MUNMAP.invokeExact(mapped, mapped.byteSize());
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** A child of fork() does not get it. */
    static void keepFromChildren(MemorySegment mapped) {
        try {
            int ignored = (int) MADVISE.invokeExact(mapped, mapped.byteSize(), 10);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** A full pipe is as good, and the JVM ignores SIGPIPE. */
    static void ring(int bell) {
        try {
            long ignored = (long) WRITE.invokeExact(bell, ONE_BYTE, 1L);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** How many bytes from the file's beginning were read; below 0: none. */
    static long read(int descriptor, MemorySegment into) {
        try {
            return (long) PREAD.invokeExact(descriptor, into, into.byteSize(), 0L);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    static void futexWait(MemorySegment word, int value, long ns) {
        NAP.set(LONG, 0, ns / 1_000_000_000);
        NAP.set(LONG, 8, ns % 1_000_000_000);
        try {
            long ignored = (long) SYSCALL.invokeExact(FUTEX, word, 0L, (long) value, NAP);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    static void futexWakeAll(MemorySegment word) {
        try {
            long ignored = (long) SYSCALL.invokeExact(FUTEX, word, 1L, (long) Integer.MAX_VALUE,
                    MemorySegment.NULL);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    private static long clock(int which) {
        try {
            int ignored = (int) CLOCK_GETTIME.invokeExact(which, TIME);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
        return TIME.get(LONG, 0) * 1_000_000_000 + TIME.get(LONG, 8);
    }

    /** Of the process. */
    static long cpuNs() {
        return clock(CPU_CLOCK);
    }

    /** CLOCK_MONOTONIC, which the other side reads, too. */
    static long monoNs() {
        return NANO_TIME_SERVES ? System.nanoTime() : clock(1);
    }

    /** HotSpot reads that clock for nanoTime() without leaving Java. Nothing promises it. */
    private static boolean nanoTimeServes() {
        long before = clock(1);
        long between = System.nanoTime();
        return before <= between && between <= clock(1);
    }

    /** Into 144 bytes: a struct rusage of the process. */
    static void usage(MemorySegment into) {
        try {
            int ignored = (int) GETRUSAGE.invokeExact(0, into);
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }

    /** The CPU that executes this. */
    static int cpu() {
        try {
            return (int) SCHED_GETCPU.invokeExact();
        } catch (Throwable thrown) {
            throw failed(thrown);
        }
    }
}
