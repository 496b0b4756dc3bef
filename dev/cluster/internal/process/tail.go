package process

import (
	"io"
	"os"
	"strings"
)

// Lines of the components' logs can be very long. tailBytes limits what Tail reads, tailLine what
// it shows of a line.
const (
	tailBytes = 32 << 10
	tailLine  = 400
)

// Tail returns the last lines of a log, or why it cannot. The result is for display only.
func Tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return "(cannot read the log: " + err.Error() + ")"
		}
	}
	content, err := io.ReadAll(io.LimitReader(f, tailBytes))
	if err != nil {
		return "(cannot read the log: " + err.Error() + ")"
	}
	if len(content) == 0 {
		return "(the log is empty)"
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		if len(line) > tailLine {
			all[i] = line[:tailLine] + "..."
		}
	}
	return strings.Join(all, "\n")
}
