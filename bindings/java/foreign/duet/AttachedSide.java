// SPDX-License-Identifier: MIT
package duet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A struct rusage, and how long the thread was ready without a CPU; -1: not known. */
final class Used {
    final MemorySegment usage = Arena.global().allocate(144, 8);
    long delay;

    long timeNs(int offset) {
        return usage.get(ValueLayout.JAVA_LONG, offset) * 1_000_000_000
                + usage.get(ValueLayout.JAVA_LONG, offset + 8) * 1000;
    }

    int count(int offset) {
        return (int) usage.get(ValueLayout.JAVA_LONG, offset);
    }
}

/** One side of a run under a runner: docs/protocol.md, "An iteration". */
final class AttachedSide {
    private static final int FILL_WORTH = 16;
    private static final int TOOK_SHARE = 8;
    // What lies between arrival and start, besides spinning, where the CPU was away: the clock's
    // reading and a wake-up of the peer take less.
    private static final long LOST_NS = 50_000;
    private static final int SLEPT = 1;
    private static final int NO_USAGE = 2;
    private static final int PREEMPTED = 4;
    private static final int CPU_MOVED = 8;
    private static final int DELAY = 16;
    private static final String[] ABORTS = {"nothing happened", "the other side died",
        "the other side was stopped", "the other side left early",
        "the other side never attached", "the time limit is over",
        "the measurement was interrupted", "duet itself failed"};

    long operations;
    long tookNs;
    private final Page page;
    private final Regions regions = new Regions();
    private final Meeting begin;
    private final Meeting end;
    private final Used before = new Used();
    private long readyNs; // when it was read
    private final Used after = new Used();
    private final MemorySegment text = Arena.global().allocate(96);
    private Thread driver;
    private int schedstat = -1; // of the driver
    private long ended;
    private long written;
    private boolean filler;
    private long lookedNs; // during fillers, for the runner
    private int outcome = Meeting.MET;
    private int begun;
    private long firstStartNs;
    private long lastEndNs;
    private long startNs;
    private long startCpuNs;
    private int startCpu;

    AttachedSide(String attach) {
        page = new Page(attach);
        boolean usage = page.has(Page.USAGE);
        begin = new Meeting(page, Page.BEGIN, false, usage ? this::readBefore : null);
        end = new Meeting(page, Page.END, true, null);
    }

    long ended() {
        return ended;
    }

    long index(boolean over) {
        return ended > 0 && (filler || over) ? ended - 1 : ended;
    }

    /** Reads what was used before an iteration. */
    private void readBefore() {
        Sys.usage(before.usage);
        readDelay(before);
        readyNs = Sys.monoNs();
    }

    /**
     * Reads it after one. The question for the usage makes the kernel look whose turn it is: a
     * thread whose time is over then loses its CPU, and so the delay is read on the iteration's
     * side of it.
     */
    private void readAfter() {
        readDelay(after);
        Sys.usage(after.usage);
    }

    private void readDelay(Used used) {
        if (Thread.currentThread() != driver) {
            closeSchedstat();
            driver = Thread.currentThread();
            schedstat = Sys.open("/proc/thread-self/schedstat", 0);
        }
        used.delay = schedstat < 0 ? -1 : delayNs(Sys.read(schedstat, text));
    }

    private void closeSchedstat() {
        if (schedstat >= 0) {
            Sys.close(schedstat);
        }
    }

    /** The second number; -1 where the first is 0, as then the kernel counts nothing. */
    private long delayNs(long length) {
        long[] numbers = new long[2];
        int index = 0;
        for (long i = 0; i < length && index < 2; i++) {
            byte digit = text.get(ValueLayout.JAVA_BYTE, i);
            if (digit < '0' || digit > '9') {
                index++;
            } else {
                numbers[index] = numbers[index] * 10 + digit - '0';
            }
        }
        return index == 2 && numbers[0] != 0 ? numbers[1] : -1;
    }

    private boolean aborted() {
        return page.get(Page.ABORT) != 0;
    }

    private boolean hasRoom() { // for an iteration with 16 regions
        return written - page.wide(page.slot + Page.DRAINED) <= Page.RING_RECORDS - 17;
    }

    private boolean mustFill() {
        if (!page.has(Page.FILL) || page.has(Page.SOLO)
                || page.wide(page.peer + Page.ENDED) >= ended
                || page.get(page.peer + Page.STATE) >= Page.CLOSED) {
            return false;
        }
        long theirs = page.wide(page.peer + Page.EXPECTED);
        long mine = page.wide(page.slot + Page.EXPECTED);
        return theirs == 0 || theirs >= Sys.monoNs() - startNs + mine / FILL_WORTH;
    }

    /** Who executes fillers never sleeps at a meeting, where the runner is looked for. */
    private boolean deserted() {
        long now = Sys.monoNs();
        boolean due = now - startNs >= Meeting.ORPHAN_CHECK_NS
                && now - lookedNs >= Meeting.ORPHAN_CHECK_NS;
        if (due) {
            lookedNs = now;
        }
        return due && page.runnerGone();
    }

    private void waitForRoom() {
        page.set(page.slot + Page.STATE, Page.FULL);
        page.ring();
        MemorySegment word = page.word(page.slot + Page.WAKE);
        long checked = Sys.monoNs();
        for (;;) {
            int wake = page.get(page.slot + Page.WAKE);
            if (hasRoom()) {
                break;
            }
            if (aborted()) {
                outcome = Meeting.POISONED;
                break;
            }
            Sys.futexWait(word, wake, Meeting.ORPHAN_CHECK_NS);
            long now = Sys.monoNs();
            if (now - checked >= Meeting.ORPHAN_CHECK_NS) {
                checked = now;
                if (page.runnerGone()) {
                    outcome = Meeting.ORPHANED;
                    break;
                }
            }
        }
        page.set(page.slot + Page.STATE, Page.ATTACHED);
    }

    boolean next() {
        filler = false;
        operations = 1;
        tookNs = Long.MAX_VALUE;
        if (!Meeting.good(outcome)) {
            return false;
        }
        if (ended > 0 && mustFill() && !aborted()) {
            if (deserted()) {
                outcome = Meeting.ORPHANED;
                return false;
            }
            filler = true;
            return true;
        }
        long last = page.wide(Page.LAST);
        if (last != Page.NEVER && ended > last) {
            return false;
        }
        if (aborted()) {
            outcome = Meeting.POISONED;
            return false;
        }
        if (!hasRoom()) {
            waitForRoom();
        }
        return Meeting.good(outcome);
    }

    /** Both sides then stop after the same iteration: the protocol says why. */
    private void decideLast() {
        boolean late = false;
        if (ended > 0 && Long.compareUnsigned(ended, page.least) >= 0) {
            long elapsed = lastEndNs - firstStartNs;
            late = Long.compareUnsigned(elapsed + elapsed / ended, page.runTimeNs) >= 0;
        }
        if (late || Long.compareUnsigned(ended + 1, page.wide(Page.LIMIT)) >= 0
                || page.get(Page.STOP) != 0) {
            page.decide(Page.LAST, ended);
        }
    }

    void begin() {
        if (filler) {
            return;
        }
        decideLast();
        regions.begin();
        if (page.has(Page.USAGE)) {
            readBefore();
        }
        startCpu = Sys.cpu();
        begun = page.has(Page.SOLO) ? Meeting.MET : begin.meet();
        // The timed window: from here to the reading in end(). System calls left in it: two of
        // the CPU clock, and only with CPU_TIME.
        startNs = Sys.monoNs();
        if (page.has(Page.CPU_TIME)) {
            startCpuNs = Sys.cpuNs();
        }
    }

    void end() {
        long endCpuNs = page.has(Page.CPU_TIME) ? Sys.cpuNs() : 0;
        long endNs = Sys.monoNs();
        regions.leave(endNs, endCpuNs);
        if (filler) {
            page.increase(page.slot + Page.FILLERS);
            return;
        }
        if (!Meeting.good(begun)) {
            outcome = begun;
            return;
        }
        firstStartNs = ended == 0 ? startNs : firstStartNs;
        lastEndNs = endNs;
        write(endNs - startNs, endCpuNs);
        ended++;
        if (page.has(Page.FILL)) {
            expect(endNs - startNs);
        }
        page.setWide(page.slot + Page.ENDED, ended);
        if (!page.has(Page.FILL | Page.SOLO | Page.NO_END_MEETING)) {
            outcome = end.meet();
        }
    }

    /** An iteration or region; returns where its record lies. */
    private long put(long start, long took, long cpuNs) {
        long at = page.ring + written % Page.RING_RECORDS * Page.RECORD_BYTES;
        page.put(at, start);
        page.put(at + 8, start + took);
        page.put(at + 16, cpuNs);
        for (int field = 24; field < 48; field += 8) {
            page.put(at + field, 0L);
        }
        page.put(at + 48, operations);
        page.put(at + 56, 0L);
        page.put(at + 64, 0L);
        page.put(at + 72, startCpu);
        page.put(at + 76, NO_USAGE);
        written++;
        return at;
    }

    /**
     * Whether the usage is of much more than the time that counts: none is recorded then. Where CPU
     * time is compared, it is of the whole window, whatever the program says.
     */
    private boolean measuresAPart(long window) {
        return !page.has(Page.CPU_TIME) && tookNs < window - window / TOOK_SHARE;
    }

    private void write(long window, long endCpuNs) {
        for (int i = 0; i < regions.names.size(); i++) {
            if (regions.visited[i]) {
                long at = put(regions.first[i], regions.spent[i], regions.spentCpu[i]);
                page.put(at + 76, NO_USAGE | i + 1 << 16);
            }
        }
        boolean timed = page.has(Page.CPU_TIME);
        int flags = (begun == Meeting.MET_SLEPT ? SLEPT : 0)
                | (Sys.cpu() != startCpu ? CPU_MOVED : 0);
        long at = put(startNs, Math.min(tookNs, window), timed ? endCpuNs - startCpuNs : 0);
        if (page.has(Page.USAGE) && !measuresAPart(window)) {
            flags |= putUsage(at, timed);
        } else {
            flags |= NO_USAGE;
        }
        page.put(at + 76, flags);
        page.setWide(page.slot + Page.HEAD, written);
    }

    /** The first look was before the meeting: what was spun there since is not the program's. */
    private int putUsage(long at, boolean timed) {
        readAfter();
        long user = Math.max(after.timeNs(0) - before.timeNs(0) - begin.spunNs(), 0);
        long system = Math.max(after.timeNs(16) - before.timeNs(16), 0);
        if (!timed) {
            page.put(at + 16, user + system);
        }
        page.put(at + 24, user);
        page.put(at + 32, system);
        page.put(at + 56, after.count(128) - before.count(128));
        page.put(at + 60, after.count(136) - before.count(136));
        page.put(at + 64, after.count(64) - before.count(64));
        page.put(at + 68, after.count(72) - before.count(72));
        boolean known = before.delay >= 0 && after.delay >= before.delay;
        // What was taken between arrival and start is not the iteration's.
        boolean lost = startNs - readyNs > begin.spunNs() + LOST_NS;
        page.put(at + 40, known && !lost ? after.delay - before.delay : 0);
        return lost ? PREEMPTED : known ? DELAY : 0;
    }

    private void expect(long took) {
        long known = page.wide(page.slot + Page.EXPECTED);
        page.setWide(page.slot + Page.EXPECTED, known == 0 ? took
                : Math.min(known - known / 4 + took / 4, known + known / 32));
    }

    /** Returns what is wrong, or null. */
    String region(String name) {
        if (filler) {
            return null;
        }
        long nowCpu = page.has(Page.CPU_TIME) ? Sys.cpuNs() : 0;
        int known = regions.names.size();
        String wrong = regions.enter(name, Sys.monoNs(), nowCpu);
        if (regions.names.size() > known) {
            page.addRegion(known, name);
        }
        return wrong;
    }

    private void release() {
        closeSchedstat();
        page.release();
    }

    void handOn() {
        page.set(page.slot + Page.TRAITS, 0);
        page.set(page.slot + Page.STATE, 0);
        page.setWide(page.slot + Page.CLAIM, 0);
        release();
    }

    /** Returns why the run ended before its time, or null. */
    String close() {
        String reason = null;
        if (outcome == Meeting.POISONED) {
            int why = page.get(Page.ABORT);
            reason = why > 0 && why < ABORTS.length ? ABORTS[why] : "unknown reason";
        } else if (outcome == Meeting.ORPHANED) {
            reason = "duet itself is gone";
        } else if (outcome == Meeting.CONFUSED) {
            reason = "the two sides lost step: the shared page holds what no other side writes";
        }
        page.set(page.slot + Page.STATE, outcome == Meeting.CONFUSED ? Page.LOST : Page.CLOSED);
        page.ring();
        release();
        return reason;
    }
}
