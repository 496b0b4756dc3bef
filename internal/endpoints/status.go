package endpoints

import (
	"cmp"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

// statusz answers with the pipeline as it is.
func (s *Server) statusz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if wording.WriteJSON(w, s.Status(), "") != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

// Status returns the pipeline as it is.
func (s *Server) Status() *status.Status {
	out := &status.Status{Time: time.Now(), Started: started,
		Version: cmp.Or(s.Version, "unknown"), Cluster: s.Cluster,
		Informers: []status.Informer{}, Listeners: []status.Listener{}, Process: process()}
	if s.Leads != nil {
		if out.Role = "standby"; s.Leads() {
			out.Role = "leader"
		}
	}
	out.Stalled, _ = s.stalled()
	out.Clusters = s.clusters()
	clusters := map[string]*status.Cluster{}
	for i := range out.Clusters {
		clusters[out.Clusters[i].Name] = &out.Clusters[i]
	}
	var shards []status.Shard
	if s.Shards != nil {
		out.Sharding = new(s.Shards())
		shards = out.Sharding.Shards // none while the daemon starts
	}
	if s.Informers != nil {
		for _, in := range s.Informers() {
			out.Informers = append(out.Informers, informerStatus(&in))
			if of := in.Scope.Shard; of.Index < len(shards) && of.Count > 0 {
				shards[of.Index].Objects += in.Objects
			}
			if of := clusters[in.Cluster]; of != nil {
				of.Objects += in.Objects
			}
		}
	}
	slices.SortFunc(out.Informers, func(a, b status.Informer) int {
		return strings.Compare(a.Key(), b.Key())
	})
	letters := map[string]deadletter.ListenerStats{}
	if s.Letters != nil {
		all := s.Letters()
		letters = all.Listeners
		out.DeadLetters = &status.DeadLetters{Letters: all.Letters, Bytes: all.Bytes,
			LimitBytes: all.MaxBytes, Waiting: all.Waiting}
	}
	at := map[string]int{}
	listeners := s.listeners()
	bad := make([]bool, len(listeners))
	for i := range listeners {
		l := &listeners[i]
		shown := l.shown()
		bad[i] = shown.State == status.Failing || shown.State == status.Starting
		if n, err := strconv.Atoi(l.Shard); err == nil && n < len(shards) {
			of := &shards[n]
			of.Waiting, of.OldestSeconds = of.Waiting+shown.Waiting(), max(of.OldestSeconds, shown.Oldest())
		}
		if of := clusters[l.Cluster]; of != nil {
			of.Waiting, of.OldestSeconds = of.Waiting+shown.Waiting(), max(of.OldestSeconds, shown.Oldest())
		}
		if i, more := at[l.Name]; more {
			out.Listeners[i].Add(&shown)
			continue
		}
		at[l.Name] = len(out.Listeners)
		shown.Letters = letters[l.Name].Letters
		out.Listeners = append(out.Listeners, shown)
	}
	not, _ := unserved(listeners, bad, out.Clusters)
	out.Ready = len(out.Stalled)+len(not) == 0 && (out.Sharding == nil || idle(out.Sharding, out.Clusters) == "")
	slices.SortFunc(out.Listeners, func(a, b status.Listener) int {
		return strings.Compare(a.Name, b.Name)
	})
	if s.Checkpoint != nil {
		c := s.Checkpoint()
		out.Checkpoint = &status.Checkpoint{Current: c.Current, Commits: c.Commits,
			CommitSeconds: c.Took.Seconds(), WrittenBytes: c.Written, Error: errorText(c.Failed)}
	}
	if s.Reload != nil {
		out.Reload = new(s.Reload())
	}
	return out
}

// started is when the process began, nearly.
var started = time.Now()

func process() status.Process {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(memory)
	return status.Process{Goroutines: runtime.NumGoroutine(), CPUSeconds: cpuSeconds(),
		MemoryBytes: memory[0].Value.Uint64() - memory[1].Value.Uint64()}
}

func informerStatus(in *Informer) status.Informer {
	return status.Informer{
		Resource: in.Resource.String(), Namespace: in.Scope.Namespace,
		LabelSelector: in.Scope.LabelSelector, FieldSelector: in.Scope.FieldSelector,
		Shard: in.Scope.Shard.String(), Cluster: in.Cluster, Foreign: in.Foreign,
		Synced: in.Synced, Objects: in.Objects, Bytes: in.Bytes, MemoryBytes: in.Memory,
		Version: in.ResourceVersion, Queued: in.Queued, Heard: in.Heard, Events: in.Events,
		Lists: in.Lists, Watches: in.Watches, Bookmarks: in.Bookmarks, Skipped: in.Skipped,
		Received: in.Received,
		Error:    errorText(in.Err),
	}
}

// shown returns what is shown of the listener. Its reasons name its cluster, if there are several.
func (l *Listener) shown() status.Listener {
	out := l.status()
	for i, reason := range out.Reasons {
		if l.Cluster != "" {
			out.Reasons[i] = wording.Cut("cluster "+l.Cluster+": "+reason, maxStatusText)
		}
	}
	if b := &out.Buffer; out.State == status.Running {
		out.Due = max(0, b.Events-b.Waiting) + b.Backlog + b.OnDisk
	}
	return out
}

func (l *Listener) status() status.Listener {
	out := status.Listener{Name: l.Name, Resource: l.Resource, State: status.Running,
		Events: map[string]uint64{}, Outputs: []status.Output{}}
	if l.State != nil {
		switch s := l.State(); {
		case len(s.Failing) > 0:
			out.State, out.Reasons = status.Failing, cutAll(slices.Concat(s.Failing, s.Starting))
		case len(s.Starting) > 0:
			out.State, out.Reasons = status.Starting, cutAll(s.Starting)
		}
	}
	if l.Buffer != nil {
		b := l.Buffer()
		out.Refused = b.Refused
		out.Buffer = status.Buffer{Events: b.Held, Waiting: b.Parked, Marked: b.Marked,
			Backlog: b.Backlog, OnDisk: b.OnDisk, Coalesced: b.Coalesced, Dropped: b.Dropped,
			Blocked: b.Blocked, OldestSeconds: ageOf(b.Oldest)}
	}
	if l.Counts != nil {
		n := 0
		for _, count := range l.Counts() {
			n += count
		}
		out.Violations = &n
	}
	if l.Route == nil {
		return out
	}
	r := l.Route()
	for op, n := range r.Events {
		out.Events[op.String()] = n
	}
	if !r.Working.IsZero() {
		out.WorkingSeconds = max(0, time.Since(r.Working).Seconds())
	}
	out.Unselected, out.Filtered, out.Matched, out.Own = r.Unselected, r.Filtered, r.Matched, r.Own
	for _, err := range r.Troubles {
		out.Reasons = append(out.Reasons, errorText(err))
	}
	out.Errors, out.Retried = r.FilterErrors+r.RuleErrors, r.Retried
	out.DeadLetters, out.Written = r.DeadLetters, r.Written
	if r.Handler != nil {
		out.Handler = &status.Handler{Calls: r.HandlerCalls, Crashes: r.HandlerCrashes,
			Dropped: r.Dropped, Emitted: r.Emitted, PausedUntil: r.Paused.End,
			Error: errorText(r.HandlerTrouble)}
		if !r.Paused.IsZero() && out.State == status.Running {
			out.State = status.Paused
		}
	}
	for i := range r.Outputs {
		o := &r.Outputs[i]
		shown := status.Output{Name: o.Output, Waiting: o.Queued, WaitingBytes: o.Made,
			OldestSeconds: ageOf(o.Oldest), Delivered: o.Delivered, Reports: o.Reports,
			Written: o.Written, Unwanted: o.Unwanted, Retried: o.Retried, Merged: o.Merged,
			Dropped: o.Dropped, DeadLetters: o.Letters, PausedUntil: o.Paused.End,
			Error: errorText(o.Trouble)}
		if n := o.Lag.Count(); n > 0 {
			shown.LagSeconds = o.Lag.Sum.Seconds() / float64(n)
		}
		out.Outputs = append(out.Outputs, shown)
	}
	return out
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return wording.Cut(err.Error(), maxStatusText)
}

// maxStatusText is how many bytes of a text of others a status has.
const maxStatusText = 300

func cutAll(texts []string) []string {
	for i := range texts {
		texts[i] = wording.Cut(texts[i], maxStatusText)
	}
	return texts
}
