use crate::value::{Kind, Value};

pub enum Step {
    Member(String),
    Item(usize),
}

/// Path is a parsed field path.
pub struct Path(Vec<Step>);

impl Path {
    /// Splits metadata.labels["app"] or a\[0\].b into steps.
    pub fn parse(text: &str) -> Option<Path> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix("[\"") {
                let (name, behind) = quoted.split_once("\"]")?;
                steps.push(Step::Member(name.to_string()));
                rest = behind;
            } else if let Some(index) = rest.strip_prefix('[') {
                let (n, behind) = index.split_once(']')?;
                steps.push(Step::Item(n.parse().ok()?));
                rest = behind;
            } else {
                rest = rest.strip_prefix('.').unwrap_or(rest);
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let name = &rest[..end];
                if name.is_empty() || name.contains([' ', '\t', '"', ']']) {
                    return None;
                }
                steps.push(Step::Member(name.to_string()));
                rest = &rest[end..];
            }
        }
        if steps.is_empty() {
            None
        } else {
            Some(Path(steps))
        }
    }

    pub fn lookup(&self, json: &str) -> Value {
        let mut at = Value::of(json);
        for step in &self.0 {
            at = match step {
                Step::Member(name) => at.member(name),
                Step::Item(n) if at.kind == Kind::Array => at.items().get(*n).cloned().unwrap_or_else(Value::missing),
                Step::Item(_) => Value::missing(),
            };
        }
        at
    }
}
