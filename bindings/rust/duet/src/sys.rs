// SPDX-License-Identifier: MIT
//! What std does not have: the C library that std links has it.
use std::ffi::{c_int, c_long, c_void};

pub const PROT_READ_WRITE: c_int = 3;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
pub const MADV_DONTFORK: c_int = 10;
pub const MADV_WIPEONFORK: c_int = 18;
pub const F_GETFL: c_int = 3;
pub const F_SETFD: c_int = 2;
pub const F_GET_SEALS: c_int = 1034;
pub const FD_CLOEXEC: c_int = 1;
pub const EPIPE: i32 = 32;
pub const SIGPIPE: c_int = 13;
pub const SIG_BLOCK: c_int = 0;
pub const SIG_SETMASK: c_int = 2;

#[cfg(target_arch = "x86_64")]
pub const SYS_FUTEX: c_long = 202;
#[cfg(target_arch = "aarch64")]
pub const SYS_FUTEX: c_long = 98;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Timespec {
    pub sec: i64,
    pub nsec: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Timeval {
    pub sec: i64,
    pub usec: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Rusage {
    pub utime: Timeval,
    pub stime: Timeval,
    pub maxrss: [c_long; 4],
    pub minflt: c_long,
    pub majflt: c_long,
    pub nswap: [c_long; 6],
    pub nvcsw: c_long,
    pub nivcsw: c_long,
}

pub type SigSet = [u64; 16];

extern "C" {
    pub fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub fn munmap(at: *mut c_void, len: usize) -> c_int;
    pub fn madvise(at: *mut c_void, len: usize, advice: c_int) -> c_int;
    pub fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    pub fn syscall(number: c_long, ...) -> c_long;
    pub fn clock_gettime(clock: c_int, now: *mut Timespec) -> c_int;
    pub fn getrusage(who: c_int, usage: *mut Rusage) -> c_int;
    pub fn sched_getcpu() -> c_int;
    pub fn write(fd: c_int, from: *const c_void, len: usize) -> isize;
    pub fn sigemptyset(set: *mut SigSet) -> c_int;
    pub fn sigaddset(set: *mut SigSet, signal: c_int) -> c_int;
    pub fn sigpending(set: *mut SigSet) -> c_int;
    pub fn sigismember(set: *const SigSet, signal: c_int) -> c_int;
    pub fn sigtimedwait(set: *const SigSet, info: *mut c_void, timeout: *const Timespec) -> c_int;
    pub fn pthread_sigmask(how: c_int, set: *const SigSet, old: *mut SigSet) -> c_int;
}

/// The process that it was made in: the kernel wipes the page in a child of fork().
pub struct Origin(*mut u8);

const ORIGIN_BYTES: usize = 4096;

unsafe impl Send for Origin {}

impl Origin {
    pub fn new() -> Origin {
        unsafe {
            let page =
                mmap(std::ptr::null_mut(), ORIGIN_BYTES, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
            if page as isize == -1 {
                return Origin(std::ptr::null_mut());
            }
            madvise(page, ORIGIN_BYTES, MADV_WIPEONFORK);
            page.cast::<u8>().write_volatile(1);
            Origin(page.cast())
        }
    }

    #[inline]
    pub fn is_here(&self) -> bool {
        self.0.is_null() || unsafe { self.0.read_volatile() } != 0
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        if !self.0.is_null() {
            unsafe { munmap(self.0.cast(), ORIGIN_BYTES) };
        }
    }
}

fn clock_ns(clock: c_int) -> u64 {
    let mut now = Timespec::default();
    unsafe { clock_gettime(clock, &mut now) };
    now.sec as u64 * 1_000_000_000 + now.nsec as u64
}

/// CLOCK_MONOTONIC: without a system call where the kernel's clock source allows it.
#[inline]
pub fn mono_ns() -> u64 {
    clock_ns(1)
}

/// CPU time of the process.
#[inline]
pub fn cpu_ns() -> u64 {
    clock_ns(2)
}

pub fn cpu_here() -> u32 {
    unsafe { sched_getcpu() as u32 }
}

/// Rings the bell; that nobody listens any more must not kill this process.
pub fn ring_bell(fd: c_int) {
    let (mut only, mut before, mut pending): (SigSet, SigSet, SigSet) = ([0; 16], [0; 16], [0; 16]);
    unsafe {
        sigemptyset(&mut only);
        sigaddset(&mut only, SIGPIPE);
        sigpending(&mut pending);
        pthread_sigmask(SIG_BLOCK, &only, &mut before);
        if write(fd, b"\0".as_ptr().cast(), 1) < 0
            && std::io::Error::last_os_error().raw_os_error() == Some(EPIPE)
            && sigismember(&pending, SIGPIPE) == 0
        {
            sigtimedwait(&only, std::ptr::null_mut(), &Timespec::default());
        }
        pthread_sigmask(SIG_SETMASK, &before, std::ptr::null_mut());
    }
}

/// Whether the runner's descriptor at the path (None: it is not visible) is gone. A process that has
/// ended and that nobody has collected has none.
pub fn runner_gone(held: Option<&str>) -> bool {
    match held.map(std::fs::symlink_metadata) {
        Some(Err(error)) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
