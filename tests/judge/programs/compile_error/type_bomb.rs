//= why = "endless instantiation ends at a limit"
struct Deeper<T>(T);

trait Grow {
    fn grow(depth: u64);
}

impl<T> Grow for Deeper<T>
where
    Deeper<Deeper<T>>: Grow,
{
    fn grow(depth: u64) {
        <Deeper<Deeper<T>>>::grow(depth + 1);
    }
}

fn main() {
    Deeper::<u8>::grow(0);
}
