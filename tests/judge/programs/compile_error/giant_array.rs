//= why = "a program of 4 GB is not made"
static ARRAY: [u8; u32::MAX as usize] = [1; u32::MAX as usize];

fn main() {
    println!("{}", ARRAY[std::env::args().count()]);
}
