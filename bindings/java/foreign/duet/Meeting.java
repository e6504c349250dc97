// SPDX-License-Identifier: MIT
package duet;

import java.lang.foreign.MemorySegment;

/** One side's own view of a meeting point: docs/protocol.md, "A meeting". */
final class Meeting {
    // How a meeting ended.
    static final int MET = 0;
    static final int MET_SLEPT = 1;
    static final int POISONED = 2;
    static final int ORPHANED = 3;
    static final int CONFUSED = 4;

    static final long ORPHAN_CHECK_NS = 10_000_000_000L;

    // States of a word.
    private static final int DONE = 0;
    private static final int WAITING = 1;
    private static final int ASLEEP = 2;
    private static final int DONE_SLEPT = 3;
    private static final int POISON = -1;

    private static final int SPINS_PER_CLOCK = 32;
    private static final long SPIN_LOST_NS = 20_000; // here the CPU was away
    private static final long PATIENCE_FLOOR_NS = 20_000;
    private static final long PATIENCE_CAP_NS = 200_000;
    private static final long SECOND_PATIENCE_NS = 20_000_000;
    private static final long NAP_NS = 1_000_000;
    private static final int ROUNDS = (1 << 29) - 1;

    private final Page page;
    private final long first;
    private final long second;
    private final boolean single;
    private final boolean spins;
    private final Runnable woken;
    private final MemorySegment firstWord;
    private final MemorySegment secondWord;
    private int round;
    private int again;
    private long waitNs; // smoothed
    private long lastNs;
    private long spunNs; // since the last sleep: CPU time that is not the program's

    /** Of one phase, when it is single. `woken` is called after each sleep. */
    Meeting(Page page, long first, boolean single, Runnable woken) {
        this.page = page;
        this.first = first;
        this.second = first + Page.SECOND_PHASE;
        this.single = single;
        this.spins = !page.has(Page.NO_SPIN);
        this.woken = woken;
        this.firstWord = page.word(first);
        this.secondWord = page.word(second);
    }

    static boolean good(int outcome) {
        return outcome <= MET_SLEPT;
    }

    long spunNs() {
        return spunNs;
    }

    private static int word(int round, int state) {
        return round << 3 | state;
    }

    /** Looks while the word holds the value, about bound ns; returns what it saw last. */
    private int spin(long at, int value, long boundNs) {
        long before = 0;
        long waited = 0;
        long spun = 0;
        int seen = value;
        while (waited < boundNs) {
            for (int i = 0; i < SPINS_PER_CLOCK; i++) {
                seen = page.get(at);
                if (seen != value) {
                    lastNs += waited;
                    spunNs += spun;
                    return seen;
                }
                Thread.onSpinWait();
            }
            // Not before the first looks: of two sides that arrive together, the first would
            // miss the release.
            long now = Sys.monoNs();
            long batch = before == 0 ? 0 : now - before;
            before = now;
            waited += batch;
            spun += batch < SPIN_LOST_NS ? batch : 0;
        }
        lastNs += waited;
        spunNs += spun;
        return seen;
    }

    private int sleep(long at, int value) {
        MemorySegment word = at == first ? firstWord : secondWord;
        long checked = Sys.monoNs();
        for (;;) {
            int seen = page.get(at);
            if (seen != value) {
                return seen;
            }
            // A peer that can only spin wakes nobody.
            boolean wakes = (page.get(page.peer + Page.TRAITS) & Page.TRAIT_FUTEX) != 0;
            Sys.futexWait(word, value, wakes ? ORPHAN_CHECK_NS : NAP_NS);
            long now = Sys.monoNs();
            if (now - checked >= ORPHAN_CHECK_NS) {
                checked = now;
                if (page.runnerGone()) {
                    return page.get(at);
                }
            }
        }
    }

    /** What the value that ended the wait in the state `mine` means. */
    private int judged(int seen, int at, int mine) {
        boolean ahead = seen == word(at + 1 & ROUNDS, WAITING)
                || seen == word(at + 1 & ROUNDS, ASLEEP);
        if (seen == word(at, DONE)) {
            return MET;
        }
        if (seen == word(at, DONE_SLEPT)) {
            return MET_SLEPT;
        }
        if (seen == POISON) {
            return POISONED;
        }
        if (seen == word(at, mine)) {
            return ORPHANED;
        }
        if (ahead && mine == WAITING) {
            return MET;
        }
        return ahead && (!spins || single) ? MET_SLEPT : CONFUSED;
    }

    private int waited(long at, int number, long boundNs) {
        int waiting = word(number, WAITING);
        int asleep = word(number, ASLEEP);
        int seen = spin(at, waiting, boundNs);
        if (seen != waiting) {
            return judged(seen, number, WAITING);
        }
        seen = page.swap(at, waiting, asleep);
        if (seen != waiting) {
            return judged(seen, number, WAITING);
        }
        long start = Sys.monoNs();
        page.setBits(page.slot + Page.TRAITS, Page.TRAIT_ASLEEP);
        seen = sleep(at, asleep);
        page.clearBits(page.slot + Page.TRAITS, Page.TRAIT_ASLEEP);
        lastNs += Sys.monoNs() - start;
        spunNs = 0;
        if (woken != null) {
            woken.run();
        }
        return judged(seen, number, ASLEEP);
    }

    /** The first guess is that the peer waits: then this touches the line once. */
    private int arrive(long at, int number, long boundNs) {
        int expected = word(number, WAITING);
        int next = word(number, DONE);
        for (;;) {
            int seen = page.swap(at, expected, next);
            if (seen == expected) {
                break;
            }
            expected = seen;
            if (seen == word(number, WAITING)) {
                next = word(number, DONE);
            } else if (seen == word(number, ASLEEP)) {
                next = word(number, DONE_SLEPT);
            } else if (seen == word(number - 1 & ROUNDS, DONE)
                    || seen == word(number - 1 & ROUNDS, DONE_SLEPT)) {
                next = word(number, WAITING);
            } else {
                return seen == POISON ? POISONED : CONFUSED;
            }
        }
        if (next == word(number, DONE)) {
            return MET;
        }
        if (next == word(number, WAITING)) {
            return waited(at, number, boundNs);
        }
        Sys.futexWakeAll(at == first ? firstWord : secondWord);
        return MET_SLEPT;
    }

    private long patienceNs() {
        waitNs += lastNs / 4 - waitNs / 4;
        lastNs = 0;
        long bound = 2 * waitNs;
        if (!spins) {
            return 0;
        }
        return bound < PATIENCE_FLOOR_NS || bound > PATIENCE_CAP_NS ? PATIENCE_FLOOR_NS : bound;
    }

    /** Meets the peer in the next round. */
    int meet() {
        long bound = patienceNs();
        spunNs = 0;
        round = round + 1 & ROUNDS;
        int outcome = arrive(first, round, bound);
        if (outcome == MET_SLEPT && spins && !single) {
            long before = lastNs;
            again = again + 1 & ROUNDS;
            outcome = arrive(second, again, SECOND_PATIENCE_NS);
            outcome = outcome == MET ? MET_SLEPT : outcome;
            lastNs = before;
        }
        return outcome;
    }
}
