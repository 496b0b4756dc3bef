package measure

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Process is a process whose use of CPU and memory can be read.
type Process struct{ pid int }

// Self returns the calling process. Its CPU time is exact to a microsecond.
func Self() Process { return Process{} }

// Other returns another process. Its CPU time has ticks of 10 ms.
func Other(pid int) Process { return Process{pid} }

// IsSelf reports whether the process is the calling one.
func (p Process) IsSelf() bool { return p.pid == 0 }

// CPU returns the user and system time that the process has used so far.
func (p Process) CPU() (time.Duration, error) {
	if p.IsSelf() {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return 0, fmt.Errorf("cannot read the CPU time: %w", err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
	}
	stat, err := os.ReadFile(p.file("stat"))
	if err != nil {
		return 0, fmt.Errorf("cannot read the CPU time: %w", err)
	}
	return statCPU(stat)
}

// tick is the unit of /proc/PID/stat: USER_HZ is 100 on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// statCPU reads fields 14 and 15 of a stat file. The second field, the program's name in
// parentheses, may contain spaces and parentheses.
func statCPU(stat []byte) (time.Duration, error) {
	const afterName = 3 // the number of the first field after the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 16-afterName {
		return 0, fmt.Errorf("cannot read the CPU time: %d fields after the name", len(fields))
	}
	user, err1 := strconv.ParseInt(string(fields[14-afterName]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[15-afterName]), 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return 0, fmt.Errorf("cannot read the CPU time: %w", err)
	}
	return time.Duration(user+system) * tick, nil
}

// Resident is a process's memory in RAM.
type Resident struct {
	Now, Peak int64 // bytes
}

// Resident reads the resident memory.
func (p Process) Resident() (Resident, error) {
	status, err := os.ReadFile(p.file("status"))
	if err != nil {
		return Resident{}, fmt.Errorf("cannot read the resident memory: %w", err)
	}
	return statusResident(status)
}

func statusResident(status []byte) (r Resident, err error) {
	for line := range bytes.Lines(status) {
		into := map[string]*int64{"VmRSS:": &r.Now, "VmHWM:": &r.Peak}
		fields := bytes.Fields(line)
		if len(fields) != 3 || into[string(fields[0])] == nil {
			continue
		}
		kib, err := strconv.ParseInt(string(fields[1]), 10, 64)
		if err != nil {
			return Resident{}, fmt.Errorf("cannot read the resident memory: %w", err)
		}
		*into[string(fields[0])] = kib << 10
	}
	if r.Now == 0 || r.Peak == 0 {
		return Resident{}, errors.New(
			"cannot read the resident memory: the kernel does not report it")
	}
	return r, nil
}

func (p Process) file(name string) string {
	if p.IsSelf() {
		return "/proc/self/" + name
	}
	return fmt.Sprintf("/proc/%d/%s", p.pid, name)
}
