package file

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// Whatever happens, in any order: all lines that were taken are in the files, in order and whole,
// except for those of the oldest files beyond keep. A line comes twice only if it could not be
// removed, and never after one of a later Write.
func TestRotationModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := newModel(t, r)
		defer m.end()
		r.Repeat(map[string]func(*rapid.T){
			"write":    m.write,
			"fault":    m.fault,
			"clock":    m.clockJumps,
			"restart":  m.restart,
			"moved":    m.moved,
			"stranger": m.stranger,
			"":         m.check,
		})
	})
}

type model struct {
	t       *testing.T
	disk    *disk
	clock   *clock
	config  Config
	sink    *Sink
	version int
	taken   []string       // lines that Write has reported as taken, in order
	of      map[string]int // the version of the Write that they are of
	moves   []move
	foreign string // a file that is nobody's business

	// What has failed since Write was called.
	stays   bool // the removal of lines
	noBreak bool // the write of a line break only

	twice map[string]bool // the lines that may be there twice
}

// move is a file that somebody else has renamed.
type move struct {
	path  string
	after string // the newest file that informerd had renamed before; "" if there was none
}

func newModel(t *testing.T, r *rapid.T) *model {
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		r.Fatal(err)
	}
	m := &model{t: t, disk: newDisk(t), clock: newClock(), of: map[string]int{},
		twice: map[string]bool{}}
	m.disk.path = filepath.Join(folder, "audit.jsonl")
	m.config = Config{Rotate: Rotate{
		Size: rapid.SampledFrom([]int64{0, 1, 1000, 3000}).Draw(r, "size"),
		Age:  rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(r, "age"),
		Keep: rapid.IntRange(0, 3).Draw(r, "keep"),
	}, Sync: rapid.SampledFrom([]Sync{SyncInterval, SyncAlways, SyncNever}).Draw(r, "sync")}
	m.sink = m.disk.startAt(m.clock, m.config)
	return m
}

func (m *model) end() {
	m.disk.fail(nil)
	closeSink(m.t, m.sink)
}

func (m *model) write(r *rapid.T) {
	var messages []sink.Message
	m.version++
	for i := range rapid.IntRange(1, 6).Draw(r, "messages") {
		messages = append(messages, sinktest.Message(m.t,
			fmt.Sprint("pod-", i, strings.Repeat("x", rapid.IntRange(0, 1500).Draw(r, "length"))),
			m.version))
	}
	m.stays, m.noBreak = false, false
	var last []error
	all := texts(messages...)
	for range 100 { // until all are taken
		errs := m.sink.Write(m.t.Context(), messages)
		last = errs
		var again []sink.Message
		for i, msg := range messages {
			if errs == nil || errs[i] == nil {
				line := texts(msg)[0]
				m.of[line] = m.version
				m.taken = append(m.taken, line)
			} else {
				again = append(again, msg)
			}
		}
		if messages = again; len(messages) == 0 {
			for _, line := range all {
				m.twice[line] = m.stays && (m.config.Sync == SyncAlways || m.noBreak)
			}
			return
		}
	}
	r.Fatalf("messages were never taken: %v", last[0])
}

// fault makes the disk fail a few times.
func (m *model) fault(r *rapid.T) {
	times := map[string]int{}
	for _, op := range []string{"write", "open", "truncate", "sync", "create",
		"rename"} {
		times[op] = rapid.IntRange(0, 2).Draw(r, op)
	}
	n := rapid.OneOf(rapid.IntRange(0, 3000), rapid.Just(-1)).Draw(r, "bytes")
	m.disk.fail(func(op string, p []byte) (int, error) {
		if times[op] == 0 {
			return 0, nil
		}
		times[op]--
		taken := min(n, len(p))
		if n < 0 { // all but the last line break
			taken = max(0, len(p)-1)
		}
		m.stays = m.stays || op == "truncate" || op == "open" && m.config.Sync == SyncAlways
		m.noBreak = m.noBreak || taken < len(p) && p[taken] == '\n'
		return taken, syscall.ENOSPC
	})
}

func (m *model) clockJumps(r *rapid.T) {
	m.clock.now = m.clock.now.Add(time.Duration(rapid.IntRange(-100, 200).Draw(r, "minutes")) *
		time.Minute)
}

func (m *model) restart(r *rapid.T) {
	m.disk.fail(nil)
	closeSink(m.t, m.sink)
	if rapid.Bool().Draw(r, "crash") {
		f, err := os.OpenFile(m.disk.path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			r.Fatal(err)
		}
		f.WriteString(`{"part of a line`)
		f.Close()
	}
	m.sink = m.disk.startAt(m.clock, m.config)
}

// moved is logrotate: what it moves is nobody's to remove.
func (m *model) moved(*rapid.T) {
	next := move{path: fmt.Sprintf("%s.%d", m.disk.path, len(m.moves))}
	all := allFiles(m.t, m.disk.path)
	if len(all) == 0 || os.Rename(m.disk.path, next.path) != nil {
		return
	}
	if renamed := all[:len(all)-1]; len(renamed) > 0 {
		next.after = renamed[len(renamed)-1]
	}
	m.moves = append(m.moves, next)
}

// stranger creates a file whose name is one that a rotation would choose.
func (m *model) stranger(r *rapid.T) {
	m.foreign = filepath.Join(filepath.Dir(m.disk.path),
		"audit-"+m.clock.now.Format(stamp)+".jsonl.bak")
	if err := os.WriteFile(m.foreign, []byte("mine"), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (m *model) check(r *rapid.T) {
	if text, err := os.ReadFile(m.foreign); m.foreign != "" && string(text) != "mine" {
		r.Fatalf("a file of somebody else: %q, %v", text, err)
	}
	all := allFiles(m.t, m.disk.path)
	if keep := m.config.Rotate.Keep; keep > 0 && len(all) > keep+1 {
		r.Fatalf("%d files: %q", len(all), all)
	}
	var got []string
	for _, path := range m.withMoved(all) {
		text, err := os.ReadFile(path)
		if err != nil {
			r.Fatal(err)
		}
		got = append(got, m.wholeLines(r, string(text))...)
	}
	for i := range got[min(1, len(got)):] {
		if before, after := m.of[got[i]], m.of[got[i+1]]; after < before {
			r.Fatalf("a line of write %d comes after one of write %d", after, before)
		}
	}
	got = m.withoutRepeats(r, got)
	if m.config.Rotate.Keep == 0 && len(got) != len(m.taken) || len(got) > len(m.taken) ||
		!slices.Equal(got, m.taken[len(m.taken)-len(got):]) {
		r.Fatalf("%d lines are there, of %d", len(got), len(m.taken))
	}
}

// withMoved returns all files, with those that were moved in their places. What was moved before
// files that are removed by now is left out.
func (m *model) withMoved(all []string) (files []string) {
	moves := m.moves
	for i, path := range all {
		for len(moves) > 0 && (path == m.disk.path || moves[0].after < path) {
			if i > 0 || path == m.disk.path || m.config.Rotate.Keep == 0 {
				files = append(files, moves[0].path)
			}
			moves = moves[1:]
		}
		files = append(files, path)
	}
	for _, last := range moves { // the file itself was moved
		files = append(files, last.path)
	}
	return files
}

// withoutRepeats keeps the last of equal lines.
func (m *model) withoutRepeats(r *rapid.T, all []string) (last []string) {
	final := map[string]int{}
	for i, line := range all {
		final[line] = i
	}
	for i, line := range all {
		if final[line] == i {
			last = append(last, line)
		} else if !m.twice[line] {
			r.Fatalf("line %d comes twice", i)
		}
	}
	return last
}

// wholeLines returns the lines that are JSON, and checks that the others are parts of one, and that
// the file is not larger than it may be.
func (m *model) wholeLines(r *rapid.T, text string) (whole []string) {
	for line := range strings.Lines(text) {
		if _, ok := m.of[strings.TrimSuffix(line, "\n")]; ok {
			whole = append(whole, strings.TrimSuffix(line, "\n"))
		} else if strings.Contains(line, "}}}") || strings.Count(line, `"specversion"`) > 1 {
			r.Fatalf("a line that was not taken, or two that are glued: %.300q", line)
		}
	}
	if size := m.config.Rotate.Size; size > 0 && len(whole) > 1 &&
		int64(len(strings.Join(whole, "\n"))) > size {
		r.Fatalf("a file of %d bytes", len(text))
	}
	return whole
}
