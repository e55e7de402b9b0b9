//! Names of groups, which say whose they are, and the removal of those whose server is dead.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &str = "scorer-";

/// A new name: `scorer-PIDNAMESPACE-PID-STARTTIME-NUMBER`.
pub fn new_name() -> String {
    static OWNER: OnceLock<String> = OnceLock::new();
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let owner = OWNER.get_or_init(|| {
        let pid = std::process::id();
        format!("{PREFIX}{}-{pid}-{}", pid_namespace(), start_time(pid).unwrap_or(0))
    });
    format!("{owner}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Removes the groups in a folder that belong to servers of this PID namespace which are gone.
///
/// Groups of another PID namespace are left: whether their server lives cannot be seen from here.
pub fn sweep(folder: &Path) {
    let namespace = pid_namespace();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        if let Some((owner_namespace, pid, started)) = name.to_str().and_then(owner)
            && owner_namespace == namespace
            && start_time(pid) != Some(started)
        {
            super::remove_group(&entry.path());
        }
    }
}

/// PID namespace, process and start time from a name.
fn owner(name: &str) -> Option<(u64, u32, u64)> {
    let mut fields = name.strip_prefix(PREFIX)?.split('-');
    let owner = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    fields.next()?.parse::<u64>().ok()?;
    fields.next().is_none().then_some(owner)
}

fn pid_namespace() -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

/// When a process started, in clock ticks since boot (`proc_pid_stat(5)`, field 22): with it a pid is never
/// mistaken for a later process of the same number.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command in field 2 may hold anything, but the last parenthesis is its end.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_swept_and_the_living_and_strangers_are_left() {
        let folder = std::env::temp_dir().join(format!("scorer-sweep-{}", std::process::id()));
        let namespace = pid_namespace();
        let living = new_name();
        // Pid 1 lives, but did not start at this time.
        let reused = format!("scorer-{namespace}-1-99999999999-0");
        let dead = format!("scorer-{namespace}-4194304-1-7");
        let foreign = "scorer-1-4194304-1-7".to_owned();
        let unrelated = "scorer-tests".to_owned();
        for name in [&living, &reused, &dead, &foreign, &unrelated] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        sweep(&folder);
        let left = |name: &String| folder.join(name).exists();
        assert!(left(&living) && left(&foreign) && left(&unrelated));
        assert!(!left(&reused) && !left(&dead));
        fs::remove_dir_all(&folder).unwrap();
    }
}
