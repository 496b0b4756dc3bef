package filewatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	quiet   = 300 * time.Millisecond // without a change, before files are compared
	longest = 5 * time.Second        // that changes without a pause put that off
	poll    = 30 * time.Second       // between comparisons without any report of a change
)

// Watcher watches files. The zero Watcher has none; set them with Set.
type Watcher struct {
	Log *slog.Logger // nil: no log

	mu      sync.Mutex // guards what follows
	paths   []string
	content content
	changed chan struct{} // closed by Set; nil if Run does not wait
}

// Set makes the files that match the paths and patterns the watched ones. What new ones have in
// them now is what changes are compared with.
func (w *Watcher) Set(paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paths = paths
	w.content.add(paths)
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// Run calls report after each change, until ctx is done. What has changed while report runs is
// reported afterwards.
func (w *Watcher) Run(ctx context.Context, report func()) {
	events, closing := w.open()
	defer closing()
	var due <-chan time.Time // of a comparison
	var first time.Time      // of the changes since the last one
	for {
		set := w.awaitSet()
		if events.follow(w.current()) && due == nil {
			// Something may have changed before the folder was watched.
			first, due = time.Now(), time.After(quiet)
		}
		wait := time.After(poll)
		if due != nil {
			wait = due
		}
		select {
		case <-ctx.Done():
			return
		case <-set:
			continue
		case <-events.happened():
			now := time.Now()
			if due == nil {
				first = now
			}
			due = time.After(min(quiet, max(0, longest-now.Sub(first))))
			continue
		case err := <-events.errors():
			w.warn("files are watched with difficulty", err)
			continue
		case <-wait:
			due = nil
		}
		if w.compare() {
			events.release() // a path may lead to another folder by now
			report()
		}
	}
}

// awaitSet returns a channel that is closed by the next Set.
func (w *Watcher) awaitSet() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed
}

func (w *Watcher) current() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.paths
}

// compare reports whether the files have changed.
func (w *Watcher) compare() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.content.compare(w.paths)
}

func (w *Watcher) warn(message string, err error) {
	if w.Log != nil {
		w.Log.Warn(message, "error", err)
	}
}

// folders are watched folders. Without a Watcher of the operating system, there are no reports.
type folders struct{ system *fsnotify.Watcher }

func (w *Watcher) open() (*folders, func()) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		w.warn("changes of files are found by looking at them every half a minute", err)
		return &folders{}, func() {}
	}
	return &folders{system}, func() { _ = system.Close() }
}

// follow makes the folders that paths lead through the watched ones, and reports whether there are
// new ones. Those that do not exist are left out, until they do.
func (f *folders) follow(paths []string) (more bool) {
	if f.system == nil {
		return false
	}
	wanted := map[string]bool{}
	for _, path := range paths {
		through(path, wanted)
	}
	have := map[string]bool{}
	for _, folder := range f.system.WatchList() {
		if have[folder] = true; !wanted[folder] {
			_ = f.system.Remove(folder)
		}
	}
	for folder := range wanted {
		if !have[folder] && f.system.Add(folder) == nil {
			more = true
		}
	}
	return more
}

// release watches no folder, until the next follow.
func (f *folders) release() {
	if f.system == nil {
		return
	}
	for _, folder := range f.system.WatchList() {
		_ = f.system.Remove(folder)
	}
}

func (f *folders) happened() <-chan fsnotify.Event {
	if f.system == nil {
		return nil
	}
	return f.system.Events
}

func (f *folders) errors() <-chan error {
	if f.system == nil {
		return nil
	}
	return f.system.Errors
}
