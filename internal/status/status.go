// Package status is the pipeline as it is at one moment: informers, listeners, their handlers and
// outputs, and what is kept of them. It is what /statusz answers and what informerd status and top
// show, so its names stay as they are.
//
//   - Counters begin at 0 when informerd starts, and never fall; what they say per second is the
//     difference of two statuses, which Rates has.
//   - Lists are sorted by name. Texts of guests, receivers and the API server are cut to 300
//     characters, and are as they came: whoever shows them quotes them.
//   - No content of objects and no secrets are in it.
package status

import "time"

// Status is the pipeline at one moment.
type Status struct {
	Time    time.Time `json:"time"`
	Started time.Time `json:"started,omitzero"` // the process
	Version string    `json:"version"`
	Cluster string    `json:"cluster"`
	// Role is leader or standby, "" if there is only one replica.
	Role string `json:"role,omitempty"`
	// Ready is what /readyz says. Stalled is what has come to a halt.
	Ready   bool    `json:"ready"`
	Stalled []Stall `json:"stalled,omitempty"`

	// Sharding is nil unless replicas share the objects. What listeners and informers do is that
	// of this replica then.
	Sharding *Sharding `json:"sharding,omitempty"`
	// Clusters are those of several that are watched, nil if there is one.
	Clusters    []Cluster    `json:"clusters,omitempty"`
	Informers   []Informer   `json:"informers"`
	Listeners   []Listener   `json:"listeners"`
	DeadLetters *DeadLetters `json:"deadLetters,omitempty"`
	Checkpoint  *Checkpoint  `json:"checkpoint,omitempty"`
	Reload      *Reload      `json:"reload,omitempty"`
	Process     Process      `json:"process"`
}

// Sharding is how the objects are shared among replicas, as this one sees it.
type Sharding struct {
	Replicas int     `json:"replicas"`
	Error    string  `json:"error,omitempty"` // why this one takes no shard
	Shards   []Shard `json:"shards"`          // in order
}

// Shard is one of the parts.
type Shard struct {
	Shard int       `json:"shard"`
	Owner string    `json:"owner,omitempty"` // the replica that has it, or had it last
	Owned bool      `json:"owned"`           // the owner is alive
	Own   bool      `json:"own,omitempty"`   // it is this replica
	Works bool      `json:"works,omitempty"` // and that has begun with it
	Since time.Time `json:"since,omitzero"`  // it has been the owner
	Epoch int64     `json:"epoch"`           // how many owners there were
	// Objects, Waiting and OldestSeconds are those of this replica's informers and listeners.
	Objects       int     `json:"objects,omitempty"`
	Waiting       int     `json:"waiting,omitempty"`
	OldestSeconds float64 `json:"oldestSeconds,omitempty"`
}

// Cluster is one of several that are watched.
type Cluster struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	From   string            `json:"from"`             // where it is named
	Server string            `json:"server,omitempty"` // the address of its API server
	Since  time.Time         `json:"since,omitzero"`   // it is watched
	Error  string            `json:"error,omitempty"`  // why it is not, or not wholly
	// Objects, Waiting and OldestSeconds are those of this replica's informers and listeners.
	Objects       int     `json:"objects"`
	Waiting       int     `json:"waiting"`
	OldestSeconds float64 `json:"oldestSeconds"`
}

// Stall is something that does not go on.
type Stall struct {
	Kind  string    `json:"kind"`           // what has come to a halt
	What  string    `json:"what,omitempty"` // its name
	Text  string    `json:"text"`
	Since time.Time `json:"since,omitzero"`
	// Cluster is that of several which it is of. It is in the cluster's error then.
	Cluster string `json:"-"`
}

// String returns what has come to a halt, and why.
func (s *Stall) String() string {
	if s.What == "" {
		return s.Kind + ": " + s.Text
	}
	return s.Kind + " " + s.What + ": " + s.Text
}

// Informer is a resource that is watched in one scope.
type Informer struct {
	Resource  string `json:"resource"` // as deployments.apps
	Namespace string `json:"namespace,omitempty"`
	// LabelSelector and FieldSelector limit it.
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	Shard         string `json:"shard,omitempty"`   // as 3/16
	Cluster       string `json:"cluster,omitempty"` // of several
	Synced        bool   `json:"synced"`
	Objects       int    `json:"objects"`
	Bytes         int64  `json:"bytes"`       // of their texts
	MemoryBytes   int64  `json:"memoryBytes"` // that they take
	Version       string `json:"version,omitempty"`
	Queued        int    `json:"queued"`
	// Heard is when something last came from the API server.
	Heard   time.Time `json:"heard,omitzero"`
	Events  uint64    `json:"events"`
	Lists   uint64    `json:"lists"`
	Watches uint64    `json:"watches"`
	// Bookmarks are signs of life that watches sent without an event.
	Bookmarks uint64 `json:"bookmarks"`
	Skipped   uint64 `json:"skipped"`
	Received  uint64 `json:"receivedBytes"`
	// Foreign are objects of other shards, which were dropped: none comes while the API server sends
	// the shard alone.
	Foreign uint64 `json:"foreign,omitempty"`
	Error   string `json:"error,omitempty"`
}

// The states of a listener.
const (
	Running  = "running"
	Starting = "starting"
	Failing  = "failing" // it gets no events
	Paused   = "paused"  // its handler keeps crashing
)

// Listener is one stream of events.
type Listener struct {
	Name     string   `json:"name"`
	Resource string   `json:"resource"` // as configured
	State    string   `json:"state"`
	Reasons  []string `json:"reasons,omitempty"` // why it does not run, or how its expressions fail
	// Events are those that it took from its buffer, by operation; Refused those that were refused
	// before.
	Events     map[string]uint64 `json:"events"`
	Refused    uint64            `json:"refused"`
	Unselected uint64            `json:"unselected"`
	Filtered   uint64            `json:"filtered"`
	Matched    uint64            `json:"matched"`
	Own        uint64            `json:"own"`
	// Errors are evaluations of the filter, the select or a rule that failed.
	Errors      uint64 `json:"errors"`
	Retried     uint64 `json:"retried"`
	DeadLetters uint64 `json:"deadLetters"` // since the start
	Letters     int    `json:"letters"`     // that there are now
	Written     uint64 `json:"written"`     // messages that outputs took
	// WorkingSeconds is how long the worker that has been longest at one step has been at it, 0 if
	// none works.
	WorkingSeconds float64 `json:"workingSeconds"`
	Buffer         Buffer  `json:"buffer"`
	// Due are events in the buffer that nothing keeps from being taken, where the listener runs.
	Due int `json:"-"`
	// Handler is nil without one.
	Handler *Handler `json:"handler,omitempty"`
	// Violations are the open ones, nil without rules.
	Violations *int     `json:"violations,omitempty"`
	Outputs    []Output `json:"outputs"`
}

// Buffer is what waits in front of a listener.
type Buffer struct {
	Events    int    `json:"events"`
	Waiting   int    `json:"waitingForRetry"`
	Marked    int    `json:"marked"`
	Backlog   int    `json:"backlog"` // objects of the first list
	OnDisk    int    `json:"onDisk"`
	Coalesced uint64 `json:"coalesced"`
	Dropped   uint64 `json:"dropped"`
	Blocked   uint64 `json:"blocked"`
	// OldestSeconds is the age of the oldest event, from its arrival on, or from when the listener
	// got it; 0 if there is none.
	OldestSeconds float64 `json:"oldestSeconds"`
}

// Handler is a WebAssembly handler.
type Handler struct {
	Calls   uint64 `json:"calls"`
	Crashes uint64 `json:"crashes"`
	Dropped uint64 `json:"dropped"` // events that it refused
	Emitted uint64 `json:"emitted"`
	// PausedUntil is set while the listener takes no events. Error is why it did not, until a call
	// has worked.
	PausedUntil time.Time `json:"pausedUntil,omitzero"`
	Error       string    `json:"error,omitempty"`
}

// Output is where messages of a listener go.
type Output struct {
	Name          string  `json:"name"`
	Waiting       int     `json:"waiting"`
	WaitingBytes  int64   `json:"waitingBytes"`
	OldestSeconds float64 `json:"oldestSeconds"`
	Delivered     uint64  `json:"delivered"` // events
	Reports       uint64  `json:"reports"`   // of rules, that were delivered
	Written       uint64  `json:"written"`
	Unwanted      uint64  `json:"unwanted"`
	Retried       uint64  `json:"retried"`
	Merged        uint64  `json:"merged"`
	Dropped       uint64  `json:"dropped"`
	DeadLetters   uint64  `json:"deadLetters"`
	// LagSeconds is the mean time from an event's arrival to its delivery, or to that of what rules
	// report of it; 0 if none was delivered.
	LagSeconds float64 `json:"lagSeconds"`
	// PausedUntil is set while nobody tries the output. Error is why nobody did, until a write has
	// worked.
	PausedUntil time.Time `json:"pausedUntil,omitzero"`
	Error       string    `json:"error,omitempty"`
}

// DeadLetters is the store of them.
type DeadLetters struct {
	Letters    int   `json:"letters"`
	Bytes      int64 `json:"bytes"`
	LimitBytes int64 `json:"limitBytes"`
	Waiting    int   `json:"waiting"` // for room
}

// Checkpoint is what is kept for a restart.
type Checkpoint struct {
	Current       time.Time `json:"current,omitzero"` // up to when everything is in it
	CommitSeconds float64   `json:"commitSeconds"`
	Commits       uint64    `json:"commits"`
	WrittenBytes  int64     `json:"writtenBytes"`
	Error         string    `json:"error,omitempty"` // why it was given up
}

// Reload is how the configuration was last loaded.
type Reload struct {
	Successful bool      `json:"successful"` // the last attempt
	Last       time.Time `json:"last,omitzero"`
	Running    time.Time `json:"running,omitzero"` // when the one began that is under way
	// Successes and Failures are how many there were, without the start. They are metrics.
	Successes, Failures uint64 `json:"-"`
}

// Process is the process as a whole.
type Process struct {
	Goroutines  int     `json:"goroutines"`
	MemoryBytes uint64  `json:"memoryBytes"` // that Go has from the system
	CPUSeconds  float64 `json:"cpuSeconds"`
}

// Severity returns how much trouble a listener has, from 0 on.
func (l *Listener) Severity() int {
	switch {
	case l.State == Failing:
		return 4
	case l.State == Paused || len(l.Troubles()) > 0:
		return 3
	case l.State == Starting:
		return 2
	case l.Letters > 0:
		return 1
	}
	return 0
}
