//! The programs that the tests of the sandbox run: one executable, the first argument says which.
//!
//! Built by `conftest.py` with nothing but rustc. System calls that the standard library does not offer are made
//! through the C library that it links anyway.

use std::ffi::{c_int, c_long, c_void};
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> c_int;
    fn setsid() -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
    fn getppid() -> c_int;
    fn mmap(address: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64)
    -> *mut c_void;
}

const ARRAY_BYTES: usize = 800 << 20;
static mut ARRAY: [u8; ARRAY_BYTES] = [0; ARRAY_BYTES];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments[index].parse::<u64>().unwrap();
    match arguments[0].as_str() {
        "exit" => std::process::exit(number(1) as i32),
        "nothing" => {}
        "cat" => drop(std::io::copy(&mut std::io::stdin(), &mut std::io::stdout()).unwrap()),
        "echo" => println!("{}", arguments[1..].join(" ")),
        // Uses CPU time of its own clock, not time by the wall.
        "burn_ms" => burn(number(1)),
        "sleep" => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        "write_then_read" => {
            std::io::stdout().write_all(&vec![b'x'; number(1) as usize]).unwrap();
            let mut input = Vec::new();
            std::io::stdin().read_to_end(&mut input).unwrap();
            print!("{}", input.len());
        }
        "output" => write_bytes(&mut std::io::stdout(), number(1)),
        "errors" => write_bytes(&mut std::io::stderr(), number(1)),
        "output_forever" => loop {
            std::io::stdout().write_all(&[b' '; 65536]).unwrap();
        },
        "static_array" => {
            let array = &raw mut ARRAY;
            for place in (0..ARRAY_BYTES).step_by(4096) {
                unsafe { (*array)[place] = 1 };
            }
            println!("{}", black_box(unsafe { (*array)[4096] }));
        }
        "grow" => {
            let mut all: Vec<u64> = Vec::new();
            for value in 0.. {
                all.push(black_box(value));
            }
        }
        "touch_mib" => {
            let mut all = vec![0_u8; (number(1) as usize) << 20];
            for place in (0..all.len()).step_by(4096) {
                all[place] = 1;
            }
            println!("{}", black_box(all.len()));
        }
        "child_touches_mib" => {
            let status = Command::new("/program").args(["touch_mib", &arguments[1]]).status().unwrap();
            println!("child: {}", status.success());
        }
        "stack_mib" => println!("{}", dig(number(1) << 10)),
        "recurse" => println!("{}", dig(u64::MAX)),
        "panic" => panic!("on purpose"),
        "raise" => {
            unsafe { kill(std::process::id() as c_int, number(1) as c_int) };
        }
        "processes" => {
            // Sleeping children; says how many there are.
            let mut made = 0;
            for _ in 0..number(1) {
                match unsafe { fork() } {
                    0 => loop {
                        std::thread::sleep(Duration::from_secs(3600));
                    },
                    pid if pid > 0 => made += 1,
                    _ => break,
                }
            }
            println!("{made}");
            std::process::exit((made != number(1)) as i32);
        }
        "threads" => {
            let threads: Vec<_> =
                (0..number(1)).map(|_| std::thread::spawn(|| std::thread::sleep(Duration::from_millis(20)))).collect();
            println!("{}", threads.len());
        }
        "fork_bomb" => loop {
            unsafe { fork() };
        },
        // A child that goes on after its parent: in its own session, orphaned twice.
        "daemon" => {
            if unsafe { fork() } == 0 {
                unsafe { setsid() };
                if unsafe { fork() } == 0 {
                    burn(number(1));
                }
                std::process::exit(0);
            }
        }
        "burn_in_child" => {
            let mut child = Command::new("/program").args(["burn_ms", &arguments[1]]).spawn().unwrap();
            child.wait().unwrap();
        }
        "burn_in_forgotten_child" => {
            // Whoever ignores SIGCHLD never learns the CPU time of its children.
            unsafe extern "C" {
                fn signal(signal: c_int, handler: usize) -> usize;
            }
            unsafe { signal(17, 1) };
            if unsafe { fork() } == 0 {
                burn(number(1));
                std::process::exit(0);
            }
            while unsafe { syscall(61, -1_i64, 0_usize, 0_usize, 0_usize) } > 0 {}
        }
        "burn_on_threads" => {
            let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| burn_forever())).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        }
        "stop_itself" => {
            unsafe { kill(std::process::id() as c_int, 19) };
            println!("went on");
        }
        "stop_parent" => {
            let parent = unsafe { getppid() };
            println!("{parent} {}", unsafe { kill(parent, 19) });
        }
        "kill_all" => {
            unsafe { kill(-1, 9) };
            println!("alive");
        }
        "list" => {
            for folder in &arguments[1..] {
                let mut names: Vec<String> = match std::fs::read_dir(folder) {
                    Ok(entries) => entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect(),
                    Err(error) => vec![format!("{:?}", error.kind())],
                };
                names.sort();
                println!("{folder}: {}", names.join(" "));
            }
        }
        "read" => match std::fs::read(&arguments[1]) {
            Ok(content) => std::io::stdout().write_all(&content).unwrap(),
            Err(error) => println!("{:?}", error.kind()),
        },
        "write" => match std::fs::write(&arguments[1], &arguments[2]) {
            Ok(()) => println!("ok"),
            Err(error) => println!("{:?}", error.kind()),
        },
        "fill" => {
            // As much as fits, said in KiB.
            let mut file = std::fs::File::create(&arguments[1]).unwrap();
            let mut written = 0;
            while written < number(2) << 20 {
                match file.write(&[1; 65536]) {
                    Ok(length) => written += length as u64,
                    Err(error) => {
                        println!("{:?} after {} KiB", error.kind(), written >> 10);
                        return;
                    }
                }
            }
            println!("wrote {} KiB", written >> 10);
        }
        "many_files" => {
            for index in 0..number(1) {
                if let Err(error) = std::fs::write(format!("/tmp/{index}"), "") {
                    println!("{:?}", error.kind());
                    return;
                }
            }
            println!("all");
        }
        "leave" => {
            // Things that a collector could trip over.
            std::fs::write("regular", "kept").unwrap();
            std::fs::write("large", vec![0; 4096]).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", "link").unwrap();
            std::os::unix::fs::symlink("/", "root").unwrap();
            std::fs::create_dir("folder").unwrap();
            std::fs::write("folder/inner", "inside").unwrap();
            std::fs::hard_link("regular", "second").unwrap();
            std::fs::write("alone", "once").unwrap();
            assert_eq!(unsafe { syscall(133, c"fifo".as_ptr(), 0o010_666_u32, 0_u64) }, 0);
        }
        // Makes the system call of the given number and says what came of it.
        "syscall" => {
            let values: Vec<i64> = arguments[1..].iter().map(|text| text.parse().unwrap()).collect();
            let value = |index: usize| values.get(index).copied().unwrap_or(0);
            let result =
                unsafe { syscall(value(0), value(1), value(2), value(3), value(4), value(5), value(6)) };
            let errno = std::io::Error::last_os_error().raw_os_error().unwrap();
            println!("{}", if result == -1 { -i64::from(errno) } else { 0.max(result.min(1)) });
        }
        "shared_memory" => {
            // A counter in an anonymous shared mapping: what `mmap` gives, and nobody else sees.
            let memory = unsafe { mmap(std::ptr::null_mut(), 4096, 3, 0x21, -1, 0) };
            assert!(memory as isize != -1);
            println!("mapped");
        }
        "identity" => {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            for line in status.lines() {
                if ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp:"].iter().any(|name| line.starts_with(name)) {
                    println!("{}", line.replace('\t', " "));
                }
            }
        }
        "environment" => std::env::vars().for_each(|(name, value)| println!("{name}={value}")),
        "cores" => {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("Cpus_allowed_list:")).unwrap();
            println!("{}", line.split_ascii_whitespace().nth(1).unwrap());
        }
        "descriptors" => {
            for number in 0..1024 {
                // fcntl(F_GETFD)
                if unsafe { syscall(72, number as i64, 1_i64, 0_i64) } != -1 {
                    println!("{number}");
                }
            }
        }
        "rewrite_stdin" => {
            let reopened = std::fs::OpenOptions::new().write(true).open("/proc/self/fd/0");
            let outcome = reopened.and_then(|mut file| file.write_all(b"changed"));
            println!("{:?}", outcome.map_err(|error| error.kind()));
            let mut input = String::new();
            std::io::stdin().read_to_string(&mut input).unwrap();
            print!("{input}");
        }
        other => panic!("no program {other}"),
    }
}

fn write_bytes(stream: &mut impl Write, count: u64) {
    let chunk = [b'x'; 4096];
    let mut left = count as usize;
    while left > 0 {
        let length = left.min(chunk.len());
        if stream.write_all(&chunk[..length]).is_err() {
            return;
        }
        left -= length;
    }
}

/// CPU time of this process (CLOCK_PROCESS_CPUTIME_ID).
fn cpu_ms() -> u64 {
    let mut time = [0_i64; 2];
    unsafe { syscall(228, 2_i64, time.as_mut_ptr()) };
    (time[0] * 1000 + time[1] / 1_000_000) as u64
}

fn burn(milliseconds: u64) {
    let end = cpu_ms() + milliseconds;
    while cpu_ms() < end {
        for value in 0..1000_u64 {
            black_box(value);
        }
    }
}

fn burn_forever() {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(3600) {
        black_box(0);
    }
}

/// Recursion with a frame of a KiB.
#[inline(never)]
fn dig(depth: u64) -> u64 {
    let frame = black_box([depth; 120]);
    if depth == 0 { frame[0] } else { black_box(dig(depth - 1)) + black_box(frame[1]) - depth + 1 }
}
