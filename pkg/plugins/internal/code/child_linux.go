package code

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// niceness is how much lower the priority of a child is. It continues even where everything
	// else is busy.
	niceness = 5
	// dataSlack is what the kernel allows beyond the limit, which is there in case that nobody else
	// looks: Go reserves ranges of 64 MiB for its heap and 8 MiB for each thread, and does not
	// always notice that it was given nothing.
	dataSlack  = 256 << 20
	timeSlack  = 2 // seconds, after which the kernel ends what does not end itself
	rlimitData = 2 // RLIMIT_DATA, which package syscall lacks on some architectures
)

// lowerPriority applies to all threads, and so to those that they start.
func lowerPriority() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	nice := niceness
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil {
		nice += 20 - own // the kernel's own way to say it
	}
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		if id, err := strconv.Atoi(task.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
		}
	}
}

// limitProcess has the kernel hold the process to its limits, in case that it does not do so
// itself.
func limitProcess(job compileJob) error {
	limits := map[int]uint64{
		syscall.RLIMIT_CORE:  0,
		syscall.RLIMIT_CPU:   uint64(slower*job.Time/time.Second) + timeSlack,
		syscall.RLIMIT_FSIZE: uint64(job.Memory),
	}
	if slower == 1 { // the race detector reserves terabytes
		limits[rlimitData] = uint64(job.Memory + dataSlack)
	}
	for which, most := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(which, &now); err != nil {
			return err
		}
		most = min(most, now.Max)
		if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}

// used is what the process has used until now.
func used() jobUsage {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return jobUsage{}
	}
	return jobUsage{Time: time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
		Memory: residentMemory("self")}
}

// usedBy is what a process used that has ended. The kernel begins with the memory of the parent, if
// that had more.
func usedBy(state *os.ProcessState) jobUsage {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return jobUsage{}
	}
	return jobUsage{Time: state.UserTime() + state.SystemTime(), Memory: usage.Maxrss << 10}
}

// residentMemory returns how many bytes of memory a process has, "self" or by its number; 0 where
// that is unknown.
func residentMemory(process string) int64 {
	text, err := os.ReadFile("/proc/" + process + "/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Fscan(bytes.NewReader(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// peak is the most memory that the process has had, 0 if that is unknown.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}
