//! What tests/bindings/test_conformance.py asks of every binding:
//! conformance WHAT WORK [ITERATION].
use duet::Duet;
use std::hint::black_box;
use std::process::{exit, Command, Stdio};

fn work(thousands: u64) {
    let mut sum = 0u64;
    for i in 0..thousands * 1000 {
        sum = sum.wrapping_add(i ^ (sum << 1));
    }
    black_box(sum);
}

fn plain(words: &[String]) -> bool {
    let mut command = Command::new(&words[0]);
    command.args(["plain", &words[2]]).stdin(Stdio::null());
    command.status().map(|status| status.success()).unwrap_or(false)
}

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
}

/// In the child nothing is wanted, nor printed.
fn child_takes_no_part(d: &mut Duet) {
    let mut status = 0;
    match unsafe { fork() } {
        0 => {
            let wanted = d.next();
            d.begin();
            d.end();
            // As at the end of main().
            let closed = unsafe { std::ptr::read(d) }.close();
            exit(if wanted || closed.is_err() { 9 } else { 0 })
        }
        pid => {
            if unsafe { waitpid(pid, &mut status, 0) } != pid || status != 0 {
                exit(9);
            }
        }
    }
}

fn measure(words: &[String]) -> Result<(), duet::Error> {
    let what = words[1].as_str();
    let thousands: u64 = words[2].parse().unwrap();
    let number: u64 = words.get(3).map_or(0, |text| text.parse().unwrap());
    let mut d = Duet::open("conformance");
    if what == "hand-on" {
        d.hand_on();
        if !plain(words) {
            exit(1);
        }
    }
    let mut done = 0;
    // Any thread may drive it.
    let (mut d, done) = std::thread::scope(|scope| {
        scope
            .spawn(move || {
                while d.next() {
                    if what == "skip" {
                        std::thread::sleep(std::time::Duration::from_millis(100));
                        continue;
                    }
                    match what {
                        "misuse" => d.end(),
                        "count" => d.count(number),
                        "second" if done == 0 && plain(words) => exit(9),
                        "fork" if done == 1 => child_takes_no_part(&mut d),
                        _ => {}
                    }
                    d.begin();
                    match what {
                        "kill" if done == number => {
                            let me = std::process::id().to_string();
                            let _ = Command::new("kill").args(["-9", &me]).status();
                        }
                        "count" => work(thousands * number),
                        "region" => {
                            d.region("parse");
                            work(thousands);
                            d.region("run");
                            work(thousands);
                        }
                        _ => work(thousands),
                    }
                    d.end();
                    done += 1;
                }
                (d, done)
            })
            .join()
            .unwrap()
    });
    if what == "report" {
        eprintln!("{} {done}", if d.attached() { "attached" } else { "alone" });
    }
    d.next(); // after the end: still false
    d.close()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Err(error) = measure(&words) {
        eprintln!("{}: {error}", std::any::type_name::<duet::Error>());
        exit(1);
    }
}
