// Package units reads durations and sizes as people and other tools write them. What it returns is
// what may be meant: who shows it checks it.
package units

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	numbersOnly = regexp.MustCompile(`^[0-9]+$`)
	amount      = regexp.MustCompile(`^([0-9]+) *([A-Za-zµ]+)$`)
	isoPeriod   = regexp.MustCompile(`^P([0-9]+D)?(?:T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$`)
	clock       = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?$`)
	size        = regexp.MustCompile(`^([0-9]+) *([KkMmGgTt])(i?[Bb])?$`)
)

// words are those for the units of durations.
var words = map[string]string{"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h",
	"hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "ms": "ms",
	"msec": "ms", "millis": "ms", "milliseconds": "ms", "millisecond": "ms"}

// Digits reports whether a text is nothing but digits.
func Digits(text string) bool { return numbersOnly.MatchString(text) }

// Duration returns the duration that a text means which is none here, "" if that is not clear.
func Duration(text string) string {
	switch word := strings.ToLower(text); {
	case amount.MatchString(word):
		parts := amount.FindStringSubmatch(word)
		switch unit := words[parts[2]]; {
		case unit != "":
			return parts[1] + unit
		case strings.HasPrefix("weeks", parts[2]) && len(parts[1]) < 7:
			weeks, _ := strconv.Atoi(parts[1])
			return strconv.Itoa(7*weeks) + "d"
		}
	case isoPeriod.MatchString(text):
		return strings.ToLower(strings.Join(isoPeriod.FindStringSubmatch(text)[1:], ""))
	case clock.MatchString(text):
		return ofClock(clock.FindStringSubmatch(text)[1:])
	}
	return ""
}

// ofClock returns a duration of hours, minutes and seconds, as in 01:30:00, "" for none.
func ofClock(parts []string) (d string) {
	for i, part := range parts {
		if n, err := strconv.Atoi(part); err == nil && n > 0 {
			d += strconv.Itoa(n) + []string{"h", "m", "s"}[i]
		}
	}
	return d
}

// Size returns the quantity of bytes that a text means which is none here, "" if that is not clear.
func Size(text string) string {
	parts := size.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	return parts[1] + strings.ToUpper(parts[2]) + "i"
}
