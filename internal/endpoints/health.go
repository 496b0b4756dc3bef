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
	all := s.listeners()
	not := troubled(all, func(st State) []string { return slices.Concat(st.Failing, st.Starting) })
	status, text := s.withStalls(verdict(not, "not ready", len(all)))
	health(w, status, text+s.checkpointLine())
}

// healthz reports whether any listener fails, and why, and which are paused.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	all := s.listeners()
	failing := troubled(all, func(st State) []string { return st.Failing })
	status, text := verdict(failing, "failing", len(all))
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
	all := s.listeners()
	not := troubled(all, func(st State) []string { return slices.Concat(st.Failing, st.Starting) })
	status, text := s.withStalls(verdict(not, "not ready", len(all)))
	text, _, _ = strings.Cut(text, "\n")
	health(w, status, text)
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// trouble is a listener and the reasons why it does not get its events.
type trouble struct {
	listener string
	reasons  []string
}

func troubled(listeners []Listener, of func(State) []string) (all []trouble) {
	for _, l := range listeners {
		if l.State == nil {
			continue
		}
		if reasons := of(l.State()); len(reasons) > 0 {
			all = append(all, trouble{l.Name, reasons})
		}
	}
	return all
}

// verdict returns ok if no listener is in trouble, or else a line with their number and one for
// each reason. Texts of the API server are quoted and cut.
func verdict(not []trouble, word string, listeners int) (status int, text string) {
	if len(not) == 0 {
		return http.StatusOK, "ok"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d listeners", word, len(not), listeners)
	for _, t := range not {
		for _, reason := range t.reasons {
			fmt.Fprintf(&b, "\nlistener %+q: %+.500q", t.listener, reason)
		}
	}
	return http.StatusServiceUnavailable, b.String()
}

// paused returns one line about a listener's pause, whatever its guest's text is.
func paused(name string, p backoff.Pause) string {
	return fmt.Sprintf("listener %+q: paused since %s, now until %s: its handler has crashed %d times in a row, at last with %+.300q",
		name, p.Since.UTC().Format(time.RFC3339), p.End.UTC().Format(time.RFC3339), p.Failures,
		fmt.Sprint(p.Cause))
}
