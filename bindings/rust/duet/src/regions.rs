// SPDX-License-Identifier: MIT
use crate::page::{REGIONS_MAX, REGION_BYTES};

#[derive(Clone, Copy, Default)]
pub struct Visits {
    pub any: bool,
    pub first_ns: u64,
    pub spent_ns: u64,
    pub spent_cpu_ns: u64,
}

/// Named parts of an iteration: which is open, and how long each took so far.
#[derive(Default)]
pub struct Regions {
    pub names: Vec<String>,
    pub visits: Vec<Visits>,
    open: Option<usize>,
    opened_ns: u64,
    opened_cpu_ns: u64,
}

impl Regions {
    pub fn begin(&mut self) {
        self.open = None;
        self.visits.fill(Visits::default());
    }

    pub fn leave(&mut self, now_ns: u64, now_cpu_ns: u64) {
        if let Some(open) = self.open.take() {
            self.visits[open].spent_ns += now_ns - self.opened_ns;
            self.visits[open].spent_cpu_ns += now_cpu_ns - self.opened_cpu_ns;
        }
    }

    /// Whether the name is a new one, the last; or what is wrong with it.
    pub fn enter(&mut self, name: &str, now_ns: u64, now_cpu_ns: u64) -> Result<bool, &'static str> {
        self.leave(now_ns, now_cpu_ns);
        if name.is_empty() {
            return Ok(false);
        }
        let known = self.names.iter().position(|n| n == name);
        let open = match known {
            Some(open) => open,
            None if name.len() >= REGION_BYTES || name.bytes().any(|b| !(b' '..=b'~').contains(&b)) => {
                return Err(
                    "region was called with a name that is not 1 to 31 printable characters of ASCII",
                );
            }
            None if self.names.len() == REGIONS_MAX => {
                return Err("region was called with more than 16 different names");
            }
            None => {
                self.names.push(name.into());
                self.visits.push(Visits::default());
                self.names.len() - 1
            }
        };
        let visits = &mut self.visits[open];
        if !visits.any {
            *visits = Visits { any: true, first_ns: now_ns, ..Visits::default() };
        }
        self.open = Some(open);
        self.opened_ns = now_ns;
        self.opened_cpu_ns = now_cpu_ns;
        Ok(known.is_none())
    }
}
