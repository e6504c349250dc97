// SPDX-License-Identifier: MIT
//! The page, version 2: docs/protocol.md has every number below.
use crate::{sys, Error};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

pub const VERSION: u32 = 2;
const MAGIC: u64 = u64::from_le_bytes(*b"DUETPAG1");
const PAGE_BYTES: usize = 657_664;
pub const RING_RECORDS: u64 = 4096;
const RECORD_BYTES: usize = 80;
const RING_OFFSET: usize = 2304;
pub const NEVER: u64 = u64::MAX;
pub const REGIONS_MAX: usize = 16;
pub const REGION_BYTES: usize = 32;

const NONCE: usize = 40;
pub const RUN_TIME: usize = 48;
pub const LEAST: usize = 64;
pub const LIMIT: usize = 128;
pub const STOP: usize = 136;
pub const ABORT: usize = 140;
pub const LAST: usize = 144;
pub const BEGIN: usize = 256;
pub const END: usize = 512;
pub const SECOND: usize = 128;
pub const SLOTS: usize = 768;
pub const SLOT_BYTES: usize = 768;
pub const CLAIM: usize = 0;
pub const STATE: usize = 8;
pub const TRAITS: usize = 12;
pub const HEAD: usize = 16;
pub const FILLERS: usize = 24;
pub const ENDED: usize = 32;
pub const EXPECTED: usize = 40;
pub const REGIONS: usize = 48;
pub const DRAINED: usize = 128;
pub const WAKE: usize = 136;
pub const NAMES: usize = 256;

pub const FREE: u32 = 0;
pub const ATTACHED: u32 = 1;
pub const FULL: u32 = 2;
pub const CLOSED: u32 = 3;
pub const LOST: u32 = 4;
pub const TRAIT_FUTEX: u32 = 1;
pub const TRAIT_ASLEEP: u32 = 2;

pub const SOLO: u32 = 1;
pub const NO_SPIN: u32 = 2;
pub const USAGE: u32 = 4;
pub const CPU_TIME: u32 = 8;
pub const FILL: u32 = 16;
pub const NO_END: u32 = 32;

pub const RECORD_SLEPT: u16 = 1;
pub const RECORD_NO_USAGE: u16 = 2;
pub const RECORD_PREEMPTED: u16 = 4;
pub const RECORD_CPU_MOVED: u16 = 8;
pub const RECORD_DELAY: u16 = 16;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Record {
    pub start_ns: u64,
    pub end_ns: u64,
    pub cpu_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub delay_ns: u64,
    pub operations: u64,
    pub voluntary: u32,
    pub involuntary: u32,
    pub minor_faults: u32,
    pub major_faults: u32,
    pub cpu: u32,
    pub flags: u16,
    pub region: u16,
}
const _: () = assert!(std::mem::size_of::<Record>() == RECORD_BYTES);

pub const VARIABLE: &str = "DUET_ATTACH";

#[derive(Clone, Copy)]
pub struct Attach {
    pub page_fd: RawFd,
    pub bell_fd: RawFd,
    pub pid: i32,
    pub slot: usize,
    pub nonce: u64,
}

impl Attach {
    pub fn parse(text: &str) -> Result<Attach, Error> {
        let shown: String = text.chars().take(100).collect();
        let malformed =
            || Error::new(format!("{VARIABLE} is malformed: '{shown}'; unset it to work without duet"));
        let fields: Vec<&str> = text.split(':').collect();
        let version = fields[0].strip_prefix('v').ok_or_else(malformed)?;
        let digits = !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
        if digits && fields.len() > 1 && version != VERSION.to_string() {
            return Err(Error::new(format!(
                "{VARIABLE} names protocol version {version}, this crate knows {VERSION}; \
                 build the benchmark with the duet that runs it"
            )));
        }
        let wanted =
            [("page=", 4, 10), ("bell=", 4, 10), ("pid=", 10, 10), ("slot=", 1, 10), ("nonce=", 16, 16)];
        if !digits || fields.len() != wanted.len() + 1 {
            return Err(malformed());
        }
        let mut values = [0u64; 5];
        for (i, (key, width, base)) in wanted.into_iter().enumerate() {
            let digits = fields[i + 1].strip_prefix(key).ok_or_else(malformed)?;
            if digits.len() != width
                || digits.bytes().any(|b| !b.is_ascii_hexdigit() || b.is_ascii_uppercase())
            {
                return Err(malformed());
            }
            values[i] = u64::from_str_radix(digits, base).map_err(|_| malformed())?;
        }
        if values[2] == 0 || values[2] > i32::MAX as u64 || values[3] > 1 {
            return Err(malformed());
        }
        Ok(Attach {
            page_fd: values[0] as RawFd,
            bell_fd: values[1] as RawFd,
            pid: values[2] as i32,
            slot: values[3] as usize,
            nonce: values[4],
        })
    }

    pub fn path(&self, fd: RawFd) -> String {
        format!("/proc/{}/fd/{}", self.pid, fd)
    }
}

/// The mapped page. Other processes change it, so that it is only reached by atomic operations,
/// and by records and names that nobody else writes.
pub struct Page {
    base: *mut u8,
    pub flags: u32,
}

unsafe impl Send for Page {}

/// Whether another version is the reason.
type MapError = (bool, Error);

impl Page {
    pub fn map(fd: RawFd, nonce: u64) -> Result<Page, MapError> {
        const SEALS: i32 = 1 | 2 | 4;
        let wrong = |what: String| (false, Error::new(what));
        let seals = unsafe { sys::fcntl(fd, sys::F_GET_SEALS) };
        if seals < 0 {
            return Err(wrong(format!("descriptor {fd} is not a shared page")));
        }
        let file = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        let bytes = file.metadata().map(|m| m.len()).unwrap_or(0);
        if seals & SEALS != SEALS || bytes < LIMIT as u64 {
            return Err(wrong(format!("descriptor {fd} is not a sealed shared page")));
        }
        let base = unsafe {
            sys::mmap(std::ptr::null_mut(), bytes as usize, sys::PROT_READ_WRITE, sys::MAP_SHARED, fd, 0)
        };
        if base as isize == -1 {
            return Err(wrong("cannot map the shared page".into()));
        }
        let mut page = Page { base: base.cast(), flags: 0 };
        if let Err(error) = page.check(nonce, bytes as usize) {
            unsafe { sys::munmap(base, bytes as usize) };
            std::mem::forget(page);
            return Err(error);
        }
        page.flags = page.u32(28).load(Relaxed);
        Ok(page)
    }

    fn check(&self, nonce: u64, bytes: usize) -> Result<(), MapError> {
        let word = |at: usize| self.u32(at).load(Relaxed);
        if self.u64(0).load(Relaxed) != MAGIC || self.u64(NONCE).load(Relaxed) != nonce {
            return Err((false, Error::new("the inherited descriptor is not this run's shared page")));
        }
        if word(8) != VERSION {
            return Err((
                true,
                Error::new(format!(
                    "the shared page has layout version {}, this crate knows {VERSION}; \
                     build the benchmark with the duet that runs it",
                    word(8)
                )),
            ));
        }
        let ring = RING_RECORDS as usize * RECORD_BYTES;
        let fits = bytes == PAGE_BYTES
            && word(12) as usize == PAGE_BYTES
            && word(16) == 2
            && u64::from(word(20)) == RING_RECORDS
            && word(24) as usize == RECORD_BYTES
            && word(28) & !63 == 0
            && word(32) as usize == RING_OFFSET
            && word(36) as usize == RING_OFFSET + ring;
        if fits {
            Ok(())
        } else {
            Err((false, Error::new(format!("the shared page's header contradicts layout version {VERSION}"))))
        }
    }

    /// From the inherited descriptor or, where a launcher has closed it, the runner's.
    pub fn find(attach: &Attach) -> Result<Page, Error> {
        let inherited = match Page::map(attach.page_fd, attach.nonce) {
            Ok(page) => {
                unsafe { sys::fcntl(attach.page_fd, sys::F_SETFD, sys::FD_CLOEXEC) };
                return Ok(page);
            }
            Err((true, error)) => return Err(error),
            Err((false, error)) => error,
        };
        let path = attach.path(attach.page_fd);
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(|_| {
            Error::new(format!(
                "{}; nor can it be opened as {path} ({VARIABLE} is of a run that is over, or of another container)",
                inherited.message()
            ))
        })?;
        Page::map(file.as_raw_fd(), attach.nonce).map_err(|(_, error)| error)
    }

    #[inline]
    pub fn u32(&self, offset: usize) -> &AtomicU32 {
        debug_assert!(offset + 4 <= PAGE_BYTES && offset % 4 == 0);
        unsafe { &*self.base.add(offset).cast() }
    }

    #[inline]
    pub fn u64(&self, offset: usize) -> &AtomicU64 {
        debug_assert!(offset + 8 <= PAGE_BYTES && offset % 8 == 0);
        unsafe { &*self.base.add(offset).cast() }
    }

    /// Writes record `n` of a slot, which is this process's.
    #[inline]
    pub fn put(&self, slot: usize, n: u64, record: &Record) {
        let index = slot * RING_RECORDS as usize + (n % RING_RECORDS) as usize;
        unsafe { self.base.add(RING_OFFSET + index * RECORD_BYTES).cast::<Record>().write_volatile(*record) };
    }

    /// Writes the name of region `n`, from 0, of this process's slot.
    pub fn put_name(&self, slot: usize, n: usize, name: &str) {
        let at = SLOTS + slot * SLOT_BYTES + NAMES + n * REGION_BYTES;
        for (i, byte) in name.bytes().take(REGION_BYTES - 1).enumerate() {
            unsafe { self.base.add(at + i).write_volatile(byte) };
        }
    }

    pub fn dont_fork(&self) {
        unsafe { sys::madvise(self.base.cast(), PAGE_BYTES, sys::MADV_DONTFORK) };
    }

    /// Takes the slot at `slot` for this process.
    pub fn claim(&self, slot: usize) -> Result<(), Error> {
        let pid = u64::from(std::process::id());
        match self.u64(slot + CLAIM).compare_exchange(0, pid, AcqRel, Acquire) {
            Ok(_) => {
                self.u32(slot + TRAITS).store(TRAIT_FUTEX, Relaxed);
                self.u32(slot + STATE).store(ATTACHED, Release);
                Ok(())
            }
            Err(owner) if owner == pid => Err(Error::new(
                "this process attached twice; call Duet::open once and use its result for all iterations",
            )),
            Err(owner) => {
                let name = std::fs::read_to_string(format!("/proc/{owner}/comm"));
                Err(Error::new(format!(
                    "process {owner} ({}) already takes part in the measurement, and each side is one process; \
                     let it call hand_on before this one attaches, or start this one without {VARIABLE}",
                    name.as_deref().map(str::trim).unwrap_or("which has ended")
                )))
            }
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        unsafe { sys::munmap(self.base.cast(), PAGE_BYTES) };
    }
}

/// The bell, and whether it was opened here. visible: the pid leads to the runner. Else what it leads
/// to is anybody's, and its pipes are not written to.
pub fn find_bell(attach: &Attach, visible: bool) -> Result<(RawFd, bool), Error> {
    let path = attach.path(attach.bell_fd);
    let is_end = |file: &File| {
        let flags = unsafe { sys::fcntl(file.as_raw_fd(), sys::F_GETFL) };
        flags >= 0 && flags & 3 == 1 && file.metadata().map(|m| m.file_type().is_fifo()).unwrap_or(false)
    };
    if unsafe { sys::fcntl(attach.bell_fd, sys::F_GETFL) } >= 0 {
        let file = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(attach.bell_fd) });
        let same = match (file.metadata(), std::fs::metadata(&path)) {
            (Ok(mine), Ok(theirs)) if visible => mine.dev() == theirs.dev() && mine.ino() == theirs.ino(),
            (Ok(_), _) => true,
            _ => false,
        };
        if same && is_end(&file) {
            unsafe { sys::fcntl(attach.bell_fd, sys::F_SETFD, sys::FD_CLOEXEC) };
            return Ok((attach.bell_fd, false));
        }
    }
    const O_NONBLOCK: i32 = 0o4000;
    let opened =
        if visible { OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(&path).ok() } else { None };
    match opened {
        Some(file) if is_end(&file) => Ok((file.into_raw_fd(), true)),
        _ => Err(Error::new(format!(
            "cannot reach duet's bell, neither as descriptor {} nor as {path}",
            attach.bell_fd
        ))),
    }
}

pub fn abort_text(reason: u32) -> &'static str {
    const TEXTS: [&str; 8] = [
        "nothing happened",
        "the other side died",
        "the other side was stopped",
        "the other side left early",
        "the other side never attached",
        "the time limit is over",
        "the measurement was interrupted",
        "duet itself failed",
    ];
    TEXTS.get(reason as usize).copied().unwrap_or("unknown reason")
}
