package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// counters returns the counters of informerd, by series.
func (d *started) counters(t *testing.T) map[string]float64 {
	t.Helper()
	all, kinds := map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(d.ask(t, "/metrics")) {
		words := strings.Fields(line)
		if len(words) == 4 && words[1] == "TYPE" {
			kinds[words[2]] = words[3] == "counter"
		}
		name, _, _ := strings.Cut(line, "{")
		series, value, _ := strings.Cut(line, "} ")
		if !strings.HasPrefix(name, "informerd_") || !kinds[name] {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			t.Fatal(line)
		}
		all[series+"}"] = n
	}
	return all
}

// No reload lets a counter fall: neither the sums of a listener whose output goes, nor the pauses
// of an output that changes, nor the sums over informers of which one ends.
func TestCountersNeverFall(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/0" { // the first one fails, and those that take its place never do
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	const listener = "{informer: {resource: pods, labelSelector: '%s'}, resync: 1s, " +
		"retry: {minBackoff: 10ms, maxBackoff: 20ms}, outputs: [%s]}"
	config := func(away int, more string, outputs string) string {
		return fmt.Sprintf("outputs:\n  a: {file: {path: %q}}\n  b: {file: {path: %q}}\n"+
			"  away: {webhook: {url: \"%s/%d\"}}\nlisteners:\n  pods: "+listener+"\n%s",
			filepath.Join(dir, "a"), filepath.Join(dir, "b"), server.URL, away, "!x", outputs, more)
	}
	more := "  more: " + fmt.Sprintf(listener, "!y", "a") + "\n"
	k := kubernetesWith(t, teamsAndPods())
	d := startReloadable(t, config(0, more, "a, b, away"), k)
	const pauses = `informerd_output_pauses_total{listener="pods",output="away"}`
	const written = `informerd_messages_written_total{listener="pods"}`
	const lists = `informerd_informer_lists_total{namespace="",resource="pods"}`
	var before map[string]float64
	eventually(t, func() error {
		before = d.counters(t)
		if before[pauses] == 0 || before[written] < 6 || before[lists] < 2 {
			return fmt.Errorf("%v, %v, %v", before[pauses], before[written], before)
		}
		return nil
	})
	for _, c := range []struct{ what, text string }{
		{"an output changes", config(1, more, "a, b, away")},
		{"again", config(2, more, "a, b, away")},
		{"an output goes", config(2, more, "a, away")},
		{"an informer ends", config(2, "", "a, away")},
		{"all outputs but one go", config(2, "", "b")},
		{"listener and output come back", config(2, more, "a, b, away")},
		{"a mistake", config(2, "nonsense: 1", "a, b, away")},
	} {
		d.reload(t, c.text)
		now := d.counters(t)
		for series, n := range before {
			if is, there := now[series]; there && is < n {
				t.Errorf("%s: %s falls from %v to %v", c.what, series, n, is)
			}
		}
		for _, series := range []string{written, lists} {
			if _, there := now[series]; !there {
				t.Errorf("%s: there is no %s", c.what, series)
			}
		}
		before = now
	}
	d.stop(t)
}
