package code

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const leapLimit = 512 << 20

func init() {
	jobs["priority"] = func(string, string) error {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		score, err := os.ReadFile("/proc/self/oom_score_adj")
		said := []string{"oom " + strings.TrimSpace(string(score))}
		for _, task := range tasks {
			said = append(said, niceOf(task.Name()))
		}
		return errors.Join(err, errors.New(strings.Join(said, ", ")+"."))
	}
	// What a compiler does: it has much memory that the kernel does not count as data, and copies
	// it, while the collector waits for that and nothing else runs.
	jobs["leap"] = func(string, string) error {
		code, err := syscall.Mmap(-1, 0, leapLimit/4*3, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		touch(code)
		if err := syscall.Mprotect(code, syscall.PROT_READ); err != nil {
			return err
		}
		go func() {
			for {
				runtime.GC()
			}
		}()
		for kept := [][]byte{}; ; {
			kept = append(kept, bytes.Clone(code))
		}
	}
}

// touch writes to each page of b, so that all of it is resident.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

func TestALeapBeyondTheLimitIsRefused(t *testing.T) {
	if larger != 1 {
		t.Skip("the race detector's notes take several times the memory")
	}
	job := compileJob{Dir: t.TempDir(), Time: time.Hour, Memory: leapLimit}
	used, err := runJob(t.Context(), command(t), job, []byte("leap "))
	var limit *limitError
	if !errors.As(err, &limit) || limit.of != ofMemory {
		t.Errorf("it ended with %v", err)
	}
	t.Logf("it had %d MiB of memory", used.Memory>>20)
	if used.Memory == 0 || used.Memory > job.Memory/4*5 { // its leap is three quarters
		t.Errorf("it had %d MiB of memory, %d are allowed", used.Memory>>20, job.Memory>>20)
	}
}

// niceOf returns the niceness of a thread of this process, which is a word of its stat.
func niceOf(task string) string {
	stat, _ := os.ReadFile("/proc/self/task/" + task + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ") // the state comes behind the name
	words := strings.Fields(rest)
	if len(words) < 17 {
		return "unknown"
	}
	return "nice " + words[16]
}

// All threads of a child have a lower priority than its parent, whatever that has, and the kernel
// ends it before any other process.
func TestAChildComesAfterItsParent(t *testing.T) {
	var own int
	if _, err := fmt.Sscanf(niceOf(strconv.Itoa(os.Getpid())), "nice %d", &own); err != nil {
		t.Fatal(err)
	}
	_, err := runJob(t.Context(), command(t), compileJob{Dir: t.TempDir(), Time: time.Hour, Memory: 1 << 30},
		[]byte("priority "))
	if err == nil || !strings.Contains(err.Error(), "oom 1000, ") {
		t.Fatalf("got %v", err)
	}
	want := fmt.Sprint("nice ", min(own+niceness, 19))
	threads := strings.Count(err.Error(), "nice ")
	if threads == 0 || strings.Count(err.Error()+",", want+",")+strings.Count(err.Error(),
		want+".") != threads {
		t.Errorf("the parent has nice %d, the threads of its child %v", own, err)
	}
}
