// SPDX-License-Identifier: MIT
//! Criterion's interface for benchmarks that duet compares. In Cargo.toml, instead of criterion:
//!
//! ```toml
//! [dev-dependencies]
//! criterion = { package = "duet-criterion", path = ".../bindings/rust/duet-criterion" }
//! ```
//!
//! No source changes. Under `cargo bench` it is Criterion. Under duet, which starts two benchmark
//! programs with the name of one benchmark, that one is measured in lock-step with the other side.
#![deny(missing_docs)]

pub use criterion::{
    measurement, profiler, AxisScale, BatchSize, PlotConfiguration, SamplingMode, Throughput,
};
use std::fmt::Display;
pub use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

/// What the words of the command line select; under duet alone.
#[derive(Clone, Default)]
struct Filter {
    text: Option<String>,
    exact: bool,
}

impl Filter {
    fn from_args() -> Filter {
        let mut filter = Filter::default();
        for word in std::env::args().skip(1) {
            match word.as_str() {
                "--exact" => filter.exact = true,
                word if !word.starts_with('-') => filter.text = Some(word.into()),
                _ => {}
            }
        }
        filter
    }

    fn selects(&self, id: &str) -> bool {
        self.text.as_deref().map_or(true, |text| if self.exact { id == text } else { id.contains(text) })
    }
}

/// As Criterion's, measuring wall-clock time.
#[derive(Default)]
pub struct Criterion {
    inner: criterion::Criterion,
    filter: Filter,
}

/// Settings that are Criterion's alone.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[doc = "As Criterion's; has no effect under duet."]
        #[must_use]
        pub fn $name(mut self $(, $argument: $type)*) -> Self {
            self.inner = self.inner.$name($($argument),*);
            self
        }
    )*};
}

impl Criterion {
    forward! {
        sample_size(n: usize);
        warm_up_time(time: Duration);
        measurement_time(time: Duration);
        nresamples(n: usize);
        noise_threshold(threshold: f64);
        confidence_level(level: f64);
        significance_level(level: f64);
        with_plots();
        without_plots();
        save_baseline(name: String);
        retain_baseline(name: String, strict: bool);
        with_output_color(enabled: bool);
        output_directory(path: &Path);
        profile_time(time: Option<Duration>);
    }

    /// As Criterion's; under duet the command line selects the benchmark.
    #[must_use]
    pub fn with_filter<S: Into<String>>(mut self, filter: S) -> Self {
        let text = filter.into();
        self.filter = Filter { text: Some(text.clone()), exact: false };
        self.inner = self.inner.with_filter(text);
        self
    }

    /// As Criterion's.
    #[must_use]
    pub fn configure_from_args(mut self) -> Self {
        if duet::wanted() {
            self.filter = Filter::from_args();
        } else {
            self.inner = self.inner.configure_from_args();
        }
        self
    }

    /// As Criterion's.
    pub fn final_summary(&self) {
        if !duet::wanted() && !duet::listing() {
            self.inner.final_summary();
        }
    }

    /// As Criterion's.
    pub fn benchmark_group<S: Into<String>>(&mut self, name: S) -> BenchmarkGroup<'_> {
        let name = name.into();
        BenchmarkGroup { filter: self.filter.clone(), inner: self.inner.benchmark_group(name.clone()), name }
    }

    /// As Criterion's.
    pub fn bench_function<F: FnMut(&mut Bencher)>(&mut self, id: &str, mut f: F) -> &mut Self {
        if duet::listing() {
            duet::list(id, &[id, "--exact"]);
        } else if !duet::wanted() {
            self.inner.bench_function(id, |b| f(&mut Bencher(Mode::Criterion(b))));
        } else if self.filter.selects(id) {
            f(&mut Bencher(Mode::Duet(id)));
        }
        self
    }

    /// As Criterion's.
    pub fn bench_with_input<F: FnMut(&mut Bencher, &I), I: ?Sized>(
        &mut self,
        id: BenchmarkId,
        input: &I,
        mut f: F,
    ) -> &mut Self {
        self.bench_function(&id.0, |b| f(b, input))
    }
}

/// As Criterion's.
#[derive(Clone, Debug)]
pub struct BenchmarkId(String);

impl BenchmarkId {
    /// As Criterion's.
    pub fn new<S: Into<String>, P: Display>(function: S, parameter: P) -> BenchmarkId {
        BenchmarkId(format!("{}/{parameter}", function.into()))
    }

    /// As Criterion's.
    pub fn from_parameter<P: Display>(parameter: P) -> BenchmarkId {
        BenchmarkId(parameter.to_string())
    }
}

/// A text or a [`BenchmarkId`].
pub trait IntoBenchmarkId {
    /// What is shown.
    fn into_name(self) -> String;
}

impl<S: Into<String>> IntoBenchmarkId for S {
    fn into_name(self) -> String {
        self.into()
    }
}

impl IntoBenchmarkId for BenchmarkId {
    fn into_name(self) -> String {
        self.0
    }
}

/// As Criterion's.
pub struct BenchmarkGroup<'a> {
    inner: criterion::BenchmarkGroup<'a, measurement::WallTime>,
    name: String,
    filter: Filter,
}

macro_rules! forward_group {
    ($($name:ident($argument:ident: $type:ty);)*) => {$(
        #[doc = "As Criterion's; has no effect under duet."]
        pub fn $name(&mut self, $argument: $type) -> &mut Self {
            self.inner.$name($argument);
            self
        }
    )*};
}

impl BenchmarkGroup<'_> {
    forward_group! {
        sample_size(n: usize);
        warm_up_time(time: Duration);
        measurement_time(time: Duration);
        nresamples(n: usize);
        noise_threshold(threshold: f64);
        confidence_level(level: f64);
        significance_level(level: f64);
        plot_config(config: PlotConfiguration);
        throughput(throughput: Throughput);
        sampling_mode(mode: SamplingMode);
    }

    /// As Criterion's.
    pub fn bench_function<D: IntoBenchmarkId, F: FnMut(&mut Bencher)>(
        &mut self,
        id: D,
        mut f: F,
    ) -> &mut Self {
        self.bench_with_input(id, &(), |b, ()| f(b))
    }

    /// As Criterion's.
    pub fn bench_with_input<D: IntoBenchmarkId, F: FnMut(&mut Bencher, &I), I: ?Sized>(
        &mut self,
        id: D,
        input: &I,
        mut f: F,
    ) -> &mut Self {
        let name = id.into_name();
        if !duet::wanted() && !duet::listing() {
            self.inner.bench_function(name, |b| f(&mut Bencher(Mode::Criterion(b)), input));
            return self;
        }
        let name = format!("{}/{name}", self.name);
        if duet::listing() {
            duet::list(&name, &[&name, "--exact"]);
        } else if self.filter.selects(&name) {
            f(&mut Bencher(Mode::Duet(&name)), input);
        }
        self
    }

    /// As Criterion's.
    pub fn finish(self) {
        if !duet::wanted() {
            self.inner.finish();
        }
    }
}

enum Mode<'a, 'm> {
    Criterion(&'a mut criterion::Bencher<'m>),
    Duet(&'a str),
}

/// As Criterion's. Under duet a routine is called in batches of about 200 µs, which are compared
/// by time per call.
pub struct Bencher<'a, 'm>(Mode<'a, 'm>);

/// What a measurement ended by an error ends with.
fn end(result: Result<(), duet::Error>) {
    if let Err(error) = result {
        eprintln!("duet: {error}");
        std::process::exit(1);
    }
}

impl Bencher<'_, '_> {
    /// As Criterion's.
    pub fn iter<O, R: FnMut() -> O>(&mut self, routine: R) {
        match &mut self.0 {
            Mode::Criterion(b) => b.iter(routine),
            Mode::Duet(name) => end(duet::measure(name, routine)),
        }
    }

    /// As Criterion's: outputs are dropped outside of the timed window.
    pub fn iter_with_large_drop<O, R: FnMut() -> O>(&mut self, mut routine: R) {
        match &mut self.0 {
            Mode::Criterion(b) => b.iter_with_large_drop(routine),
            Mode::Duet(name) => end(duet::measure_batches(name, u64::MAX, || (), |()| routine())),
        }
    }

    /// As Criterion's: a call of `setup` before each of `routine`, not timed.
    pub fn iter_with_setup<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(&mut self, setup: S, routine: R) {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    /// As Criterion's: inputs are made before a batch and outputs dropped after it.
    pub fn iter_batched<I, O, S: FnMut() -> I, R: FnMut(I) -> O>(
        &mut self,
        setup: S,
        routine: R,
        size: BatchSize,
    ) {
        match &mut self.0 {
            Mode::Criterion(b) => b.iter_batched(setup, routine, size),
            Mode::Duet(name) => end(duet::measure_batches(name, most(size), setup, routine)),
        }
    }

    /// As Criterion's.
    pub fn iter_batched_ref<I, O, S: FnMut() -> I, R: FnMut(&mut I) -> O>(
        &mut self,
        setup: S,
        mut routine: R,
        size: BatchSize,
    ) {
        match &mut self.0 {
            Mode::Criterion(b) => b.iter_batched_ref(setup, routine, size),
            Mode::Duet(name) => {
                let both = |mut input: I| {
                    let output = routine(&mut input);
                    (input, output) // both are dropped later
                };
                end(duet::measure_batches(name, most(size), setup, both));
            }
        }
    }

    /// As Criterion's; under duet the whole call is timed, as one iteration of one operation.
    pub fn iter_custom<R: FnMut(u64) -> Duration>(&mut self, mut routine: R) {
        match &mut self.0 {
            Mode::Criterion(b) => b.iter_custom(routine),
            Mode::Duet(name) => end(duet::measure_batches(name, 1, || (), |()| routine(1))),
        }
    }
}

/// At the end of `criterion_main!`: under duet, ends with an error where no benchmark was measured,
/// or the start of the program would be compared.
#[doc(hidden)]
pub fn require_one() {
    if duet::wanted() && !duet::listing() && !duet::measured() {
        eprintln!("duet: no benchmark was measured: select one by its name, as in 'sum --exact'");
        std::process::exit(1);
    }
}

fn most(size: BatchSize) -> u64 {
    match size {
        BatchSize::PerIteration => 1,
        BatchSize::NumIterations(n) => n,
        BatchSize::LargeInput => 100,
        _ => u64::MAX,
    }
}

/// As Criterion's.
#[macro_export]
macro_rules! criterion_group {
    (name = $name:ident; config = $config:expr; targets = $($target:path),+ $(,)*) => {
        #[doc = "Runs the benchmarks."]
        pub fn $name() {
            let mut criterion: $crate::Criterion = $config.configure_from_args();
            $($target(&mut criterion);)+
        }
    };
    ($name:ident, $($target:path),+ $(,)*) => {
        $crate::criterion_group! {
            name = $name;
            config = $crate::Criterion::default();
            targets = $($target),+
        }
    };
}

/// As Criterion's.
#[macro_export]
macro_rules! criterion_main {
    ($($group:path),+ $(,)*) => {
        fn main() {
            $($group();)+
            $crate::Criterion::default().configure_from_args().final_summary();
            $crate::require_one();
        }
    };
}
