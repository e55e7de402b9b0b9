//= why = "the same by doubling one Vec"
//= cpu_limit_s = 3.0
fn main() {
    let mut numbers = Vec::new();
    for number in 0u64.. {
        numbers.push(number);
    }
    println!("{}", numbers.len());
}
