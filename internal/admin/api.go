package admin

import (
	"context"
	"iter"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/status"
)

// Functions are what a daemon lets commands do. Those that are nil are answered as not available.
type Functions struct {
	// Reload reads the configuration again. The error is a config.Errors if that has mistakes, and
	// nothing has changed then.
	Reload func(context.Context) (Changes, error)

	// Drain has the daemon hand its shards over to other replicas and take none any more. It
	// returns when it has none.
	Drain func(context.Context) error

	// Checkpoint returns what was kept for a restart.
	Checkpoint func() keeper.Stats

	// Status returns the pipeline as it is.
	Status func() *status.Status

	// Remembers returns what a listener knows of an object.
	Remembers func(ObjectOf) Memory

	Letters *deadletter.Store
	// Filter compiles a filter expression for letters, of which it sees the events.
	Filter filter
	// Replay offers letters to their listeners as these are now, each in the lane of its object, in
	// the order in which they come, and calls report once for each, possibly concurrently. A module
	// is used instead of the listeners' handlers if it is not empty.
	//
	// Replay removes from the store what it has dealt with: letters that were delivered or
	// filtered, and those that are replaced by another letter. Without force, a letter that is
	// superseded when its turn comes is not offered, and stays. If ctx is done, the letters whose
	// outcome was not reported stay. The error is for the replay as a whole, such as a module that
	// does not load.
	Replay func(ctx context.Context, letters iter.Seq2[deadletter.Letter, error], module []byte,
		force bool, report func(Outcome)) error
}

// ObjectOf is an object of the cluster, and a listener that may know it.
type ObjectOf struct {
	Cluster   string `json:"cluster,omitempty"` // of several; "": any
	Listener  string `json:"listener"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// filter compiles an expression to a function that reports whether it selects a letter.
type filter func(expression string) (func(*deadletter.Letter) (bool, error), error)

// Changes are what a reload has changed, in the order of the configuration.
type Changes []Change

// Change is what a reload has done with one part of the configuration.
type Change struct {
	Kind   string   `json:"kind"` // listener, informer, output, cluster, clustersFrom, deadLetters or shutdown
	Name   string   `json:"name,omitempty"`
	Action string   `json:"action"`           // added, removed, changed or restarted
	Fields []string `json:"fields,omitempty"` // that differ, with changed
}

// Checkpoint is how the checkpoint of a daemon is.
type Checkpoint struct {
	// Current is the time up to which everything is in it.
	Current time.Time `json:"current,omitzero"`
	// Failed is why it was given up, "" if it was not.
	Failed string `json:"failed,omitempty"`
}

// Results of a replay.
const (
	Delivered  = "delivered"
	Filtered   = "filtered"   // the present select or filter does not match it
	Superseded = "superseded" // something newer of the object was delivered already
	Failed     = "failed"     // is a dead letter again, or still
)

// Outcome is what became of one letter that was replayed.
type Outcome struct {
	ID     string `json:"id"`
	Result string `json:"result"`
	Error  string `json:"error,omitempty"` // with Failed
}

// Selection selects letters. The zero value selects none of them for Drop and Replay.
type Selection struct {
	deadletter.Query
	All    bool   `json:"all,omitempty"`
	Filter string `json:"filter,omitempty"`
	// Force has Replay offer superseded letters as well. What a rule has reported and is not so any
	// more is not sent all the same.
	Force bool `json:"force,omitempty"`
}

// Empty reports whether nothing was selected, not even everything.
func (s *Selection) Empty() bool {
	return len(s.IDs) == 0 && !s.All && s.Cluster == "" && s.Listener == "" && s.Output == "" &&
		s.Reason == "" && s.OlderThan <= 0 && s.Filter == "" && !s.Superseded
}

// DeadLetters are what commands can do with letters.
type DeadLetters interface {
	// List iterates over letters, oldest first. A letter that cannot be read, or whose filter
	// fails, comes with its ID and a *LetterError, and List goes on. Another error is the end.
	List(ctx context.Context, s Selection) iter.Seq2[deadletter.Letter, error]
	// Drop removes letters and returns how many. Those that List would return an error for stay.
	Drop(ctx context.Context, s Selection) (int, error)
	// Replay offers letters to their listeners again, and calls report for each, one at a time.
	Replay(ctx context.Context, s Selection, module []byte, report func(Outcome)) error
}

// LetterError is an error about one letter.
type LetterError struct {
	ID      string `json:"id"`
	Message string `json:"error"`
}

func (e *LetterError) Error() string { return "dead letter " + e.ID + ": " + e.Message }
