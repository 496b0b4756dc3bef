// Package holder says which process has a folder for state. The lock of the folder is others'
// business: this is for messages.
package holder

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// File is the name of the file that is locked by the process that has the folder, and has its ID.
const File = "informerd.lock"

// Mark writes the ID of this process into the file, which it has locked.
func Mark(f *os.File) {
	if f.Truncate(0) == nil { // a message without the process is good enough
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
}

// Of returns the ID of the process that has a folder, 0 if that is not known.
func Of(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, File))
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

// Hint says what to do about a folder that another informerd has.
func Hint(dir string) string {
	process := ""
	if pid := Of(dir); pid > 0 {
		process = fmt.Sprintf(" (process %d)", pid)
	}
	return "an informerd has this folder: stop it" + process +
		", or set another state.dir; informerd status shows it"
}
