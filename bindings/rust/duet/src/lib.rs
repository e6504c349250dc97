// SPDX-License-Identifier: MIT
//! The harness of duet in Rust, with std alone: the functions of `duet.h` under their names.
//!
//! ```
//! # std::env::set_var("DUET_ITERATIONS", "2");
//! let mut d = duet::Duet::open("sum"); // attaches to a running duet, or works alone
//! while d.next() {                     // false: enough
//!     let numbers: Vec<u64> = (0..1000).collect(); // not timed
//!     d.begin();                       // both sides are released together
//!     std::hint::black_box(numbers.iter().sum::<u64>());
//!     d.end();
//! }
//! d.close()?;
//! # Ok::<(), duet::Error>(())
//! ```
//!
//! Started by `duet OLD NEW`, two such programs are measured in lock-step; started by itself, the
//! program measures itself and prints its times on standard output.
#![deny(missing_docs)]

mod alone;
mod meeting;
mod page;
mod regions;
mod side;
mod sys;

use alone::Alone;
use side::Side;
use std::fmt;
use std::hint::black_box;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Attaching failed, an error ended the run, or calls came in a wrong order.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }

    fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

enum Mode {
    /// Handed on, or attaching failed.
    None,
    Side(Box<Side>),
    Alone(Box<Alone>),
}

#[derive(PartialEq)]
enum Phase {
    Between,
    Wanted,
    Timed,
    Ended,
}

/// This process's part in a measurement. One thread at a time drives it; the work may use as many
/// threads as it likes.
pub struct Duet {
    mode: Mode,
    phase: Phase,
    error: Option<Error>,
    misuse: Option<&'static str>,
    origin: sys::Origin,
    /// Since when no yes of `next` was used; None: it was.
    skipped_ns: Option<u64>,
}

/// A loop may leave out an iteration that it was asked for, but one that begins none would never end.
const SKIPPED_MOST_NS: u64 = 10_000_000_000;

/// Whether a runner started this process and waits for somebody to attach.
pub fn wanted() -> bool {
    std::env::var_os(page::VARIABLE).is_some_and(|text| !text.is_empty())
}

/// For helpers of other harnesses: whether a front-end such as `duet cargo-bench` asks which benchmarks
/// there are, in the environment variable `DUET_LIST`. Then nothing is measured, and [`list`] is called.
pub fn listing() -> bool {
    std::env::var_os(LIST).is_some_and(|path| !path.is_empty())
}

const LIST: &str = "DUET_LIST";

fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Error(format!("cannot write the result to standard output: {error}")))
}

/// Adds a benchmark to the file of `DUET_LIST`, with the words that select it on the command line of
/// this program. A failure is told on standard error and ends the process with 1.
pub fn list(name: &str, words: &[&str]) {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let line = format!("{name}\t{}\n", quoted.join(" "));
    let path = std::env::var_os(LIST).unwrap_or_default();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = opened.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("duet: cannot write to the file of {LIST}: {error}");
        std::process::exit(1);
    }
}

impl Duet {
    /// Attaches to the runner that started this process, or, without one, prepares to work alone.
    /// `name` is of the benchmark, shown when it works alone. [`Duet::close`] tells a failure;
    /// [`Duet::next`] then says false at once.
    pub fn open(name: &str) -> Duet {
        let opened = if wanted() {
            let text = std::env::var_os(page::VARIABLE).unwrap_or_default();
            Side::open(&text.to_string_lossy()).map(|side| Mode::Side(Box::new(side)))
        } else {
            Alone::open(name).map(|alone| Mode::Alone(Box::new(alone)))
        };
        let (mode, error) = match opened {
            Ok(mode) => (mode, None),
            Err(error) => (Mode::None, Some(error)),
        };
        let origin = sys::Origin::new();
        Duet { mode, phase: Phase::Between, error, misuse: None, origin, skipped_ns: None }
    }

    /// In a child of fork() nothing is measured: its parent does, and has the page for itself.
    #[inline]
    fn look_where(&mut self) {
        if !self.origin.is_here() {
            self.leave_to_parent();
        }
    }

    #[cold]
    fn leave_to_parent(&mut self) {
        std::mem::forget(std::mem::replace(&mut self.mode, Mode::None));
        self.phase = Phase::Between;
        self.error = None;
        self.misuse = None;
    }

    /// Whether a runner is attached; false: the program works alone.
    pub fn attached(&self) -> bool {
        matches!(self.mode, Mode::Side(_)) && self.origin.is_here()
    }

    fn misused(&mut self, text: &'static str) {
        if !matches!(self.mode, Mode::None) && self.misuse.is_none() {
            self.misuse = Some(text);
        }
    }

    #[cold]
    fn skips_too_long(&mut self) -> bool {
        let now = sys::mono_ns();
        now - *self.skipped_ns.get_or_insert(now) >= SKIPPED_MOST_NS
    }

    /// Whether another iteration is wanted. It may be a filler, which is executed in the same way
    /// but not recorded.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> bool {
        self.look_where();
        if self.phase == Phase::Timed {
            self.misused("next was called before end");
        }
        if self.phase != Phase::Wanted {
            self.skipped_ns = None;
        } else if self.skips_too_long() {
            self.misused("next was called for 10 s without begin: call begin and end around the work");
        }
        let more = self.misuse.is_none()
            && match &mut self.mode {
                Mode::None => false,
                Mode::Side(side) => side.next(),
                Mode::Alone(alone) => alone.next(),
            };
        self.phase = if more { Phase::Wanted } else { Phase::Between };
        more
    }

    /// Waits for the other side and starts the clock. Everything before it is not timed.
    pub fn begin(&mut self) {
        self.look_where();
        if self.phase != Phase::Wanted {
            self.misused("begin was called without next saying so");
            return;
        }
        self.phase = Phase::Timed;
        match &mut self.mode {
            Mode::None => {}
            Mode::Side(side) => side.begin(),
            Mode::Alone(alone) => alone.begin(),
        }
    }

    /// Stops the clock; then waits until the other side has ended its iteration too.
    pub fn end(&mut self) {
        self.look_where();
        if self.phase != Phase::Timed {
            self.misused("end was called without begin");
            return;
        }
        match &mut self.mode {
            Mode::None => {}
            Mode::Side(side) => side.end(),
            Mode::Alone(alone) => alone.end(),
        }
        self.phase = Phase::Ended;
    }

    /// Says that the iteration under way executes so many operations, 1 to 2^53; without it, it is
    /// one. The sides are compared by time per operation.
    pub fn count(&mut self, operations: u64) {
        if self.phase != Phase::Wanted && self.phase != Phase::Timed {
            self.misused("count was called outside of an iteration");
        } else if operations == 0 || operations > 1 << 53 {
            self.misused("count was called with a number that is not 1 to 2^53");
        } else {
            match &mut self.mode {
                Mode::None => {}
                Mode::Side(side) => side.operations = operations,
                Mode::Alone(alone) => alone.operations = operations,
            }
        }
    }

    /// Ends the region of the iteration that is open, and begins the one called `name` (`""`:
    /// none). Each name is compared by itself, too, in the same run.
    pub fn region(&mut self, name: &str) {
        self.look_where();
        if self.phase != Phase::Timed {
            self.misused("region was called outside of begin and end");
            return;
        }
        let result = match &mut self.mode {
            Mode::None => Ok(()),
            Mode::Side(side) => side.region(name),
            Mode::Alone(alone) => alone.regions.enter(name, sys::mono_ns(), 0).map(|_| ()),
        };
        if let Err(wrong) = result {
            self.misused(wrong);
        }
    }

    /// Leaves the measurement to another process, before the first [`Duet::begin`]: to a worker
    /// that is started afterwards and calls [`Duet::open`].
    pub fn hand_on(&mut self) {
        self.look_where();
        let begun = match &self.mode {
            Mode::None => return,
            Mode::Side(side) => side.ended > 0,
            Mode::Alone(alone) => alone.warm,
        };
        if begun || self.phase == Phase::Timed || self.phase == Phase::Ended {
            self.misused("hand_on was called after begin");
            return;
        }
        if let Mode::Side(side) = std::mem::replace(&mut self.mode, Mode::None) {
            side.hand_on();
        }
        self.phase = Phase::Between;
    }

    /// The current iteration, from 0; a filler has that of the iteration it follows.
    pub fn index(&self) -> u64 {
        let (count, done) = match &self.mode {
            Mode::None => (0, false),
            Mode::Side(side) => (side.ended, side.filler || self.phase == Phase::Ended),
            Mode::Alone(alone) => {
                (alone.times.len() as u64, matches!(self.phase, Phase::Ended | Phase::Between))
            }
        };
        count - u64::from(done && count > 0)
    }

    /// Ends the measurement; alone, it prints the times.
    pub fn close(mut self) -> Result<(), Error> {
        self.look_where();
        let mut result = self.error.take().map_or(Ok(()), Err);
        match std::mem::replace(&mut self.mode, Mode::None) {
            Mode::None => {}
            Mode::Side(side) => {
                let ended = side.ended;
                if let Some(reason) = side.close() {
                    let plural = if ended == 1 { "" } else { "s" };
                    result = Err(Error(format!("stopped after {ended} iteration{plural}: {reason}")));
                }
            }
            Mode::Alone(alone) if self.misuse.is_none() => {
                result = alone.report().and_then(|text| print(&text));
            }
            Mode::Alone(_) => {}
        }
        self.misuse.map_or(result, |text| Err(Error::new(text)))
    }
}

/// Dropped without [`Duet::close`]: the runner is told, which names this side as the one that
/// left early.
impl Drop for Duet {
    fn drop(&mut self) {
        self.look_where();
        if let Mode::Side(side) = std::mem::replace(&mut self.mode, Mode::None) {
            side.close();
        }
    }
}

/// For helpers of other harnesses: measures `work` as the only benchmark of this process, in
/// batches of about 200 µs that are compared by time per call. An error: another one was measured
/// before, or the run was ended by an error.
pub fn measure<O>(name: &str, mut work: impl FnMut() -> O) -> Result<(), Error> {
    measure_batches(name, u64::MAX, || (), |()| drop(black_box(work())))
}

/// As [`measure`], with inputs that are made before each batch and outputs that are dropped after
/// it, neither of which is timed. A batch has at most `most` calls, 1 at least.
pub fn measure_batches<I, O>(
    name: &str,
    most: u64,
    mut input: impl FnMut() -> I,
    mut work: impl FnMut(I) -> O,
) -> Result<(), Error> {
    only(name)?;
    let mut d = Duet::open(name);
    let batch = calibrate(&mut input, &mut work).min(most.max(1));
    // Calls without inputs and outputs need no room for them.
    let stored = std::mem::size_of::<I>() + std::mem::size_of::<O>() > 0;
    let batch = if stored { batch.min(INPUTS_MOST) } else { batch };
    let (mut inputs, mut outputs) = (Vec::new(), Vec::with_capacity(batch as usize));
    while d.next() {
        outputs.clear();
        inputs.extend((0..batch).map(|_| input()));
        d.count(batch);
        d.begin();
        outputs.extend(inputs.drain(..).map(&mut work));
        d.end();
    }
    d.close()
}

static MEASURED: Mutex<Option<String>> = Mutex::new(None);

/// For helpers of other harnesses: whether [`measure`] or [`measure_batches`] was called.
pub fn measured() -> bool {
    MEASURED.lock().unwrap_or_else(|held| held.into_inner()).is_some()
}

const INPUTS_MOST: u64 = 10_000;

/// One benchmark of a process is measured.
fn only(name: &str) -> Result<(), Error> {
    let mut measured = MEASURED.lock().unwrap_or_else(|held| held.into_inner());
    if let Some(before) = measured.as_ref() {
        return Err(Error(format!(
            "duet measures one benchmark of a process, and that was {before}; \
             select one by its name on the command line"
        )));
    }
    *measured = Some(name.into());
    Ok(())
}

/// Calls it for some milliseconds, which also warms caches up: how many calls take 200 µs. The
/// longest call does not count: another program may have taken the CPU meanwhile.
fn calibrate<I, O>(input: &mut impl FnMut() -> I, work: &mut impl FnMut(I) -> O) -> u64 {
    const BATCH: Duration = Duration::from_micros(200);
    const WARMUP: Duration = Duration::from_millis(5);
    const SLOW: Duration = Duration::from_millis(100);
    let (mut spent, mut longest, mut calls) = (Duration::ZERO, Duration::ZERO, 0u32);
    let begin = Instant::now();
    while calls < 2 || begin.elapsed() - longest < WARMUP {
        let given = input();
        let start = Instant::now();
        black_box(work(given));
        let call = start.elapsed();
        spent += call;
        longest = longest.max(call);
        calls += 1;
        if calls == 1 && call > SLOW {
            return 1;
        }
    }
    let each = ((spent - longest) / (calls - 1)).max(Duration::from_nanos(1));
    (BATCH.as_nanos() / each.as_nanos()).max(1) as u64
}
