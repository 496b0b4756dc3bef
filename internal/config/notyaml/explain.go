package notyaml

import "strings"

// Explain finds why a text is not YAML. Failing is the line that makes it fail, and named the one
// that the parser names, with its cause.
func Explain(lines []string, failing, named int, cause string) (Finding, bool) {
	if strings.Contains(cause, "exceeded") {
		return Finding{}, false
	}
	if strings.Contains(cause, "<document start>") {
		if f, found := firstIndented(lines, failing); found {
			return f, true
		}
	}
	near := []int{failing, named, named + 1, failing - 1}
	for _, n := range near {
		if n < 1 || n > len(lines) {
			continue
		}
		if f, found := sign(strings.TrimRight(lines[n-1], " \r")); found {
			f.Line = n
			return f, true
		}
		if f, found := wrongPlace(lines, n); found {
			return f, true
		}
	}
	flow := strings.Contains(cause, "flow") || strings.Contains(cause, "',' or")
	if f, found := openBefore(lines, failing+1); found {
		return f, true
	}
	for _, n := range near {
		if n < 1 || n > len(lines) {
			continue
		}
		if column, message, hint := Line(lines[n-1], flow); column > 0 {
			return Finding{n, column, message, hint}, true
		}
	}
	if f, found := Text(lines, failing, cause); found {
		return f, true
	}
	// an open quote ends at the next one
	for n := min(failing, len(lines)) - 1; n >= 1; n-- {
		if column, message, hint := Line(lines[n-1], false); strings.HasSuffix(message, NotClosed) {
			return Finding{n, column, message, hint}, true
		}
	}
	return Finding{}, false
}
