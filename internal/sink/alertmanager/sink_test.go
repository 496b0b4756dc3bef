package alertmanager

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestAlert(t *testing.T) {
	var got []alert
	var path string
	s := open(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, path = nil, r.Method+" "+r.URL.Path
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
	}), Config{Labels: map[string]func(*sink.Message) (string, error){
		"team":     func(*sink.Message) (string, error) { return "shop\xff", nil },
		"empty":    func(*sink.Message) (string, error) { return "", nil },
		"severity": func(*sink.Message) (string, error) { return "page", nil },
	}})
	before := time.Now()
	if errs := s.Write(t.Context(), []sink.Message{report(t, "a", true)}); errs != nil {
		t.Fatal(errs)
	}
	labels := map[string]string{"alertname": "restarts", "severity": "page", "cluster": "prod",
		"listener": "all", "resource": "pods", "namespace": "shop", "name": "a",
		"team": "shop\uFFFD"}
	if path != "POST /am/api/v2/alerts" || len(got) != 1 || !maps.Equal(got[0].Labels, labels) ||
		!reflect.DeepEqual(got[0].Annotations, map[string]string{"message": "9 times"}) ||
		!got[0].StartsAt.Equal(since) || got[0].EndsAt.Before(before.Add(horizon)) ||
		got[0].EndsAt.After(time.Now().Add(horizon)) {
		t.Errorf("got %s %+v", path, got)
	}
	repeated := report(t, "a", true)
	repeated.Report.Repeat = 5 * time.Minute
	before = time.Now()
	if errs := s.Write(t.Context(), []sink.Message{repeated}); errs != nil {
		t.Fatal(errs)
	}
	if got[0].EndsAt.Before(before.Add(20*time.Minute)) ||
		got[0].EndsAt.After(time.Now().Add(20*time.Minute)) {
		t.Errorf("a rule that repeats: %+v", got)
	}
	resolved := report(t, "a", false)
	resolved.Report.Message = ""
	if errs := s.Write(t.Context(), []sink.Message{resolved}); errs != nil {
		t.Fatal(errs)
	}
	if len(got) != 1 || !maps.Equal(got[0].Labels, labels) || got[0].Annotations != nil ||
		!got[0].StartsAt.Equal(since) || !got[0].EndsAt.Equal(resolved.Time) {
		t.Errorf("resolved: got %+v", got)
	}
	resolved.Time = since.Add(-time.Hour) // a clock was set back
	if errs := s.Write(t.Context(), []sink.Message{resolved}); errs != nil {
		t.Fatal(errs)
	}
	if !got[0].EndsAt.Equal(since) {
		t.Errorf("an end before the start: %+v", got)
	}
}

// The alert that fires is the one that ends, whatever became of the object and its labels.
func TestViolatedAndResolved(t *testing.T) {
	to := &fake{}
	phase := "Pending"
	s := open(t, to, Config{Labels: map[string]func(*sink.Message) (string, error){
		"phase": func(*sink.Message) (string, error) { return phase, nil }}})
	write := func(name string, violated bool, firing ...string) {
		t.Helper()
		if errs := s.Write(t.Context(), []sink.Message{report(t, name, violated)}); errs != nil {
			t.Fatal(errs)
		}
		if got := to.firing(); !slices.Equal(got, firing) {
			t.Errorf("firing: %q, want %q", got, firing)
		}
	}
	write("a", true, "a")
	phase = "Running"
	write("b", true, "a", "b")
	write("a", true, "a", "b") // a repeated report
	phase = "Failed"
	write("a", false, "b")
	write("b", false)
	write("a", true, "a")
	write("a", false)
	for _, by := range s.config.Sent.by {
		if len(by.labels) > 0 {
			t.Errorf("%d labels are kept", len(by.labels))
		}
	}
}

// What is violated at objects of the same names in two clusters are two alerts, each with its own
// labels and end.
func TestAlertsOfClusters(t *testing.T) {
	to := &fake{}
	teams := map[string]string{"eu": "shop", "us": "store"}
	s := open(t, to, Config{Labels: map[string]func(*sink.Message) (string, error){
		"team": func(m *sink.Message) (string, error) { return teams[m.Origin.Cluster], nil }}})
	write := func(cluster string, violated bool, firing int) {
		t.Helper()
		m := report(t, "a", violated)
		m.Origin = sinktest.MessageIn(t, cluster, "a", 2).Origin
		if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
			t.Fatal(errs)
		}
		if got := to.firing(); len(got) != firing {
			t.Errorf("%s: %d alerts fire, want %d", cluster, len(got), firing)
		}
	}
	write("eu", true, 1)
	write("us", true, 2)
	clear(teams) // the labels of an end are those of its violation
	write("eu", false, 1)
	write("us", false, 0)
	for _, a := range to.alerts {
		if want := map[string]string{"eu": "shop", "us": "store"}; len(to.alerts) != 2 ||
			a.Labels["team"] != want[a.Labels["cluster"]] {
			t.Errorf("%d alerts, one with %v", len(to.alerts), a.Labels)
		}
	}
}

// Another sink takes over, with other labels.
func TestAlertsOfTheSinkBefore(t *testing.T) {
	to, shared := &fake{}, &Sent{}
	with := func(team string) *Sink {
		return open(t, to, Config{Sent: shared,
			Labels: map[string]func(*sink.Message) (string, error){
				"team": func(*sink.Message) (string, error) { return team, nil }}})
	}
	before, after := with("shop"), with("platform")
	for _, step := range []struct {
		to       *Sink
		name     string
		violated bool
		firing   []string
	}{
		{before, "a", true, []string{"a"}}, {before, "b", true, []string{"a", "b"}},
		{after, "a", true, []string{"a", "b"}}, {after, "c", true, []string{"a", "b", "c"}},
		{after, "a", false, []string{"b", "c"}}, {after, "b", false, []string{"c"}},
		{after, "c", false, nil},
	} {
		m := report(t, step.name, step.violated)
		if errs := step.to.Write(t.Context(), []sink.Message{m}); errs != nil {
			t.Fatal(errs)
		}
		if got := to.firing(); !slices.Equal(got, step.firing) {
			t.Errorf("%s: firing %q, want %q", step.name, got, step.firing)
		}
	}
}

func TestAlertsThatAreRefused(t *testing.T) {
	to := &fake{}
	s := open(t, to, Config{Labels: map[string]func(*sink.Message) (string, error){
		"x": func(m *sink.Message) (string, error) {
			if m.Object.Name() == "failing" {
				return "", errors.New("no such field")
			}
			return "y", nil
		}}})
	messages := []sink.Message{report(t, "a", true), report(t, "invalid", true),
		sinktest.Message(t, "event", 2), report(t, "failing", true), report(t, "b", true)}
	errs := s.Write(t.Context(), messages)
	for i, want := range []string{"", "400", "is not a rule's report: write when: rule != nil",
		`label "x": no such field`, ""} {
		switch {
		case want == "" && errs[i] != nil,
			want != "" && (!sink.IsPermanent(errs[i]) ||
				!strings.Contains(errs[i].Error(), want)):
			t.Errorf("message %d: got %v, want %s", i, errs[i], want)
		}
	}
	if got := to.firing(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("firing: %q", got)
	}
	if errs := s.Write(t.Context(), messages[2:3]); len(errs) != 1 || to.requests > 10 {
		t.Errorf("after %d requests: %v", to.requests, errs)
	}
}

func TestSentIsBounded(t *testing.T) {
	var s Sent
	labels := map[string]string{"a": "b"}
	for i := range maxSent {
		s.set("l", violation{Name: fmt.Sprint(i)}, labels)
	}
	s.set("l", violation{Name: "0"}, labels) // again
	s.set("m", violation{Name: "0"}, labels)
	s.set("l", violation{Name: "last"}, labels)
	if n := len(s.by["l"].labels); n != maxSent || s.labels("l", violation{Name: "last"}) == nil ||
		s.labels("m", violation{Name: "0"}) == nil {
		t.Errorf("%d are kept", n)
	}
}

// What was sent is there again from the cuts that were made of it at any times, and from a cut of
// all.
func TestSentModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sent
		known := map[string]map[violation]map[string]string{"a": {}, "b": {}}
		cuts := map[string]record.Set{"a": {}, "b": {}}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			listener := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "listener")
			v := violation{Rule: rapid.SampledFrom([]string{"r", "r\x00", ""}).Draw(t, "rule"),
				Namespace: rapid.SampledFrom([]string{"", "ns"}).Draw(t, "namespace"), Name: "n",
				Since: rapid.SampledFrom([]int64{0, -1, 1<<63 - 1}).Draw(t, "since")}
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				s.Cut(listener, cuts[listener], "part")
			case 1:
				s.set(listener, v, nil)
				delete(known[listener], v)
			default:
				labels := map[string]string{"x": rapid.String().Draw(t, "label")}
				s.set(listener, v, labels)
				known[listener][v] = labels
			}
		}
		for listener, want := range known {
			s.Cut(listener, cuts[listener], "part")
			whole := record.Set{}
			s.Whole(listener, whole, "part")
			for what, records := range map[string]record.Set{"cuts": cuts[listener], "whole": whole} {
				var again Sent
				if err := again.Restore(listener, records["part"]); err != nil {
					t.Fatal(err)
				}
				for v, labels := range want {
					if got := again.labels(listener, v); !maps.Equal(got, labels) {
						t.Errorf("%s: %+v has %v, want %v", what, v, got, labels)
					}
				}
				if len(records["part"]) != len(want) {
					t.Errorf("%s: %d violations, want %d", what, len(records["part"]), len(want))
				}
			}
		}
	})
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	url := secret.Literal("http://127.0.0.1:1/")
	_, err := New(Config{URL: url, Labels: map[string]func(*sink.Message) (string, error){
		"alertname": func(*sink.Message) (string, error) { return "", nil }}})
	if err == nil || !strings.Contains(err.Error(), "the name of the rule") {
		t.Errorf("a label alertname: %v", err)
	}
	if _, err := New(Config{URL: url, Headers: map[string]secret.Value{
		"content-type": secret.Literal("x")}}); err == nil {
		t.Error("another content type")
	}
	if _, err := New(Config{}); err == nil || !strings.Contains(err.Error(), "url (nothing)") {
		t.Errorf("no URL: %v", err)
	}
}
