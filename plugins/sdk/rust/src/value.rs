use crate::json::{decode, ends, skip_space, skip_value, SPACE};

/// Kind is the JSON type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Missing = 0,
    Null = 1,
    Boolean = 2,
    Number = 3,
    String = 4,
    Array = 5,
    Map = 6,
}

impl Kind {
    pub(crate) fn of_tag(tag: u32) -> Kind {
        match tag {
            1 => Kind::Null,
            2 => Kind::Boolean,
            3 => Kind::Number,
            4 => Kind::String,
            5 => Kind::Array,
            6 => Kind::Map,
            _ => Kind::Missing,
        }
    }

    /// of returns the kind of the value at the start of a JSON text.
    pub(crate) fn of(json: &str) -> Kind {
        match json.as_bytes().first() {
            None => Kind::Missing,
            Some(b'n') => Kind::Null,
            Some(b't') | Some(b'f') => Kind::Boolean,
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Map,
            Some(_) => Kind::Number,
        }
    }
}

/// Value is a field of an object, or a part of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub kind: Kind,
    /// The decoded string, or the JSON text of any other value.
    pub text: String,
}

impl Value {
    /// Makes a value of JSON text, without surrounding space. Text that is not JSON yields an
    /// arbitrary value.
    pub fn of(json: &str) -> Value {
        let json = json.trim_matches(SPACE);
        let kind = Kind::of(json);
        let text = if kind == Kind::String { decode(json) } else { json.to_string() };
        Value { kind, text }
    }

    pub fn missing() -> Value {
        Value { kind: Kind::Missing, text: String::new() }
    }

    /// Reports whether the value is present, null included.
    pub fn exists(&self) -> bool {
        self.kind != Kind::Missing
    }

    /// Returns the string, "" for any other value.
    pub fn string(&self) -> &str {
        if self.kind == Kind::String {
            &self.text
        } else {
            ""
        }
    }

    /// Reports whether the value is true.
    pub fn bool(&self) -> bool {
        self.kind == Kind::Boolean && self.text == "true"
    }

    /// Returns the number if it is an integer.
    pub fn int(&self) -> Option<i64> {
        match self.kind {
            Kind::Number => self.text.parse().ok(),
            _ => None,
        }
    }

    /// Returns a member of a map. It is missing if the value is not a map.
    pub fn member(&self, name: &str) -> Value {
        let mut found = None; // the last duplicate counts
        if self.kind == Kind::Map {
            self.walk(|n, json| {
                if n == name {
                    found = Some(json);
                }
            });
        }
        found.map_or_else(Value::missing, Value::of)
    }

    /// Returns the values in an array or a map; any other value has no items.
    pub fn items(&self) -> Vec<Value> {
        let mut items = Vec::new();
        self.walk(|_, json| items.push(Value::of(json)));
        items
    }

    /// Returns the names of a map's members, in the order of items.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.kind == Kind::Map {
            self.walk(|name, _| names.push(name));
        }
        names
    }

    fn walk<'a>(&'a self, mut each: impl FnMut(String, &'a str)) {
        if self.kind != Kind::Array && self.kind != Kind::Map {
            return;
        }
        let mut at = skip_space(self.text.get(1..).unwrap_or(""));
        while !at.is_empty() && !ends(at) {
            let mut name = String::new();
            if self.kind == Kind::Map {
                let rest = skip_value(at);
                name = decode(&at[..at.len() - rest.len()]);
                let rest = skip_space(rest);
                at = skip_space(rest.strip_prefix(':').unwrap_or(rest));
            }
            let rest = skip_value(at);
            if rest.len() == at.len() {
                return; // there was no value
            }
            each(name, &at[..at.len() - rest.len()]);
            let rest = skip_space(rest);
            at = skip_space(rest.strip_prefix(',').unwrap_or(rest));
        }
    }
}
