//= why = "every run has an empty /tmp, /dev/shm and working folder (cms#309)"
//= runs = 3
fn main() {
    for folder in ["/tmp", "/dev/shm", "."] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        assert_eq!(entries.count(), 0, "{folder} is not empty");
        let _ = std::fs::write(format!("{folder}/left"), "x");
    }
    println!("ok");
}
