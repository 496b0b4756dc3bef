package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// series are the metrics of one scrape, by name and labels.
type series map[string]float64

var seriesLine = regexp.MustCompile(`(?m)^informerd_(\w+)\{(.*)\} (\S+)$`)

func readSeries(t *testing.T, text string) series {
	t.Helper()
	s := series{}
	for _, m := range seriesLine.FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		s[m[1]+" "+m[2]] = value
	}
	return s
}

// sum adds up the metrics of these names with the labels.
func (s series) sum(labels string, names ...string) (sum float64) {
	for key, value := range s {
		for _, name := range names {
			if strings.HasPrefix(key, name+" "+labels) {
				sum += value
			}
		}
	}
	return sum
}

// balance returns what does not add up for an output of a listener: what matched came to the
// output, was not wanted by it, or ended before; and what came to it has ended, or is waiting.
func (s series) balance(listener, output string) error {
	l := fmt.Sprintf("listener=%q", listener)
	o := l + fmt.Sprintf(",output=%q", output)
	matched := s.sum(l, "events_matched_total")
	ended := s.sum(o, "output_events_unwanted_total") + s.sum(l, "handler_events_refused_total") +
		s.sum(l+`,reason="handler-`, "events_retried_total", "dead_letters_total")
	offered := s.sum(o, "output_events_offered_total")
	accounted := s.sum(o, "output_events_delivered_total", "output_events_dead_letters_total",
		"output_events_dropped_total", "output_events_merged_total", "output_events_waiting")
	if matched != ended+offered || offered != accounted {
		return fmt.Errorf("%s to %s: matched %v, ended before %v, offered %v, accounted for %v",
			listener, output, matched, ended, offered, accounted)
	}
	return nil
}

// While outputs and handlers are in trouble, the metrics account for every event that matched.
func TestMetricsAccountForEveryEvent(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/refuses":
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer receiver.Close()
	var pods []string
	for i := range 40 {
		pods = append(pods, named("shop", fmt.Sprintf("web-%d", i), "", ""))
	}
	k := kubernetesWith(t, map[string][]string{"pods": pods})
	hook := func(path string) string { return "webhook: {url: " + receiver.URL + path + "}" }
	d := start(t, parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
state: {dir: state}
shutdown: {drain: 0s}
listeners:
  many:
    informer: {resource: pods}
    filter: '!(object.metadata.name endsWith "7") && (object.metadata.name != "web-1" || object.metadata.name > 1)'
    outputs: [good, some, refuses, mistaken, away]
  traps:
    informer: {resource: pods}
    handler: {wasm: `+writeGuest(t, trapGuest)+`, pauseAfter: 1000, limits: {deadline: 10s}}
    retry: {attempts: 2, minBackoff: 1ms, maxBackoff: 1ms}
    outputs: [good]
outputs:
  good: {`+hook("/good")+`}
  some: {when: 'name startsWith "web-2"', `+hook("/good")+`}
  refuses: {`+hook("/refuses")+`}
  mistaken: {when: 'object.metadata.name > 1', `+hook("/good")+`}
  away: {`+hook("/away")+`}
`), k)
	outputs := [][2]string{{"many", "good"}, {"many", "some"}, {"many", "refuses"},
		{"many", "mistaken"}, {"many", "away"}, {"traps", "good"}}
	var s series
	eventually(t, func() error {
		s = readSeries(t, d.ask(t, "/metrics"))
		for _, o := range outputs {
			if err := s.balance(o[0], o[1]); err != nil {
				return err
			}
		}
		if n := s.sum(`listener="many"`, "events_total", "events_refused_total",
			"events_dropped_total"); n != 40 {
			return fmt.Errorf("%v of 40 events", n)
		}
		if s.sum(`listener="traps",reason="handler-failed"`, "dead_letters_total") != 40 {
			return fmt.Errorf("the handler's events are under way: %v", s)
		}
		return nil
	})
	for _, name := range []string{
		`events_matched_total listener="many"`,
		`dead_letters_total listener="many",reason="filter-failed"`,
		`events_retried_total listener="traps",reason="handler-failed"`,
		`output_events_delivered_total listener="many",output="good"`,
		`output_events_unwanted_total listener="many",output="some"`,
		`output_events_dead_letters_total listener="many",output="refuses"`,
		`output_letters_total listener="many",output="mistaken"`,
		`output_events_waiting listener="many",output="away"`,
		`output_retries_total listener="many",output="away"`,
	} {
		if s[name] == 0 {
			t.Errorf("there is no %s: the test shows nothing of it", name)
		}
	}
	d.stop(t)
}
