package endpoints

import (
	"fmt"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/route"
)

// healthz says ok, since who restarts informerd because of the answer would mend nothing, and below that which listeners are
// paused.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	text := "ok"
	for _, l := range s.Listeners {
		if l.Route == nil {
			continue
		}
		if p := l.Route().Paused; !p.IsZero() {
			text += "\n" + paused(l.Name, p)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text))
}

// paused tells of one listener in a line, whatever its guest says.
func paused(name string, p route.Pause) string {
	return fmt.Sprintf("listener %+q: paused since %s, now until %s: its handler has crashed %d times in a row, at last with %+.300q",
		name, p.Since.UTC().Format(time.RFC3339), p.End.UTC().Format(time.RFC3339), p.Crashes, fmt.Sprint(p.Cause))
}
