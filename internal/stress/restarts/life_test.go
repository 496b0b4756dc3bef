package restarts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What the daemon logs around each commit, and at other points.
const (
	committing = "committing the checkpoint"
	committed  = "the checkpoint is committed"
	started    = "started"
	listening  = "listening"
	comparing  = "took a list"
	preparing  = "decided before the buffer" // a listener, at the start or in a reload
	reloaded   = "configuration reloaded"
	draining   = "stopping: the intake has ended, listeners finish what they have"
)

// patience is how long anything may take before the test gives up.
const patience = time.Minute

// commit is one of a child: the beat at which it began and the one at which it was completed, and
// the length that the file of an output had when it began.
type commit struct {
	begun, completed int
	file             int64
}

// life is one run of the child.
type life struct {
	number  int
	command *exec.Cmd
	beat    func() int    // the last one that has come
	begins  chan struct{} // closed when the process has begun
	ended   chan struct{} // closed when the process has ended and its log is read

	mu      sync.Mutex
	lines   []line
	other   []string // what it wrote besides the log
	news    chan struct{}
	begun   commit
	commits []commit // those that were completed
	seen    map[string]int
	reached bool // the parent has killed it where it was to be killed
	state   *os.ProcessState
}

// point is where a child kills itself: with the message ends of its log, once it has logged since
// and so many of the former. The zero value is nowhere.
type point struct {
	ends, since string
	after       int
}

// start starts the child.
func (w *world) start(t *testing.T, at point) *life {
	t.Helper()
	w.number++
	l := &life{number: w.number, beat: w.receivers.lastBeat, begins: make(chan struct{}),
		ended: make(chan struct{}), news: make(chan struct{}), seen: map[string]int{}}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l.command = exec.Command(program)
	l.command.Env = append(os.Environ(), childFolder+"="+w.folder,
		fmt.Sprint(childLife, "=", l.number), childEnds+"="+at.ends,
		childSince+"="+at.since, fmt.Sprint(childAfter, "=", at.after), childBeats+"="+w.receivers.url+"/"+beats,
		"TMPDIR="+w.folder)
	if _, err = l.command.StdinPipe(); err != nil { // closed when this process ends
		t.Fatal(err)
	}
	log, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l.command.Stderr = to
	w.server.begin(l)
	w.receivers.begin(l.number)
	err = l.command.Start()
	_ = to.Close()
	if err != nil {
		t.Fatal(err)
	}
	close(l.begins)
	go l.read(log)
	t.Cleanup(func() { l.kill(); <-l.ended })
	return l
}

// read reads the child's log until it has ended.
func (l *life) read(log *os.File) {
	defer close(l.ended)
	defer log.Close()
	scanner := bufio.NewScanner(log)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var one line
		if json.Unmarshal(scanner.Bytes(), &one) == nil {
			l.note(one)
		} else {
			l.mu.Lock()
			l.other = append(l.other, scanner.Text())
			l.mu.Unlock()
		}
	}
	_ = l.command.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = l.command.ProcessState
	close(l.news)
	l.news = make(chan struct{})
}

func (l *life) note(one line) {
	if os.Getenv("STRESS_LOG") != "" {
		println(l.number, one.String())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, one)
	l.seen[one.Message]++
	switch one.Message {
	case committing:
		l.begun = commit{begun: one.Beats, file: one.File}
	case committed:
		l.begun.completed = one.Beats
		l.commits = append(l.commits, l.begun)
	}
	close(l.news)
	l.news = make(chan struct{})
}

// kill kills the child, which may have ended.
func (l *life) kill() { l.signal(syscall.SIGKILL) }

func (l *life) signal(s syscall.Signal) {
	<-l.begins
	_ = l.command.Process.Signal(s)
}

// until waits until the log has a message, or the child has ended. It reports whether it has.
func (l *life) until(message string, most time.Duration) bool {
	return l.await(most, func() bool { return l.seen[message] > 0 })
}

// goesOn waits until listeners have begun. The log only says that they are bound, so it waits for
// some commits after that.
func (l *life) goesOn(listeners int) {
	commits := -1
	l.await(2*time.Second, func() bool {
		if commits < 0 && l.seen[listening] >= listeners {
			commits = len(l.commits)
		}
		return commits >= 0 && len(l.commits) > commits+1
	})
}

// await waits until the log fulfils a condition, or the child has ended. It reports whether it
// does. The condition is asked with mu held.
func (l *life) await(most time.Duration, fulfils func() bool) bool {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		fulfilled, news, over := fulfils(), l.news, l.state != nil
		l.mu.Unlock()
		if fulfilled || over {
			return fulfilled
		}
		select {
		case <-news:
		case <-deadline.C:
			return false
		}
	}
}

// reaches notes that the parent kills the child where it is to be killed.
func (l *life) reaches() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reached = true
}

// count returns how often the child has logged a message.
func (l *life) count(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[message]
}

// last returns the last message that it has logged.
func (l *life) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		return ""
	}
	return l.lines[len(l.lines)-1].Message
}

// over waits for the end, and reports whether it has come.
func (l *life) over(most time.Duration) bool {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	select {
	case <-l.ended:
		return true
	case <-deadline.C:
		return false
	}
}

// exit returns how the child has ended: nil with success.
func (l *life) exit() error {
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.state.Success() {
		return errors.New(l.state.String())
	}
	return nil
}

// killed reports whether SIGKILL was the end.
func (l *life) killed() bool {
	<-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	status, ok := l.state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// safe returns the beat before which what was acknowledged is in the checkpoint for sure. The last
// cut that was committed was made when the commit before had been completed, and has what the
// daemon had dealt with by then.
func (l *life) safe() (beat int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.commits) < 2 {
		return 0
	}
	return max(l.commits[len(l.commits)-2].completed-beatLag, 0)
}

func (l *life) committed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.commits)
}

// about returns what there is to know of a life that has ended.
func (l *life) about(way string, safe int, requests string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, last := time.Time{}, time.Time{}
	if n := len(l.lines); n > 0 {
		first, last = l.lines[0].time(), l.lines[n-1].time()
	}
	return fmt.Sprintf("%d, %s: from %s to %s, %v, %d commits, safe before beat %d of %d; %s",
		l.number, way, first.Format("05.000"), last.Format("05.000"), l.state, len(l.commits),
		safe, l.beat(), requests)
}

// tail returns the end of what the child wrote.
func (l *life) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	lines := slices.DeleteFunc(slices.Clone(l.lines), func(one line) bool {
		return strings.HasPrefix(one.Message, "event failed")
	})
	for _, one := range lines[max(0, len(lines)-n):] {
		fmt.Fprintln(&b, one)
	}
	for _, one := range l.other[:min(len(l.other), 100)] {
		fmt.Fprintln(&b, one)
	}
	return b.String()
}

// wrote returns what the child wrote besides the log: a report of the race detector, a panic.
func (l *life) wrote() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.other
}
