// SPDX-License-Identifier: MIT
package duet;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the variable says. */
record Attach(int page, int bell, long pid, int slot, long nonce) {
    /** A descriptor of the runner's. */
    String path(int descriptor) {
        return "/proc/" + pid + "/fd/" + descriptor;
    }
}

/** The page that the runner shares, version 2: docs/protocol.md has every number below. */
final class Page {
    static final String VARIABLE = "DUET_ATTACH";
    static final long NEVER = -1; // as it is unsigned, the greatest
    static final int RING_RECORDS = 4096;
    static final int RECORD_BYTES = 80;
    static final int REGION_BYTES = 32;

    static final int LIMIT = 128;
    static final int STOP = 136;
    static final int ABORT = 140;
    static final int LAST = 144;
    static final int BEGIN = 256;
    static final int END = 512;
    static final int SECOND_PHASE = 128; // of a meeting

    // In a slot.
    static final int CLAIM = 0;
    static final int STATE = 8;
    static final int TRAITS = 12;
    static final int HEAD = 16;
    static final int FILLERS = 24;
    static final int ENDED = 32;
    static final int EXPECTED = 40;
    static final int REGIONS = 48;
    static final int DRAINED = 128;
    static final int WAKE = 136;
    static final int NAMES = 256;

    static final int ATTACHED = 1;
    static final int FULL = 2;
    static final int CLOSED = 3;
    static final int LOST = 4;

    static final int TRAIT_FUTEX = 1;
    static final int TRAIT_ASLEEP = 2;

    static final int SOLO = 1;
    static final int NO_SPIN = 2;
    static final int USAGE = 4;
    static final int CPU_TIME = 8;
    static final int FILL = 16;
    static final int NO_END_MEETING = 32;

    private static final int VERSION = 2;
    private static final long MAGIC = 0x3147415054455544L;
    private static final int BYTES = 657664;
    private static final int RING = 2304;
    private static final int SLOTS = 768;
    private static final int SLOT_BYTES = 768;
    private static final int FLAGS_KNOWN = 63;
    private static final int SEALS = 1 | 2 | 4; // SEAL, SHRINK, GROW
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final Pattern FIELDS = Pattern.compile(
            "v2:page=(\\d{4}):bell=(\\d{4}):pid=(\\d{10}):slot=([01]):nonce=([0-9a-f]{16})");

    final long slot;
    final long peer;
    final long ring;
    final int flags;
    final long runTimeNs;
    final long least;
    private final MemorySegment memory;
    private final Attach attach;
    private final int bell;
    private final boolean bellOwned;
    private final boolean runnerVisible;

    /** Attaches to the runner, as the variable's text says. */
    Page(String text) {
        attach = parsed(text);
        memory = found();
        slot = SLOTS + (long) attach.slot() * SLOT_BYTES;
        peer = SLOTS + (1L - attach.slot()) * SLOT_BYTES;
        ring = RING + (long) attach.slot() * RING_RECORDS * RECORD_BYTES;
        flags = memory.get(ValueLayout.JAVA_INT, 28);
        runTimeNs = memory.get(ValueLayout.JAVA_LONG, 48);
        least = memory.get(ValueLayout.JAVA_LONG, 64);
        runnerVisible = leadsHere(); // before the claim, by which others know of us
        int opened = -1;
        try {
            boolean inherited = isBell();
            opened = inherited ? -1 : openedBell();
            bell = inherited ? attach.bell() : opened;
            claim();
        } catch (DuetException refused) {
            if (opened >= 0) {
                Sys.close(opened);
            }
            Sys.unmap(memory);
            throw refused;
        }
        bellOwned = opened >= 0;
        Sys.keepFromChildren(memory);
        for (int i = 0; i < RING_RECORDS; i++) { // page faults now
            memory.set(ValueLayout.JAVA_SHORT, ring + (long) i * RECORD_BYTES + 76, (short) 0);
        }
        Sys.ring(bell);
    }

    private static Attach parsed(String text) {
        String version = text.startsWith("v") ? text.substring(1).split(":", 2)[0] : "";
        if (text.contains(":") && version.matches("\\d{1,18}") && !version.equals("2")) {
            throw new DuetException(VARIABLE + " names protocol version " + version
                    + ", this class knows " + VERSION
                    + "; run the benchmark with the duet.jar of the duet that runs it");
        }
        Matcher fields = FIELDS.matcher(text);
        long pid = fields.matches() ? Long.parseLong(fields.group(3)) : 0;
        if (pid < 1 || pid > Integer.MAX_VALUE) {
            throw new DuetException(VARIABLE + " is malformed: '"
                    + text.substring(0, Math.min(text.length(), 100))
                    + "'; unset it to work without duet");
        }
        return new Attach(Integer.parseInt(fields.group(1)), Integer.parseInt(fields.group(2)),
                pid, Integer.parseInt(fields.group(4)),
                Long.parseUnsignedLong(fields.group(5), 16));
    }

    private static Object status(String path, String what) {
        try {
            Map<String, Object> values = Files.readAttributes(Path.of(path), "unix:" + what);
            return what.contains(",") ? List.copyOf(values.values()) : values.get(what);
        } catch (IOException unreadable) {
            return null;
        }
    }

    /** Maps the page behind a descriptor when it is this run's; `wrong` gets why it is not. */
    private MemorySegment mapped(int descriptor, String[] wrong) {
        Object size = status("/proc/self/fd/" + descriptor, "size");
        int seals = Sys.fcntl(descriptor, Sys.F_GET_SEALS, 0);
        if (!(size instanceof Long bytes) || seals < 0) {
            wrong[0] = "descriptor " + descriptor + " is not a shared page";
            return null;
        }
        if ((seals & SEALS) != SEALS || bytes < LIMIT) {
            wrong[0] = "descriptor " + descriptor + " is not a sealed shared page";
            return null;
        }
        MemorySegment candidate = Sys.map(descriptor, bytes);
        wrong[0] = candidate == null ? "cannot map the shared page" : checked(candidate);
        if (wrong[0] != null && candidate != null) {
            Sys.unmap(candidate);
        }
        return wrong[0] == null ? candidate : null;
    }

    private String checked(MemorySegment page) {
        if (page.get(ValueLayout.JAVA_LONG, 0) != MAGIC
                || page.get(ValueLayout.JAVA_LONG, 40) != attach.nonce()) {
            return "the inherited descriptor is not this run's shared page";
        }
        int version = page.get(ValueLayout.JAVA_INT, 8);
        if (version != VERSION) {
            throw new DuetException("the shared page has layout version "
                    + Integer.toUnsignedString(version) + ", this class knows " + VERSION
                    + "; run the benchmark with the duet.jar of the duet that runs it");
        }
        int[] wanted = {BYTES, 2, RING_RECORDS, RECORD_BYTES};
        int[] header = new int[4];
        MemorySegment.copy(page, ValueLayout.JAVA_INT, 12, header, 0, 4);
        boolean fits = page.byteSize() == BYTES && Arrays.equals(header, wanted)
                && (page.get(ValueLayout.JAVA_INT, 28) & ~FLAGS_KNOWN) == 0
                && page.get(ValueLayout.JAVA_INT, 32) == RING
                && page.get(ValueLayout.JAVA_INT, 36) == RING + RING_RECORDS * RECORD_BYTES;
        return fits ? null : "the shared page's header contradicts layout version " + VERSION;
    }

    /** From the inherited descriptor or, where a launcher has closed it, from the runner's. */
    private MemorySegment found() {
        String[] wrong = new String[1];
        MemorySegment page = mapped(attach.page(), wrong);
        if (page != null) {
            Sys.fcntl(attach.page(), Sys.F_SETFD, 1); // FD_CLOEXEC
            return page;
        }
        String path = attach.path(attach.page());
        int descriptor = Sys.open(path, Sys.O_RDWR);
        if (descriptor < 0) {
            throw new DuetException(wrong[0] + "; nor can it be opened as " + path + " ("
                    + VARIABLE + " belongs to a finished run, or to another container)");
        }
        page = mapped(descriptor, wrong);
        Sys.close(descriptor);
        if (page == null) {
            throw new DuetException(wrong[0]);
        }
        return page;
    }

    /** The pid means something here only when it leads to this very page. */
    private boolean leadsHere() {
        int descriptor = Sys.open(attach.path(attach.page()), Sys.O_RDWR);
        if (descriptor < 0) {
            return false;
        }
        try {
            MemorySegment same = mapped(descriptor, new String[1]);
            if (same != null) {
                Sys.unmap(same);
            }
            return same != null;
        } finally {
            Sys.close(descriptor);
        }
    }

    private static boolean isPipeEnd(int descriptor) {
        int flags = Sys.fcntl(descriptor, Sys.F_GETFL, 0);
        return flags >= 0 && (flags & Sys.O_ACCMODE) == Sys.O_WRONLY
                && status("/proc/self/fd/" + descriptor, "mode") instanceof Integer mode
                && (mode & 0170000) == 0010000;
    }

    /** Whether the inherited descriptor is the runner's pipe, as far as can be seen. */
    private boolean isBell() {
        if (!isPipeEnd(attach.bell())) {
            return false;
        }
        Object theirs = runnerVisible ? status(attach.path(attach.bell()), "dev,ino") : null;
        if (theirs != null && !theirs.equals(status("/proc/self/fd/" + attach.bell(), "dev,ino"))) {
            return false;
        }
        Sys.fcntl(attach.bell(), Sys.F_SETFD, 1);
        return true;
    }

    /** Where the pid does not lead to the runner, it leads to anybody, who is not rung. */
    private int openedBell() {
        String path = attach.path(attach.bell());
        int descriptor = runnerVisible ? Sys.open(path, Sys.O_WRONLY | Sys.O_NONBLOCK) : -1;
        if (descriptor >= 0 && isPipeEnd(descriptor)) {
            return descriptor;
        }
        if (descriptor >= 0) {
            Sys.close(descriptor);
        }
        throw new DuetException("cannot reach duet's bell, neither as descriptor " + attach.bell()
                + " nor as " + path);
    }

    private void claim() {
        long pid = ProcessHandle.current().pid();
        if (LONG.compareAndSet(memory, slot + CLAIM, 0L, pid)) {
            set(slot + TRAITS, TRAIT_FUTEX);
            set(slot + STATE, ATTACHED);
            return;
        }
        long owner = wide(slot + CLAIM);
        if (owner == pid) {
            throw new DuetException("this process attached twice; call Duet.open() once and use "
                    + "its result for all iterations");
        }
        String name = "which has ended";
        try {
            name = Files.readString(Path.of("/proc/" + owner + "/comm")).strip();
        } catch (IOException ended) {
            // as it says
        }
        throw new DuetException("process " + owner + " (" + name + ") already takes part in the "
                + "measurement, and each side is one process; let it call handOn() before this "
                + "one attaches, or start this one without " + VARIABLE);
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    void ring() {
        Sys.ring(bell);
    }

    /** A process that has ended and that nobody has collected has no descriptors. */
    boolean runnerGone() {
        return runnerVisible && Files.notExists(Path.of(attach.path(attach.page())),
                LinkOption.NOFOLLOW_LINKS);
    }

    /** A word for the kernel. */
    MemorySegment word(long offset) {
        return memory.asSlice(offset, 4);
    }

    // Acquire, release, or both: the protocol says which of them each field needs.

    int get(long offset) {
        return (int) INT.getAcquire(memory, offset);
    }

    long wide(long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    void set(long offset, int value) {
        INT.setRelease(memory, offset, value);
    }

    void setWide(long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /** What the word held: `expected` where it was swapped. */
    int swap(long offset, int expected, int value) {
        return (int) INT.compareAndExchange(memory, offset, expected, value);
    }

    void decide(long offset, long value) {
        boolean ignored = LONG.compareAndSet(memory, offset, NEVER, value);
    }

    void setBits(long offset, int bits) {
        int ignored = (int) INT.getAndBitwiseOr(memory, offset, bits);
    }

    void clearBits(long offset, int bits) {
        int ignored = (int) INT.getAndBitwiseAnd(memory, offset, ~bits);
    }

    void increase(long offset) {
        long ignored = (long) LONG.getAndAdd(memory, offset, 1L);
    }

    /** Of a record, which is published by what comes after it. */
    void put(long offset, long value) {
        memory.set(ValueLayout.JAVA_LONG, offset, value);
    }

    void put(long offset, int value) {
        memory.set(ValueLayout.JAVA_INT, offset, value);
    }

    /** The slot's next region. */
    void addRegion(int index, String name) {
        byte[] text = Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), REGION_BYTES);
        MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE,
                slot + NAMES + (long) index * REGION_BYTES, REGION_BYTES);
        set(slot + REGIONS, index + 1);
    }

    void release() {
        if (bellOwned) {
            Sys.close(bell);
        }
        Sys.unmap(memory);
    }
}
