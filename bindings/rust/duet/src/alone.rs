// SPDX-License-Identifier: MIT
//! A benchmark that nobody compares measures itself.
use crate::regions::Regions;
use crate::{sys, Error};
use std::fmt::Write;

pub struct Alone {
    name: String,
    iterations: u64,
    time_ns: Option<u64>,
    list: bool,
    quiet: bool, // standard output belongs to something else
    pub warm: bool,
    opened_ns: Option<u64>,
    start_ns: u64,
    pub operations: u64,
    pub times: Vec<f64>,
    pub regions: Regions,
    parts: Vec<Vec<f64>>,
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

fn duration_ns(text: &str) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match &text[split..] {
        "ns" => 1.0,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
        "ms" => 1e6,
        "" | "s" => 1e9,
        "min" | "m" => 60e9,
        "h" => 3600e9,
        "d" => 86400e9,
        _ => return None,
    };
    let value: f64 = text[..split].parse().ok()?;
    (value > 0.0).then_some((value * scale) as u64)
}

impl Alone {
    pub fn open(name: &str) -> Result<Alone, Error> {
        let time = variable("DUET_TIME");
        let count = variable("DUET_ITERATIONS");
        let iterations = match &count {
            None => 1_000_000,
            Some(text) => text.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
                Error::new(format!("DUET_ITERATIONS={text} is no number of iterations, such as 100"))
            })?,
        };
        let time_ns = match &time {
            Some(text) => Some(duration_ns(text).ok_or_else(|| {
                Error::new(format!(
                    "DUET_TIME={text} is no duration; type a number and a unit, such as 500ms"
                ))
            })?),
            None if count.is_some() => None,
            None => Some(1_000_000_000),
        };
        Ok(Alone {
            name: name.into(),
            iterations,
            time_ns,
            list: variable("DUET_TIMES").is_some_and(|text| text != "0"),
            quiet: variable("DUET_REPORT").is_some_and(|text| text == "none"),
            warm: false,
            opened_ns: None,
            start_ns: 0,
            operations: 1,
            times: Vec::with_capacity(1024),
            regions: Regions::default(),
            parts: Vec::new(),
        })
    }

    pub fn next(&mut self) -> bool {
        let now = sys::mono_ns();
        self.operations = 1;
        let Some(opened) = self.opened_ns else {
            self.opened_ns = Some(now);
            return true;
        };
        let elapsed = now - opened;
        if !self.warm {
            self.warm = self.time_ns.map_or(true, |time| elapsed >= time / 10);
            return true;
        }
        let count = self.times.len() as u64;
        let more =
            count == 0 || (count < self.iterations && self.time_ns.map_or(true, |time| elapsed < time));
        self.times.reserve(1);
        more
    }

    pub fn begin(&mut self) {
        self.regions.begin();
        self.start_ns = sys::mono_ns();
    }

    pub fn end(&mut self) {
        let now = sys::mono_ns();
        self.regions.leave(now, 0);
        if !self.warm {
            return;
        }
        let operations = self.operations as f64;
        self.times.push((now - self.start_ns) as f64 / operations);
        self.parts.resize(self.regions.visits.len(), Vec::new());
        for (part, visits) in self.parts.iter_mut().zip(&self.regions.visits) {
            if visits.any {
                part.push(visits.spent_ns as f64 / operations);
            }
        }
    }

    pub fn report(&self) -> Result<String, Error> {
        if self.quiet {
            return Ok(String::new());
        }
        if self.times.is_empty() {
            return Err(Error::new(format!(
                "{}: no iteration was measured; begin and end belong into a loop over next",
                self.name
            )));
        }
        let mut text = String::new();
        for time in self.times.iter().filter(|_| self.list) {
            let _ = writeln!(text, "{time}");
        }
        summary(&mut text, &self.name, &self.times);
        for (name, part) in self.regions.names.iter().zip(&self.parts) {
            if !part.is_empty() {
                summary(&mut text, &format!("{}: {name}", self.name), part);
            }
        }
        Ok(text)
    }
}

fn summary(text: &mut String, name: &str, times: &[f64]) {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|t| (t - mean) * (t - mean)).sum();
    let median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
    let (unit, divisor) = match mean {
        m if m >= 1e9 => ("s", 1e9),
        m if m >= 1e6 => ("ms", 1e6),
        m if m >= 1e3 => ("\u{b5}s", 1e3),
        _ => ("ns", 1.0),
    };
    let digits = match mean / divisor {
        shown if shown >= 100.0 => 1,
        shown if shown >= 10.0 => 2,
        _ => 3,
    };
    let _ = write!(text, "{name}: {:.digits$}", mean / divisor);
    if n > 1 {
        let _ = write!(text, " \u{b1} {:.digits$}", (squares / (n - 1) as f64).sqrt() / divisor);
    }
    let _ = writeln!(
        text,
        " {unit}, median {:.digits$}, min {:.digits$}, max {:.digits$} ({n} iteration{})",
        median / divisor,
        sorted[0] / divisor,
        sorted[n - 1] / divisor,
        if n == 1 { "" } else { "s" }
    );
}
