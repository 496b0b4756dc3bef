package endpoints

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/backoff"
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
	return s.withStalls(verdict(s.listeners(), "not ready", func(st State) []string {
		return slices.Concat(st.Failing, st.Starting)
	}))
}

// healthz reports whether any listener fails, and why, and which are paused.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	all := s.listeners()
	status, text := verdict(all, "failing", func(st State) []string { return st.Failing })
	for _, l := range all {
		if l.Route == nil {
			continue
		}
		if p := l.Route().Paused; !p.IsZero() {
			text += "\n" + paused(l.Name, p)
		}
	}
	health(w, status, text+s.checkpointLine())
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

// verdict returns ok if no listener has reasons why it does not get its events, or else a line with
// the number of those that have and one for each reason. Texts of the API server are quoted and cut.
func verdict(all []Listener, word string, of func(State) []string) (status int, text string) {
	not := 0
	var lines strings.Builder
	for _, l := range all {
		if l.State == nil {
			continue
		}
		reasons := of(l.State())
		not += oneIf(len(reasons) > 0)
		for _, reason := range reasons {
			fmt.Fprintf(&lines, "\nlistener %+q%s: %+.500q", l.Name, inShard(l.Shard), reason)
		}
	}
	if not == 0 {
		return http.StatusOK, "ok"
	}
	return http.StatusServiceUnavailable, fmt.Sprintf("%s: %d of %d listeners%s", word, not, len(all),
		&lines)
}

func inShard(shard string) string {
	if shard == "" {
		return ""
	}
	return " in shard " + shard
}

// paused returns one line about a listener's pause, whatever its guest's text is.
func paused(name string, p backoff.Pause) string {
	return fmt.Sprintf("listener %+q: paused since %s, now until %s: its handler has crashed %d times in a row, at last with %+.300q",
		name, p.Since.UTC().Format(time.RFC3339), p.End.UTC().Format(time.RFC3339), p.Failures,
		fmt.Sprint(p.Cause))
}
