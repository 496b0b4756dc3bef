package values

import (
	"strconv"
	"strings"
	"time"
)

// parseDuration reads what Go writes, with days before it: 7d, 1d12h, -30d, 1.5h.
func parseDuration(text string) any {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		sign, rest = rest[:1], rest[1:]
	}
	number, behind, hasDays := strings.Cut(rest, "d")
	if !hasDays {
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil
		}
		return d
	}
	days, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "0123456789.") != "" || days > maxDays {
		return nil
	}
	d := time.Duration(days * float64(24*time.Hour))
	if behind != "" {
		more, err := time.ParseDuration(behind)
		if err != nil || behind[0] == '-' || behind[0] == '+' || more > maxDays*24*time.Hour {
			return nil
		}
		d += more
	}
	if sign == "-" {
		d = -d
	}
	return d
}

// DurationText returns what a duration becomes as a text: Go's, of a minute and more in whole
// seconds. The rest of an age has no meaning, as the times of objects are whole seconds.
func DurationText(d time.Duration) string {
	if d >= time.Minute || d <= -time.Minute {
		d = d.Truncate(time.Second)
	}
	return d.String()
}

// ParseDuration reads a duration as duration(…) does, and as every duration in a configuration is
// written: 90s, 1h30m, 7d, 1d12h. It reports whether the text is one.
func ParseDuration(text string) (time.Duration, bool) {
	d, ok := parseDuration(text).(time.Duration)
	return d, ok
}

// maxDays is half of what a duration can hold, so that hours and less have room besides.
const maxDays = 50_000
