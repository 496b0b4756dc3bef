package endpoints

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/status"
)

// State says whether a listener gets its events.
type State struct {
	// Failing are the reasons why it does not, in a few words each.
	Failing []string
	// Starting is what it still waits for, if nothing has failed so far.
	Starting []string
}

// livez answers, which is all that it reports: a restart would fix nothing else.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) { health(w, http.StatusOK, "ok") }

// readyz reports whether all listeners get their events, and why some do not.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	status, text := s.ready()
	health(w, status, text+s.checkpointLine())
}

func (s *Server) ready() (status int, text string) {
	clusters := s.clusters()
	status, text = s.withStalls(verdict(s.listeners(), clusters, "not ready", func(st State) []string {
		return slices.Concat(st.Failing, st.Starting)
	}))
	if s.Shards != nil {
		sharding := s.Shards()
		if why := idle(&sharding, clusters); why != "" {
			if rest, ok := strings.CutPrefix(text, "ok"); ok {
				status, text = http.StatusServiceUnavailable, "not ready: shards"+rest
			}
			text += "\n" + why
		}
	}
	return status, text + clusterLines(clusters)
}

// idle returns why a replica does not work on a part of the objects, "" if it does. Without a
// cluster there is nothing to work on.
func idle(s *status.Sharding, clusters []status.Cluster) string {
	if s.Error != "" || len(s.Shards) == 0 {
		return cmp.Or(s.Error, "it is starting")
	}
	for i := range s.Shards {
		if one := &s.Shards[i]; one.Own && !one.Works && (clusters == nil || len(clusters) > 0) {
			return fmt.Sprintf("it has shard %d, and has not begun with it", one.Shard)
		}
	}
	return ""
}

// healthz reports whether any listener fails, and why, and which are paused.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	all, clusters := s.listeners(), s.clusters()
	status, text := verdict(all, clusters, "failing", func(st State) []string { return st.Failing })
	for _, l := range all {
		if l.Route == nil {
			continue
		}
		if p := l.Route().Paused; !p.IsZero() {
			text += "\n" + paused(&l, p)
		}
	}
	health(w, status, text+clusterLines(clusters)+s.checkpointLine())
}

// readyWithoutData reports only how many listeners are not ready, since anybody may connect.
func (s *Server) readyWithoutData(w http.ResponseWriter, _ *http.Request) {
	status, text := s.ready()
	text, _, _ = strings.Cut(text, "\n")
	health(w, status, text)
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// verdict returns ok if no listener has reasons why it gets its events nowhere, or else a line with
// the number of those that have and one for each reason. Texts of the API server are quoted and cut.
func verdict(all []Listener, clusters []status.Cluster, word string,
	of func(State) []string) (code int, text string) {
	reasons, bad := make([][]string, len(all)), make([]bool, len(all))
	for i := range all {
		if state := all[i].State; state != nil {
			reasons[i] = of(state())
			bad[i] = len(reasons[i]) > 0
		}
	}
	not, n := unserved(all, bad, clusters)
	if len(not) == 0 {
		return http.StatusOK, "ok"
	}
	var lines strings.Builder
	for i := range all {
		l := &all[i]
		if !not[share{l.Name, l.Shard}] {
			continue
		}
		for _, reason := range reasons[i] {
			fmt.Fprintf(&lines, "\nlistener %s: %+.500q", l.place(), reason)
		}
	}
	return http.StatusServiceUnavailable, fmt.Sprintf("%s: %d of %d listeners%s", word, len(not), n,
		&lines)
}

// place returns the listener's name, and where it is if there are several of it.
func (l *Listener) place() string {
	text := fmt.Sprintf("%+q", l.Name)
	if l.Shard != "" {
		text += " in shard " + l.Shard
	}
	if l.Cluster != "" {
		text += fmt.Sprintf(" in cluster %+q", l.Cluster)
	}
	return text
}

// paused returns one line about a listener's pause, whatever its guest's text is.
func paused(l *Listener, p backoff.Pause) string {
	return fmt.Sprintf("listener %s: paused since %s, now until %s: its handler has crashed %d times in a row, at last with %+.300q",
		l.place(), p.Since.UTC().Format(time.RFC3339), p.End.UTC().Format(time.RFC3339), p.Failures,
		fmt.Sprint(p.Cause))
}
