package plugins

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// How much a crash shows.
const (
	maxLine    = 200     // characters of a line
	maxFrames  = 30      // of the engine's stack, which has no more
	maxOutput  = 4 << 10 // bytes of what the guest wrote to stderr
	maxMessage = 256     // bytes of a guest's own message in an error's text
)

// What the engine adds to errors.
const (
	recovered  = " (recovered by wazero)"
	traceBegin = "\nwasm stack trace:"
	goTrace    = "\n\nGo runtime stack trace:"
)

// frames returns the functions that the guest was in, the innermost first, from the engine's error
// of the call.
func frames(failure error, imports int) (lines []string) {
	if failure == nil {
		return nil
	}
	_, trace, _ := strings.Cut(failure.Error(), traceBegin)
	trace, _, _ = strings.Cut(trace, goTrace)
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, meter.HostModule+".") || len(lines) == maxFrames {
			continue
		}
		lines = append(lines, clean(frame(line, imports)))
	}
	return lines
}

// frame returns a function by its name, or by its number in the guest's own file.
func frame(line string, imports int) string {
	line, guests := strings.CutPrefix(line, ".") // the module has no name
	if !guests {
		return line // a host function
	}
	if number, rest, ok := strings.Cut(strings.TrimPrefix(line, "$"), "("); ok && line[0] == '$' {
		if n, err := strconv.Atoi(number); err == nil {
			if n >= imports { // the meter adds an import behind all others
				n--
			}
			return fmt.Sprintf("$%d(%s", n, rest)
		}
	}
	return plainName(line)
}
