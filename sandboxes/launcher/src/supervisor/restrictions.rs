//! What a program may ask of the kernel: a list of allowed system calls, and Landlock's rules for files.
//!
//! The list is of what is allowed: a system call that is not on it, or not known yet, fails with ENOSYS, which
//! every honest program must survive, since older kernels lack it too. A few are refused with EPERM, where that
//! is the error that programs know how to take. Nothing is killed, except code for another architecture.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::root::DEVICES;
use crate::protocol::{Attempt, Failure};

/// The compiled filters.
///
/// Installing a filter costs the kernel a pass over it for each system call that exists (it learns which it may
/// let through without asking): half a millisecond for the list of what is allowed. So the list is installed once
/// a sandbox, in the zygote, and inherited; what the zygote and those between it and the program need in addition
/// is on it, and taken away by a second, short filter just before the program starts.
pub struct Restrictions {
    /// What any process of the sandbox may do.
    pub shared: BpfProgram,
    /// What a program may not do of that.
    pub last: BpfProgram,
}

/// SIGCONT, by which a program could undo that it was frozen: see `freeze.rs`. Each system call that could have it
/// sent, and the argument that names the signal, with the bits of it that do. `timer_create` takes it by reference,
/// and is not allowed at all.
const SIGNAL_SENDERS: [(libc::c_long, u8, u64); 7] = [
    (libc::SYS_kill, 1, u32::MAX as u64),
    (libc::SYS_tkill, 1, u32::MAX as u64),
    (libc::SYS_tgkill, 2, u32::MAX as u64),
    (libc::SYS_rt_sigqueueinfo, 1, u32::MAX as u64),
    (libc::SYS_rt_tgsigqueueinfo, 2, u32::MAX as u64),
    (libc::SYS_pidfd_send_signal, 1, u32::MAX as u64),
    // The signal that a parent gets at the end of a child.
    (libc::SYS_clone, 0, 0xff),
];

/// New namespaces, which `clone` must not make. (Those of `clone3`, whose flags a filter cannot see, are ruled
/// out by refusing it: the C library then uses `clone`.)
const NEW_NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Requests that need nothing but the descriptor. TIOCSTI, which types into a terminal, is not among them.
const IOCTLS: [u64; 9] = [
    libc::TCGETS,
    libc::TIOCGWINSZ,
    libc::TIOCGPGRP,
    libc::FIONREAD,
    libc::FIONBIO,
    libc::FIOCLEX,
    libc::FIONCLEX,
    libc::FIOASYNC,
    0x802c_542a, // TCGETS2
];

const PRCTLS: [i32; 14] = [
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_SET_PDEATHSIG,
    libc::PR_GET_PDEATHSIG,
    libc::PR_SET_DUMPABLE,
    libc::PR_GET_DUMPABLE,
    libc::PR_CAPBSET_READ,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_SET_TIMERSLACK,
    libc::PR_GET_TIMERSLACK,
    libc::PR_SET_VMA,
    // Need a capability.
    libc::PR_CAPBSET_DROP,
    libc::PR_SET_SECUREBITS,
];

/// Refused to programs with EPERM.
const REFUSED: [libc::c_long; 25] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_reboot,
    libc::SYS_personality,
    // A program stays on the core of its place, so that its threads take no other program's time.
    libc::SYS_sched_setaffinity,
    // With what the scratch of a run is mounted.
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_seccomp,
];

/// Commands of `fcntl` refused with EPERM: locks and leases (see `flock` below), notices of changes, and the choice
/// of the signal that tells of input, which could be SIGCONT.
const REFUSED_FCNTLS: [i32; 10] = [
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_SETLEASE,
    libc::F_GETLEASE,
    libc::F_NOTIFY,
    10, // F_SETSIG
];

/// The types of unnamed sockets. A datagram socket is not among them: it can come by a name without `bind`, lose
/// its peer, and then be reached from every run of its sandbox where Landlock does not forbid it.
const SOCKET_TYPES: [i32; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
/// The bits of a socket's type that are no flags.
const SOCKET_TYPE_MASK: u64 = 0xf;

/// What is not on it, and missed: `flock`. Locks on what all sandboxes see, `/dev/null` for one, would carry bits from
/// one run to another. It is said not to exist: those who lock files of their own, as torch's compiler does, then do
/// it by the existence of a file, as on file systems without locks.
#[rustfmt::skip]
const ALLOWED: &[libc::c_long] = &[
    // files
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64, libc::SYS_pwrite64,
    libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_openat,
    libc::SYS_openat2, libc::SYS_close, libc::SYS_close_range, libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx,
    libc::SYS_statfs, libc::SYS_fstatfs, libc::SYS_lseek, libc::SYS_dup, libc::SYS_dup3, libc::SYS_fcntl,
    libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync_file_range, libc::SYS_truncate,
    libc::SYS_ftruncate, libc::SYS_fallocate, libc::SYS_fadvise64, libc::SYS_readahead, libc::SYS_getdents64,
    libc::SYS_getcwd, libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_renameat2, libc::SYS_mkdirat,
    libc::SYS_unlinkat, libc::SYS_linkat, libc::SYS_symlinkat, libc::SYS_readlinkat, libc::SYS_faccessat,
    libc::SYS_faccessat2, libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchownat, libc::SYS_fchown,
    libc::SYS_umask, libc::SYS_utimensat, libc::SYS_mknodat, libc::SYS_sendfile, libc::SYS_copy_file_range,
    libc::SYS_splice, libc::SYS_tee, libc::SYS_vmsplice, libc::SYS_pipe2, libc::SYS_getxattr,
    libc::SYS_lgetxattr, libc::SYS_fgetxattr, libc::SYS_listxattr, libc::SYS_llistxattr,
    libc::SYS_flistxattr, libc::SYS_memfd_create,
    // memory
    libc::SYS_brk, libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_mprotect, libc::SYS_madvise,
    libc::SYS_mincore, libc::SYS_msync, libc::SYS_mlock, libc::SYS_mlock2, libc::SYS_munlock,
    libc::SYS_membarrier, libc::SYS_pkey_alloc, libc::SYS_pkey_free, libc::SYS_pkey_mprotect,
    // processes and threads of its own
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4,
    libc::SYS_waitid, libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal, libc::SYS_set_tid_address, libc::SYS_set_robust_list,
    libc::SYS_get_robust_list, libc::SYS_rseq, libc::SYS_futex, libc::SYS_futex_waitv,
    libc::SYS_setsid, libc::SYS_setpgid, libc::SYS_getpgid, libc::SYS_getsid,
    libc::SYS_getpid, libc::SYS_getppid, libc::SYS_gettid, libc::SYS_getuid, libc::SYS_geteuid,
    libc::SYS_getgid, libc::SYS_getegid, libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_getgroups,
    libc::SYS_capget, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_getrusage,
    libc::SYS_times, libc::SYS_getpriority, libc::SYS_setpriority, libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity, libc::SYS_sched_getparam, libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min, libc::SYS_sched_rr_get_interval,
    libc::SYS_getcpu, libc::SYS_uname, libc::SYS_sysinfo,
    // signals
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo, libc::SYS_sigaltstack, libc::SYS_signalfd4, libc::SYS_restart_syscall,
    // time
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_nanosleep,
    libc::SYS_gettimeofday, libc::SYS_getitimer, libc::SYS_setitimer,
    libc::SYS_timer_settime, libc::SYS_timer_gettime, libc::SYS_timer_getoverrun, libc::SYS_timer_delete,
    libc::SYS_timerfd_create, libc::SYS_timerfd_settime, libc::SYS_timerfd_gettime,
    // waiting
    libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd2,
    // pairs of unnamed sockets (see below), of which no other process can have an end
    libc::SYS_sendto, libc::SYS_recvfrom, libc::SYS_sendmsg, libc::SYS_recvmsg, libc::SYS_shutdown,
    libc::SYS_getsockopt, libc::SYS_setsockopt, libc::SYS_getsockname, libc::SYS_getpeername,
    libc::SYS_getrandom,
    // giving up rights, which has no effect for one that has none
    libc::SYS_capset, libc::SYS_setresuid, libc::SYS_setresgid, libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule, libc::SYS_landlock_restrict_self,
];

#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_HERE: &[libc::c_long] = &[
    libc::SYS_open, libc::SYS_creat, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_poll,
    libc::SYS_select, libc::SYS_pipe, libc::SYS_dup2, libc::SYS_alarm, libc::SYS_pause, libc::SYS_fork,
    libc::SYS_vfork, libc::SYS_getdents, libc::SYS_rename, libc::SYS_renameat, libc::SYS_mkdir,
    libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_link, libc::SYS_symlink, libc::SYS_readlink,
    libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes,
    libc::SYS_futimesat, libc::SYS_mknod, libc::SYS_getpgrp, libc::SYS_time, libc::SYS_epoll_create,
    libc::SYS_epoll_wait, libc::SYS_eventfd, libc::SYS_signalfd, libc::SYS_arch_prctl,
];
#[cfg(target_arch = "aarch64")]
const ALLOWED_HERE: &[libc::c_long] = &[libc::SYS_renameat];

impl Restrictions {
    /// Compiles the filters. With `devices` there are some beside the usual ones, whose requests nobody knows.
    pub fn new(devices: bool) -> Result<Self, Failure> {
        let build = || -> Result<_, seccompiler::BackendError> {
            let arch = TargetArch::try_from(std::env::consts::ARCH)?;
            let shared = SeccompFilter::new(
                allowed(devices)?,
                SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
                SeccompAction::Allow,
                arch,
            )?;
            let last = SeccompFilter::new(
                refused()?,
                SeccompAction::Allow,
                SeccompAction::Errno(libc::EPERM.unsigned_abs()),
                arch,
            )?;
            Ok(Self { shared: shared.try_into()?, last: last.try_into()? })
        };
        build().map_err(|error| Failure { what: format!("cannot build the filter: {error}"), errno: 0 })
    }

    /// Forbids new privileges to this process, and installs what any process of the sandbox is held to.
    pub fn install_shared(&self) -> Result<(), Failure> {
        // SAFETY: the first call takes plain values, and is what the second one asks for.
        let filtered =
            unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install(&self.shared) == 0 };
        let error = std::io::Error::last_os_error();
        if filtered { Ok(()) } else { Err(error).attempt(|| "cannot filter system calls".to_owned()) }
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn allowed(devices: bool) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules =
        // What only programs are refused passes here: of two filters the stricter decides.
        ALLOWED.iter().chain(ALLOWED_HERE).chain(&REFUSED).map(|number| (*number, Vec::new())).collect();
    let equal = |argument, values: &mut dyn Iterator<Item = u64>| {
        values
            .map(|value| {
                let length = SeccompCmpArgLen::Dword;
                SeccompRule::new(vec![SeccompCondition::new(argument, length, SeccompCmpOp::Eq, value)?])
            })
            .collect::<Result<Vec<_>, _>>()
    };
    rules.insert(libc::SYS_clone, Vec::new());
    let requests = if devices { Vec::new() } else { equal(1, &mut IOCTLS.into_iter())? };
    rules.insert(libc::SYS_ioctl, requests);
    rules.insert(
        libc::SYS_prctl,
        equal(0, &mut PRCTLS.into_iter().map(|option| u64::from(option.unsigned_abs())))?,
    );
    let pairs = SOCKET_TYPES.iter().map(|kind| {
        let is = |argument, mask, value: i32| {
            let masked = SeccompCmpOp::MaskedEq(mask);
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, masked, u64::from(value.unsigned_abs()))
        };
        SeccompRule::new(vec![is(0, u64::from(u32::MAX), libc::AF_UNIX)?, is(1, SOCKET_TYPE_MASK, *kind)?])
    });
    rules.insert(libc::SYS_socketpair, pairs.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_prlimit64, Vec::new());
    Ok(rules)
}

fn refused() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let condition = |argument, comparison, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)
    };
    let one = |argument, comparison, value| SeccompRule::new(vec![condition(argument, comparison, value)?]);
    let makes = |flag: &i32| {
        let flag = u64::from(flag.unsigned_abs());
        let set = SeccompCmpOp::MaskedEq(flag);
        SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Qword, set, flag)?])
    };
    rules.insert(libc::SYS_clone, NEW_NAMESPACES.iter().map(makes).collect::<Result<_, _>>()?);
    let go_on = u64::from(libc::SIGCONT.unsigned_abs());
    for (number, argument, mask) in SIGNAL_SENDERS {
        rules.entry(number).or_default().push(one(argument, SeccompCmpOp::MaskedEq(mask), go_on)?);
    }
    let at_parents_end = u64::from(libc::PR_SET_PDEATHSIG.unsigned_abs());
    let with_parent =
        vec![condition(0, SeccompCmpOp::Eq, at_parents_end)?, condition(1, SeccompCmpOp::Eq, go_on)?];
    rules.insert(libc::SYS_prctl, vec![SeccompRule::new(with_parent)?]);
    let command = |command: &i32| one(1, SeccompCmpOp::Eq, u64::from(command.unsigned_abs()));
    rules.insert(libc::SYS_fcntl, REFUSED_FCNTLS.iter().map(command).collect::<Result<_, _>>()?);
    // The caller's own limits only, which is what pid 0 means: where the server is not root, its init has the
    // program's user, and a program that took its descriptors away would look like a fault of the service.
    rules.insert(libc::SYS_prlimit64, vec![one(0, SeccompCmpOp::Ne, 0)?]);
    Ok(rules)
}

/// Installs a filter, which children inherit and nobody can take off; -1 with an error number if that failed.
///
/// # Safety
///
/// The process has forbidden new privileges to itself. Safe to call where memory is shared with a parent.
pub unsafe fn install(filter: &BpfProgram) -> libc::c_long {
    const { assert!(size_of::<seccompiler::sock_filter>() == size_of::<libc::sock_filter>()) };
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap_or(u16::MAX),
        filter: filter.as_ptr().cast::<libc::sock_filter>().cast_mut(),
    };
    // SAFETY: the program points to as many instructions as it says, which the kernel only reads.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) }
}

/// Landlock's rules for the mounts of this process, where the kernel has Landlock. They hold over whatever the
/// mounts allow: read and execute everywhere, write only to the scratch and to the devices that take it.
pub fn landlock_rules(devices: &[String]) -> Result<Option<OwnedFd>, Failure> {
    let build = || -> Result<Option<OwnedFd>, RulesetError> {
        let all = AccessFs::from_all(ABI::V7);
        let read = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
        let scratch = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
        let mut rules = Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(ABI::V7))?
            .scope(Scope::from_all(ABI::V7))?
            .create()?;
        let mut add = |path: &str, access: BitFlags<AccessFs>| -> Result<(), RulesetError> {
            if let Ok(place) = PathFd::new(path) {
                (&mut rules).add_rule(PathBeneath::new(place, access))?;
            }
            Ok(())
        };
        add("/", read)?;
        for folder in ["/work", "/tmp", "/dev/shm"] {
            add(folder, scratch)?;
        }
        for device in DEVICES {
            add(&format!("/dev/{device}"), AccessFs::ReadFile | AccessFs::WriteFile)?;
        }
        for device in devices {
            add(device, AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev)?;
        }
        Ok(rules.into())
    };
    build().map_err(std::io::Error::other).attempt(|| "cannot make Landlock's rules".to_owned())
}
