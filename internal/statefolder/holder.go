package statefolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// LockFile is the name of the file that the process with the folder has locked, and that has its
// ID.
const LockFile = "informerd.lock"

// MarkHolder writes the ID of this process into the file, which it has locked.
func MarkHolder(f *os.File) {
	if f.Truncate(0) == nil { // a message without the process is good enough
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
}

// holderOf returns the ID of the process that has a folder, 0 if that is not known.
func holderOf(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, LockFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return 0
	}
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return 0 // a killed process has left the file
	}
	return pid
}

// holderHint says what to do about a folder that another informerd has.
func holderHint(dir string) string {
	process := ""
	if pid := holderOf(dir); pid > 0 {
		process = fmt.Sprintf(" (process %d)", pid)
	}
	return "an informerd has this folder: stop it" + process +
		", or set another state.dir; informerd status shows it"
}
