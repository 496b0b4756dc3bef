package document

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	numbersOnly = regexp.MustCompile(`^[0-9]+$`)
	amount      = regexp.MustCompile(`^([0-9]+) *([A-Za-zµ]+)$`)
	isoPeriod   = regexp.MustCompile(`^P([0-9]+D)?(?:T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?$`)
	clock       = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?$`)
)

// unitWords are words for the units of durations.
var unitWords = map[string]string{"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h",
	"hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "ms": "ms",
	"msec": "ms", "millis": "ms", "milliseconds": "ms", "millisecond": "ms"}

// durationHintFor returns what to write in place of a duration that cannot be read.
func (d *decoder) durationHintFor(n *yaml.Node, path string, t reflect.Type) string {
	if n.Kind != yaml.ScalarNode {
		return durationHint
	}
	text := strings.TrimSpace(n.Value)
	var tries []string
	switch word := strings.ToLower(text); {
	case numbersOnly.MatchString(text):
		for _, unit := range []string{"s", "m", "h", "ms"} {
			if d.fits(text+unit, path, t) {
				return "write a number and a unit (d, h, m, s, ms), as in " + text + unit
			}
		}
	case amount.MatchString(word):
		parts := amount.FindStringSubmatch(word)
		switch unit := unitWords[parts[2]]; {
		case unit != "":
			tries = append(tries, parts[1]+unit)
		case strings.HasPrefix("weeks", parts[2]):
			if days, ok := times(parts[1], 7); ok {
				tries = append(tries, days+"d")
			}
		}
	case isoPeriod.MatchString(text):
		tries = append(tries, strings.ToLower(strings.Join(isoPeriod.FindStringSubmatch(text)[1:],
			"")))
	case clock.MatchString(text):
		parts := clock.FindStringSubmatch(text)
		tries = append(tries, parts[1]+"h"+parts[2]+"m")
	case slices.Contains(offWords, word):
		tries = append(tries, "0")
	}
	if hint := d.write(path, t, tries...); hint != "" {
		return hint
	}
	return durationHint
}

// times multiplies a number that is written in digits.
func times(digits string, by int) (string, bool) {
	if len(digits) > 6 {
		return "", false
	}
	n := 0
	for _, digit := range digits {
		n = 10*n + int(digit-'0')
	}
	return strconv.Itoa(n * by), true
}

var size = regexp.MustCompile(`^([0-9]+) *([KkMmGgTt])(i?[Bb])?$`)

// bytesHintFor returns what to write in place of a quantity of bytes that cannot be read, or is
// not within its limits.
func (d *decoder) bytesHintFor(n *yaml.Node, path string, t reflect.Type) string {
	text := strings.TrimSpace(n.Value)
	parts := size.FindStringSubmatch(text)
	if n.Kind != yaml.ScalarNode || parts == nil {
		return bytesHint
	}
	if hint := d.write(path, t, parts[1]+strings.ToUpper(parts[2])+"i"); hint != "" {
		return hint
	}
	return bytesHint
}

// unitHint returns the hint for a quantity of bytes below its limits that seems to lack its unit.
func unitHint(v, low, high reflect.Value) string {
	is, bytes := v.Interface().(Bytes)
	if !bytes || !low.IsValid() || !high.IsValid() || is <= 0 || is >= 1<<20 ||
		is%1024 == 0 || is >= low.Interface().(Bytes) {
		return ""
	}
	if mega := is << 20; mega >= low.Interface().(Bytes) && mega <= high.Interface().(Bytes) {
		return "a number alone is bytes: write " + mega.String()
	}
	return ""
}
