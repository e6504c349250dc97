// SPDX-License-Identifier: MIT
//! One side of a run under a runner: its iterations, in step with the other side.
use crate::meeting::{futex_wait, Outcome, Party, Place, ORPHAN_CHECK_NS};
use crate::page::*;
use crate::regions::Regions;
use crate::{sys, Error};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::*;

#[derive(Clone, Copy, Default)]
struct Usage {
    of: sys::Rusage,
    delay_ns: Option<u64>,
    ready_ns: u64, // when both were read, before an iteration
}

/// What lies between arrival and start, besides spinning, where the CPU was away: the clock's reading
/// and a wake-up of the peer take less.
const LOST_NS: u64 = 50_000;

/// The kernel's counts of the thread that drives the harness; it may change.
#[derive(Default)]
struct Schedstat(Option<(std::thread::ThreadId, Option<File>)>);

impl Schedstat {
    fn delay_ns(&mut self) -> Option<u64> {
        let here = std::thread::current().id();
        if self.0.as_ref().map(|(id, _)| *id) != Some(here) {
            self.0 = Some((here, File::open("/proc/thread-self/schedstat").ok()));
        }
        let (_, file) = self.0.as_ref()?;
        let mut text = [0u8; 96];
        let n = file.as_ref()?.read_at(&mut text, 0).ok()?;
        let mut numbers = std::str::from_utf8(&text[..n]).ok()?.split_whitespace();
        let executed: u64 = numbers.next()?.parse().ok()?;
        let waited = numbers.next()?.parse().ok()?;
        (executed > 0).then_some(waited)
    }

    /// getrusage() makes the kernel look whose turn it is: a thread whose time is over loses its CPU
    /// when the call returns, and so the delay is read on the iteration's side of it.
    fn usage_before(&mut self) -> Usage {
        let mut usage = Usage::default();
        unsafe { sys::getrusage(0, &mut usage.of) };
        usage.delay_ns = self.delay_ns();
        usage.ready_ns = sys::mono_ns();
        usage
    }

    fn usage_after(&mut self) -> Usage {
        let mut usage = Usage { delay_ns: self.delay_ns(), ..Usage::default() };
        unsafe { sys::getrusage(0, &mut usage.of) };
        usage
    }
}

pub struct Side {
    page: Page,
    index: usize, // 0 or 1
    slot: usize,
    peer: usize,
    bell: RawFd,
    bell_owned: bool,
    held: Option<String>, // where duet holds the page, if that is visible from here
    begin_party: Party,
    end_party: Party,
    pub ended: u64,
    written: u64,
    pub filler: bool,
    looked_ns: u64, // during fillers, for the runner
    outcome: Outcome,
    begun: Outcome,
    first_start_ns: u64,
    last_end_ns: u64,
    start_ns: u64,
    start_cpu_ns: u64,
    start_cpu: u32,
    start: Usage,
    schedstat: Schedstat,
    pub operations: u64,
    regions: Regions,
    run_time_ns: u64,
    least: u64,
}

fn ns(time: sys::Timeval) -> u64 {
    time.sec as u64 * 1_000_000_000 + time.usec as u64 * 1000
}

impl Side {
    pub fn open(text: &str) -> Result<Side, Error> {
        let attach = Attach::parse(text)?;
        let page = Page::find(&attach)?;
        let slot = SLOTS + attach.slot * SLOT_BYTES;
        // Before the claim, by which others know of us. The pid means something here only when it
        // leads to this very page.
        let path = attach.path(attach.page_fd);
        let visible = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map(|file| Page::map(file.as_raw_fd(), attach.nonce).is_ok())
            .unwrap_or(false);
        let (bell, bell_owned) = find_bell(&attach, visible)?;
        if let Err(error) = page.claim(slot) {
            if bell_owned {
                drop(unsafe { File::from_raw_fd(bell) });
            }
            return Err(error);
        }
        page.dont_fork();
        for n in 0..RING_RECORDS {
            page.put(attach.slot, n, &Record::default()); // page faults now
        }
        let spins = page.flags & NO_SPIN == 0;
        let side = Side {
            index: attach.slot,
            slot,
            peer: SLOTS + (1 - attach.slot) * SLOT_BYTES,
            bell,
            bell_owned,
            held: visible.then_some(path),
            begin_party: Party::new(spins, false),
            end_party: Party::new(spins, true),
            ended: 0,
            written: 0,
            filler: false,
            looked_ns: 0,
            outcome: Outcome::Met,
            begun: Outcome::Met,
            first_start_ns: 0,
            last_end_ns: 0,
            start_ns: 0,
            start_cpu_ns: 0,
            start_cpu: 0,
            start: Usage::default(),
            schedstat: Schedstat::default(),
            operations: 1,
            regions: Regions::default(),
            run_time_ns: page.u64(RUN_TIME).load(Relaxed),
            least: page.u64(LEAST).load(Relaxed),
            page,
        };
        sys::ring_bell(bell);
        Ok(side)
    }

    fn has(&self, flag: u32) -> bool {
        self.page.flags & flag != 0
    }

    fn decide_last(&self) {
        let elapsed = self.last_end_ns - self.first_start_ns;
        let time_ends =
            self.ended > 0 && self.ended >= self.least && elapsed + elapsed / self.ended >= self.run_time_ns;
        if self.ended + 1 >= self.page.u64(LIMIT).load(Relaxed)
            || self.page.u32(STOP).load(Relaxed) != 0
            || time_ends
        {
            let _ = self.page.u64(LAST).compare_exchange(NEVER, self.ended, Release, Relaxed);
        }
    }

    fn place<'a>(page: &'a Page, at: usize, slot: usize, peer: usize, held: Option<&'a str>) -> Place<'a> {
        Place {
            first: page.u32(at),
            second: page.u32(at + SECOND),
            mine: page.u32(slot + TRAITS),
            peer: page.u32(peer + TRAITS),
            held,
        }
    }

    pub fn begin(&mut self) {
        if self.filler {
            return;
        }
        self.decide_last();
        self.regions.begin();
        let usage = self.has(USAGE);
        if usage {
            self.start = self.schedstat.usage_before();
        }
        self.start_cpu = sys::cpu_here();
        self.begun = Outcome::Met;
        if !self.has(SOLO) {
            let place = Side::place(&self.page, BEGIN, self.slot, self.peer, self.held.as_deref());
            let (start, schedstat) = (&mut self.start, &mut self.schedstat);
            self.begun = self.begin_party.meet(&place, &mut || {
                if usage {
                    *start = schedstat.usage_before();
                }
            });
        }
        // The timed window: from here to the reading in end(). System calls left in it: two of
        // the CPU clock, and only with CPU_TIME.
        self.start_ns = sys::mono_ns();
        if self.has(CPU_TIME) {
            self.start_cpu_ns = sys::cpu_ns();
        }
    }

    fn write(&mut self, end_ns: u64, end_cpu_ns: u64) {
        let whole = Record { operations: self.operations, cpu: self.start_cpu, ..Record::default() };
        for (i, visits) in self.regions.visits.iter().enumerate().filter(|(_, v)| v.any) {
            let record = Record {
                start_ns: visits.first_ns,
                end_ns: visits.first_ns + visits.spent_ns,
                cpu_ns: visits.spent_cpu_ns,
                flags: RECORD_NO_USAGE,
                region: i as u16 + 1,
                ..whole
            };
            self.page.put(self.index, self.written, &record);
            self.written += 1;
        }
        let mut record = Record { start_ns: self.start_ns, end_ns, ..whole };
        if self.begun == Outcome::MetSlept {
            record.flags |= RECORD_SLEPT;
        }
        if sys::cpu_here() != self.start_cpu {
            record.flags |= RECORD_CPU_MOVED;
        }
        if self.has(USAGE) {
            self.write_usage(&mut record);
        } else {
            record.flags |= RECORD_NO_USAGE;
        }
        if self.has(CPU_TIME) {
            record.cpu_ns = end_cpu_ns - self.start_cpu_ns;
        }
        self.page.put(self.index, self.written, &record);
        self.written += 1;
        self.page.u64(self.slot + HEAD).store(self.written, Release);
    }

    fn write_usage(&mut self, record: &mut Record) {
        let now = self.schedstat.usage_after();
        let (was, is) = (&self.start.of, &now.of);
        record.user_ns = ns(is.utime).saturating_sub(ns(was.utime)).saturating_sub(self.begin_party.spun_ns);
        record.system_ns = ns(is.stime).saturating_sub(ns(was.stime));
        record.cpu_ns = record.user_ns + record.system_ns;
        record.voluntary = (is.nvcsw - was.nvcsw) as u32;
        record.involuntary = (is.nivcsw - was.nivcsw) as u32;
        record.minor_faults = (is.minflt - was.minflt) as u32;
        record.major_faults = (is.majflt - was.majflt) as u32;
        // What was taken between arrival and start is not the iteration's.
        if self.start_ns - self.start.ready_ns > self.begin_party.spun_ns + LOST_NS {
            record.flags |= RECORD_PREEMPTED;
        } else if let (Some(before), Some(after)) = (self.start.delay_ns, now.delay_ns) {
            record.delay_ns = after.saturating_sub(before);
            record.flags |= RECORD_DELAY;
        }
    }

    fn expect(&self, took: u64) {
        let word = self.page.u64(self.slot + EXPECTED);
        let before = word.load(Relaxed);
        let after =
            if before == 0 { took } else { (before - before / 4 + took / 4).min(before + before / 32) };
        word.store(after, Relaxed);
    }

    pub fn end(&mut self) {
        let end_cpu_ns = if self.has(CPU_TIME) { sys::cpu_ns() } else { 0 };
        let end_ns = sys::mono_ns();
        self.regions.leave(end_ns, end_cpu_ns);
        if self.filler {
            self.page.u64(self.slot + FILLERS).fetch_add(1, Relaxed);
            return;
        }
        if !self.begun.good() {
            self.outcome = self.begun;
            return;
        }
        if self.ended == 0 {
            self.first_start_ns = self.start_ns;
        }
        self.last_end_ns = end_ns;
        self.write(end_ns, end_cpu_ns);
        self.ended += 1;
        if self.has(FILL) {
            self.expect(end_ns - self.start_ns);
        }
        self.page.u64(self.slot + ENDED).store(self.ended, Release);
        if !self.has(FILL) && !self.has(SOLO) && !self.has(NO_END) {
            let place = Side::place(&self.page, END, self.slot, self.peer, self.held.as_deref());
            self.outcome = self.end_party.meet(&place, &mut || {});
        }
    }

    fn must_fill(&self) -> bool {
        if !self.has(FILL)
            || self.has(SOLO)
            || self.page.u64(self.peer + ENDED).load(Acquire) >= self.ended
            || self.page.u32(self.peer + STATE).load(Acquire) >= CLOSED
        {
            return false;
        }
        let theirs = self.page.u64(self.peer + EXPECTED).load(Relaxed);
        let mine = self.page.u64(self.slot + EXPECTED).load(Relaxed);
        theirs == 0 || theirs >= sys::mono_ns() - self.start_ns + mine / 16
    }

    fn has_room(&self) -> bool {
        let drained = self.page.u64(self.slot + DRAINED).load(Acquire);
        self.written - drained < RING_RECORDS - REGIONS_MAX as u64
    }

    fn aborted(&self) -> bool {
        self.page.u32(ABORT).load(Acquire) != 0
    }

    /// Who executes fillers never sleeps at a meeting, where the runner is looked for.
    fn deserted(&mut self) -> bool {
        let now = sys::mono_ns();
        let due = now - self.start_ns >= ORPHAN_CHECK_NS && now - self.looked_ns >= ORPHAN_CHECK_NS;
        if due {
            self.looked_ns = now;
        }
        due && sys::runner_gone(self.held.as_deref())
    }

    fn wait_for_room(&mut self) {
        self.page.u32(self.slot + STATE).store(FULL, Release);
        sys::ring_bell(self.bell);
        let mut checked = sys::mono_ns();
        loop {
            let wake = self.page.u32(self.slot + WAKE).load(Acquire);
            if self.has_room() {
                break;
            }
            if self.aborted() {
                self.outcome = Outcome::Poisoned;
                break;
            }
            futex_wait(self.page.u32(self.slot + WAKE), wake, ORPHAN_CHECK_NS);
            let now = sys::mono_ns();
            if now - checked >= ORPHAN_CHECK_NS {
                checked = now;
                if sys::runner_gone(self.held.as_deref()) {
                    self.outcome = Outcome::Orphaned;
                    break;
                }
            }
        }
        self.page.u32(self.slot + STATE).store(ATTACHED, Release);
    }

    pub fn next(&mut self) -> bool {
        self.filler = false;
        self.operations = 1;
        if !self.outcome.good() {
            return false;
        }
        if self.ended > 0 && self.must_fill() && !self.aborted() {
            if self.deserted() {
                self.outcome = Outcome::Orphaned;
                return false;
            }
            self.filler = true;
            return true;
        }
        let last = self.page.u64(LAST).load(Acquire);
        if last != NEVER && self.ended > last {
            return false;
        }
        if self.aborted() {
            self.outcome = Outcome::Poisoned;
            return false;
        }
        if !self.has_room() {
            self.wait_for_room();
        }
        self.outcome.good()
    }

    pub fn region(&mut self, name: &str) -> Result<(), &'static str> {
        if self.filler {
            return Ok(());
        }
        let now_cpu_ns = if self.has(CPU_TIME) { sys::cpu_ns() } else { 0 };
        if self.regions.enter(name, sys::mono_ns(), now_cpu_ns)? {
            let count = self.regions.names.len();
            self.page.put_name(self.index, count - 1, name);
            self.page.u32(self.slot + REGIONS).store(count as u32, Release);
        }
        Ok(())
    }

    pub fn hand_on(self) {
        self.page.u32(self.slot + TRAITS).store(0, Relaxed);
        self.page.u32(self.slot + STATE).store(FREE, Relaxed);
        self.page.u64(self.slot + CLAIM).store(0, Release);
    }

    /// Why the run ended before its time.
    pub fn close(self) -> Option<&'static str> {
        let reason = match self.outcome {
            Outcome::Met | Outcome::MetSlept => None,
            Outcome::Poisoned => Some(abort_text(self.page.u32(ABORT).load(Acquire))),
            Outcome::Orphaned => Some("duet itself is gone"),
            Outcome::Confused => {
                Some("the two sides lost step: the shared page holds what no other side writes")
            }
        };
        let state = if self.outcome == Outcome::Confused { LOST } else { CLOSED };
        self.page.u32(self.slot + STATE).store(state, Release);
        sys::ring_bell(self.bell);
        reason
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        if self.bell_owned {
            drop(unsafe { File::from_raw_fd(self.bell) });
        }
    }
}
