package endpoints

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/route"
)

// A paused handler is told of, and does not make informerd unhealthy. What its guest says stays within its line.
func TestHealthTellsOfPauses(t *testing.T) {
	listeners := append(someListeners(), Listener{Name: "other", Route: func() route.Stats {
		return route.Stats{HandlerPauses: 2, Paused: route.Pause{Begin: noon, End: noon.Add(1e9), Since: noon, Crashes: 5, Cause: errors.New("crash")}}
	}})
	res, body := serve(t, &Server{Listeners: listeners}).get("/healthz")
	want := "ok\n" +
		`listener "pods": paused since 2026-03-01T12:00:00Z, now until 2026-03-01T12:02:00Z: ` +
		`its handler has crashed 31 times in a row, at last with "trap: \x1b[31m\nok\u2028 ` + strings.Repeat(`\u00e9`, 300-len("trap: [31m ok  ")-1) + "\"\n" +
		`listener "other": paused since 2026-03-01T12:00:00Z, now until 2026-03-01T12:00:01Z: ` +
		`its handler has crashed 5 times in a row, at last with "crash"`
	if res.StatusCode != http.StatusOK || body != want {
		t.Errorf("%s\ngot  %s\nwant %s", res.Status, body, want)
	}
}
