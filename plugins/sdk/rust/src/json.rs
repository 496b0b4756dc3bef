//! A writer of JSON, and a reader of JSON that the host has validated. Text that is not valid
//! yields wrong values, but is never read beyond its end.

use std::fmt;

pub(crate) const SPACE: &[char] = &[' ', '\t', '\n', '\r'];

/// skip_space returns the text after its leading space.
pub(crate) fn skip_space(json: &str) -> &str {
    json.trim_start_matches(SPACE)
}

/// ends reports whether an array or a map ends here.
pub(crate) fn ends(json: &str) -> bool {
    json.starts_with([']', '}'])
}

fn string_length(json: &[u8]) -> usize {
    let mut at = 1;
    while at < json.len() {
        match json[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    json.len()
}

/// skip_value returns the text after its first value.
pub(crate) fn skip_value(json: &str) -> &str {
    let bytes = json.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += string_length(&bytes[at..]);
                if depth == 0 {
                    break;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => break,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    at += 1;
                    break;
                }
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => break,
            _ => {}
        }
        at += 1;
    }
    &json[at..] // at is at an ASCII character or the end
}

/// decode decodes a JSON string, given with its quotes.
pub(crate) fn decode(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let mut chars = rest.chars();
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('u') => {
                let (c, behind) = unicode(chars.as_str());
                text.push(c);
                rest = behind;
                continue;
            }
            Some(c) => text.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text
}

/// unicode reads what follows \u, and the second half of a surrogate pair; a half without the other
/// is U+FFFD.
fn unicode(text: &str) -> (char, &str) {
    let (first, rest) = hex4(text);
    if (0xd800..0xdc00).contains(&first) {
        if let Some((second, behind)) = rest.strip_prefix("\\u").map(hex4) {
            if (0xdc00..0xe000).contains(&second) {
                let c = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return (char::from_u32(c).unwrap_or('\u{fffd}'), behind);
            }
        }
    }
    (char::from_u32(first).unwrap_or('\u{fffd}'), rest)
}

fn hex4(text: &str) -> (u32, &str) {
    match text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(n) => (n, &text[4..]),
        None => (0xfffd, text),
    }
}

/// Returns a text as a JSON string, for output and for messages.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// MapWriter writes a JSON object; to_string returns it.
#[derive(Default)]
pub struct MapWriter {
    members: String,
}

impl MapWriter {
    pub fn new() -> MapWriter {
        MapWriter::default()
    }

    pub fn string(&mut self, name: &str, text: impl AsRef<str>) -> &mut Self {
        self.json(name, quote(text.as_ref()))
    }

    pub fn int(&mut self, name: &str, n: i64) -> &mut Self {
        self.json(name, n)
    }

    pub fn bool(&mut self, name: &str, b: bool) -> &mut Self {
        self.json(name, b)
    }

    /// Adds a value that is already JSON.
    pub fn json(&mut self, name: &str, json: impl ToString) -> &mut Self {
        if !self.members.is_empty() {
            self.members.push(',');
        }
        self.members.push_str(&quote(name));
        self.members.push(':');
        self.members.push_str(&json.to_string());
        self
    }
}

impl fmt::Display for MapWriter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{{{}}}", self.members)
    }
}

/// ListWriter writes a JSON array; to_string returns it.
#[derive(Default)]
pub struct ListWriter {
    items: String,
}

impl ListWriter {
    pub fn new() -> ListWriter {
        ListWriter::default()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn string(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.json(quote(text.as_ref()))
    }

    pub fn int(&mut self, n: i64) -> &mut Self {
        self.json(n)
    }

    pub fn bool(&mut self, b: bool) -> &mut Self {
        self.json(b)
    }

    /// Adds a value that is already JSON.
    pub fn json(&mut self, json: impl ToString) -> &mut Self {
        if !self.items.is_empty() {
            self.items.push(',');
        }
        self.items.push_str(&json.to_string());
        self
    }
}

impl fmt::Display for ListWriter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "[{}]", self.items)
    }
}
