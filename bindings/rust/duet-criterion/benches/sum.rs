//! A benchmark as it is written for Criterion: only Cargo.toml names another crate.
use criterion::{black_box, criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion};
use duet_criterion as criterion; // here, inside the crate; elsewhere a rename in Cargo.toml

fn count() -> u64 {
    std::env::var("SUM_COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

fn sum(count: u64) -> u64 {
    (0..count).fold(0, |sum, i| sum ^ black_box(i))
}

fn plain(c: &mut Criterion) {
    c.bench_function("sum", |b| b.iter(|| sum(count())));
}

fn grouped(c: &mut Criterion) {
    let mut group = c.benchmark_group("group");
    group.sample_size(10);
    group.bench_with_input(BenchmarkId::new("vector", 1), &count(), |b, &count| {
        b.iter_batched(|| vec![1u64; count as usize], |v| v.iter().sum::<u64>(), BatchSize::SmallInput);
    });
    group.bench_function("reference", |b| {
        b.iter_batched_ref(|| vec![3u64, 2, 1], |v| v.sort(), BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, plain, grouped);
criterion_main!(benches);
