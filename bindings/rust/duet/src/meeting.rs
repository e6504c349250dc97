// SPDX-License-Identifier: MIT
use crate::page::{TRAIT_ASLEEP, TRAIT_FUTEX};
use crate::sys;
use std::sync::atomic::{AtomicU32, Ordering::*};

const DONE: u32 = 0;
const WAITING: u32 = 1;
const ASLEEP: u32 = 2;
const DONE_SLEPT: u32 = 3;
const POISON: u32 = u32::MAX;

const LEAST_PATIENCE_NS: u64 = 20_000;
const MOST_PATIENCE_NS: u64 = 200_000;
const SECOND_PATIENCE_NS: u64 = 20_000_000;
const SPIN_LOST_NS: u64 = 20_000;
pub const ORPHAN_CHECK_NS: u64 = 10_000_000_000;
const NAP_NS: u64 = 1_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Met,
    MetSlept,
    Poisoned,
    Orphaned,
    Confused,
}

impl Outcome {
    pub fn good(self) -> bool {
        matches!(self, Outcome::Met | Outcome::MetSlept)
    }
}

/// One side's own view of a meeting point.
#[derive(Default)]
pub struct Party {
    round: u32,
    second_round: u32,
    wait_ns: u64,
    last_ns: u64,
    /// Spent spinning since the last sleep: CPU time that is not the program's.
    pub spun_ns: u64,
    spins: bool,
    /// No second phase: nothing that is timed follows this meeting.
    single: bool,
}

/// What a meeting needs of the page.
pub struct Place<'a> {
    pub first: &'a AtomicU32,
    pub second: &'a AtomicU32,
    pub mine: &'a AtomicU32,
    pub peer: &'a AtomicU32,
    pub held: Option<&'a str>,
}

fn word(round: u32, state: u32) -> u32 {
    round << 3 | state
}

pub fn futex_wait(word: &AtomicU32, value: u32, ns: u64) {
    let timeout = sys::Timespec { sec: (ns / 1_000_000_000) as i64, nsec: (ns % 1_000_000_000) as i64 };
    unsafe { sys::syscall(sys::SYS_FUTEX, word.as_ptr(), 0, value, &timeout, 0usize, 0) };
}

fn futex_wake_all(word: &AtomicU32) {
    unsafe { sys::syscall(sys::SYS_FUTEX, word.as_ptr(), 1, i32::MAX, 0usize, 0usize, 0) };
}

impl Party {
    pub fn new(spins: bool, single: bool) -> Party {
        Party { spins, single, ..Party::default() }
    }

    fn spin(&mut self, at: &AtomicU32, value: u32, bound_ns: u64) -> u32 {
        const SPINS_PER_CLOCK: u32 = 64;
        let (mut before, mut waited, mut spun, mut seen) = (0, 0, 0, value);
        'wait: while waited < bound_ns {
            for _ in 0..SPINS_PER_CLOCK {
                seen = at.load(Acquire);
                if seen != value {
                    break 'wait;
                }
                std::hint::spin_loop();
            }
            let now = sys::mono_ns();
            let batch = if before == 0 { 0 } else { now - before };
            before = now;
            waited += batch;
            spun += if batch < SPIN_LOST_NS { batch } else { 0 };
        }
        self.last_ns += waited;
        self.spun_ns += spun;
        seen
    }

    fn sleep(at: &AtomicU32, value: u32, place: &Place) -> u32 {
        let mut checked = sys::mono_ns();
        loop {
            let seen = at.load(Acquire);
            if seen != value {
                return seen;
            }
            let woken = place.peer.load(Relaxed) & TRAIT_FUTEX != 0;
            futex_wait(at, value, if woken { ORPHAN_CHECK_NS } else { NAP_NS });
            let now = sys::mono_ns();
            if now - checked >= ORPHAN_CHECK_NS {
                checked = now;
                if sys::runner_gone(place.held) {
                    return at.load(Acquire);
                }
            }
        }
    }

    fn judge(&self, seen: u32, round: u32, mine: u32) -> Outcome {
        let next = round.wrapping_add(1);
        let ahead = seen == word(next, WAITING) || seen == word(next, ASLEEP);
        if seen == word(round, DONE) {
            Outcome::Met
        } else if seen == word(round, DONE_SLEPT) {
            Outcome::MetSlept
        } else if seen == POISON {
            Outcome::Poisoned
        } else if seen == word(round, mine) {
            Outcome::Orphaned
        } else if ahead && mine == WAITING {
            Outcome::Met
        } else if ahead && (!self.spins || self.single) {
            Outcome::MetSlept
        } else {
            Outcome::Confused
        }
    }

    fn wait(
        &mut self,
        at: &AtomicU32,
        round: u32,
        bound_ns: u64,
        place: &Place,
        woken: &mut dyn FnMut(),
    ) -> Outcome {
        let (waiting, asleep) = (word(round, WAITING), word(round, ASLEEP));
        let seen = self.spin(at, waiting, bound_ns);
        if seen != waiting {
            return self.judge(seen, round, WAITING);
        }
        if let Err(seen) = at.compare_exchange(waiting, asleep, Acquire, Acquire) {
            return self.judge(seen, round, WAITING);
        }
        let start = sys::mono_ns();
        place.mine.fetch_or(TRAIT_ASLEEP, Relaxed);
        let seen = Party::sleep(at, asleep, place);
        place.mine.fetch_and(!TRAIT_ASLEEP, Relaxed);
        self.last_ns += sys::mono_ns() - start;
        self.spun_ns = 0;
        woken();
        self.judge(seen, round, ASLEEP)
    }

    fn arrive(
        &mut self,
        at: &AtomicU32,
        round: u32,
        bound_ns: u64,
        place: &Place,
        woken: &mut dyn FnMut(),
    ) -> Outcome {
        let before = round.wrapping_sub(1);
        let (mut seen, mut next) = (word(round, WAITING), word(round, DONE));
        while let Err(found) = at.compare_exchange(seen, next, AcqRel, Acquire) {
            seen = found;
            if seen == word(round, WAITING) {
                next = word(round, DONE);
            } else if seen == word(round, ASLEEP) {
                next = word(round, DONE_SLEPT);
            } else if seen == word(before, DONE) || seen == word(before, DONE_SLEPT) {
                next = word(round, WAITING);
            } else {
                return if seen == POISON { Outcome::Poisoned } else { Outcome::Confused };
            }
        }
        if next == word(round, DONE) {
            Outcome::Met
        } else if next == word(round, WAITING) {
            self.wait(at, round, bound_ns, place, woken)
        } else {
            futex_wake_all(at);
            Outcome::MetSlept
        }
    }

    fn patience(&mut self) -> u64 {
        self.wait_ns = self.wait_ns - self.wait_ns / 4 + self.last_ns / 4;
        self.last_ns = 0;
        let bound = 2 * self.wait_ns;
        match (self.spins, bound) {
            (false, _) => 0,
            (true, LEAST_PATIENCE_NS..=MOST_PATIENCE_NS) => bound,
            (true, _) => LEAST_PATIENCE_NS,
        }
    }

    /// Meets the peer in the next round; `woken` is called after each sleep.
    pub fn meet(&mut self, place: &Place, woken: &mut dyn FnMut()) -> Outcome {
        let bound = self.patience();
        self.spun_ns = 0;
        self.round = self.round.wrapping_add(1);
        let outcome = self.arrive(place.first, self.round, bound, place, woken);
        if outcome != Outcome::MetSlept || !self.spins || self.single {
            return outcome;
        }
        let last_ns = self.last_ns;
        self.second_round = self.second_round.wrapping_add(1);
        let second = self.arrive(place.second, self.second_round, SECOND_PATIENCE_NS, place, woken);
        self.last_ns = last_ns;
        if second == Outcome::Met {
            Outcome::MetSlept
        } else {
            second
        }
    }
}
