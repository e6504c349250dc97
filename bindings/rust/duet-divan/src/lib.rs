// SPDX-License-Identifier: MIT
//! Benchmarks of divan that duet compares.
//!
//! ```no_run
//! # mod my_crate { pub fn parse(text: &str) -> usize { text.len() } }
//! # const INPUT: &str = "";
//! #[divan::bench]
//! fn parse(bencher: divan::Bencher) {
//!     duet_divan::bench("parse", bencher, || my_crate::parse(INPUT));
//! }
//! # fn main() { divan::main(); }
//! ```
//!
//! Under `cargo bench` this is `bencher.bench_local(...)`. Under duet, which starts two benchmark
//! programs with the name of one benchmark, the function is called in batches of about 200 µs, which
//! are compared by time per call.
#![deny(missing_docs)]

/// Measures `work`. `name` is the function's, by which `duet cargo-bench` selects it.
pub fn bench<O>(name: &str, bencher: divan::Bencher, mut work: impl FnMut() -> O) {
    if duet::listing() {
        duet::list(name, &["--bench", &format!("(^|::){name}$")]);
        return;
    }
    if !duet::wanted() {
        bencher.bench_local(work);
        return;
    }
    // divan calls the closure as often as it likes; duet measures at the first time.
    let mut pending = true;
    bencher.bench_local(|| {
        if std::mem::take(&mut pending) {
            if let Err(error) = duet::measure(name, &mut work) {
                eprintln!("duet: {error}");
                std::process::exit(1);
            }
        }
    });
}
