//! A benchmark of divan that duet can compare.
fn main() {
    divan::main();
}

fn count() -> u64 {
    std::env::var("SUM_COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

#[divan::bench]
fn sum(bencher: divan::Bencher) {
    let count = count();
    duet_divan::bench("sum", bencher, || (0..count).fold(0, |sum, i| sum ^ divan::black_box(i)));
}
