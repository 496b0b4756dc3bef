//! Kubernetes timestamps.

/// parse returns the seconds since 1970 of a time such as 2026-01-02T03:04:05Z, the only form of
/// such fields, and None for any other text.
pub fn parse(text: &str) -> Option<u64> {
    let form = text.len() == 20 && text.bytes().zip(*b"0000-00-00T00:00:00Z").all(|(is, like)| match like {
        b'0' => is.is_ascii_digit(),
        like => is == like,
    });
    if !form {
        return None;
    }
    let number = |at: usize, digits: usize| text[at..at + digits].parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // A year starts in March here, so that the leap day is at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    const TO_1970: u64 = 719_468;
    Some((days - TO_1970) * 86400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times() {
        for (text, want) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1972-02-29T00:00:01Z", Some(68_169_601)),
            ("2000-02-29T12:00:00Z", Some(951_825_600)),
            ("2026-01-02T03:04:05Z", Some(1_767_323_045)),
            ("2100-03-01T00:00:00Z", Some(4_107_542_400)),
            ("9999-12-31T23:59:60Z", Some(253_402_300_800)),
            ("1969-12-31T23:59:59Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-00-01T00:00:00Z", None),
            ("2026-01-32T00:00:00Z", None),
            ("2026-01-01T24:00:00Z", None),
            ("2026-01-02T03:04:05+", None),
            ("2026-01-02 03:04:05Z", None),
            ("2026-01-02T03:04:0ä", None),
            ("+026-01-02T03:04:05Z", None),
            ("", None),
        ] {
            assert_eq!(parse(text), want, "{}", text);
        }
    }
}
