// The text is a doubly linked ring of cells in three arrays; cell 0 stands for both ends, so every key,
// also a jump to an end, takes constant time.
use std::io::{self, Read, Write};

const END: usize = 0;

struct Editor {
    letters: Vec<u8>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The cell to the left of the cursor.
    left: usize,
}

impl Editor {
    fn new(capacity: usize) -> Self {
        let mut editor = Editor {
            letters: Vec::with_capacity(capacity + 1),
            next: Vec::with_capacity(capacity + 1),
            previous: Vec::with_capacity(capacity + 1),
            left: END,
        };
        editor.letters.push(b'\n');
        editor.next.push(0);
        editor.previous.push(0);
        editor
    }

    fn right(&self) -> usize {
        self.next[self.left] as usize
    }

    fn connect(&mut self, left: usize, right: usize) {
        self.next[left] = u32::try_from(right).expect("at most two million cells");
        self.previous[right] = u32::try_from(left).expect("at most two million cells");
    }

    fn insert(&mut self, letter: u8) {
        let cell = self.letters.len();
        let right = self.right();
        self.letters.push(letter);
        self.next.push(0);
        self.previous.push(0);
        self.connect(self.left, cell);
        self.connect(cell, right);
        self.left = cell;
    }

    fn press(&mut self, key: u8) {
        match key {
            b'<' if self.left != END => self.left = self.previous[self.left] as usize,
            b'>' if self.right() != END => self.left = self.right(),
            b'[' => self.left = END,
            b']' => self.left = self.previous[END] as usize,
            b'-' if self.left != END => {
                let (before, right) = (self.previous[self.left] as usize, self.right());
                self.connect(before, right);
                self.left = before;
            }
            b'/' if self.right() != END => {
                let after = self.next[self.right()] as usize;
                self.connect(self.left, after);
            }
            b'a'..=b'z' => self.insert(key),
            _ => {}
        }
    }
}

fn main() {
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input).expect("read");
    let mut editor = Editor::new(input.len());
    for &key in input.split(|&byte| byte == b'\n').nth(1).expect("the keys") {
        editor.press(key);
    }
    let mut text = Vec::with_capacity(input.len());
    let mut cursor = 0;
    let mut cell = editor.next[END] as usize;
    while cell != END {
        text.push(editor.letters[cell]);
        if cell == editor.left {
            cursor = text.len();
        }
        cell = editor.next[cell] as usize;
    }
    let mut output = format!("{} {cursor}\n", text.len()).into_bytes();
    output.extend_from_slice(if text.is_empty() { b"-" } else { &text });
    output.push(b'\n');
    io::stdout().write_all(&output).expect("write");
}
