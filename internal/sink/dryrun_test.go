package sink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// shown returns a sink whose messages are all written with one body.
func shown(t *testing.T, r *sink.DryRun, body string) sink.Sink {
	t.Helper()
	return shownAs(t, r, sink.ShowOf{}, body)
}

func shownAs(t *testing.T, r *sink.DryRun, of sink.ShowOf, body string) sink.Sink {
	t.Helper()
	s, err := r.Sink("o", "file", of, func(show sink.Show) (sink.Sink, error) {
		return sink.NewShown(show, func(m *sink.Message) (sink.Unsent, error) {
			if m.Object.Name() == "bad" {
				return sink.Unsent{}, sink.Permanent(errors.New("bad"))
			}
			return sink.Unsent{Do: "append", To: "/f", Body: []byte(body)}, nil
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each body is one line of text that no terminal takes for commands, and as JSON it is what the
// output would send.
func TestLines(t *testing.T) {
	m := sinktest.Message(t, "web", 1)
	for body, want := range map[string]struct{ text, json string }{
		"":             {"", ""},
		`{"a": "<b>"}`: {`: {"a": "<b>"}`, `{"a":"<b>"}`},
		"a\nb":         {`: a\nb`, `"a\nb"`},
		"\x1b[2J\xff":  {`: \x1b[2J\xff`, `"\u001b[2J\ufffd"`},
	} {
		for _, asJSON := range []bool{false, true} {
			var out bytes.Buffer
			s := shown(t, &sink.DryRun{To: &out, JSON: asJSON}, body)
			if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
				t.Fatal(errs)
			}
			got, whole := strings.CutSuffix(out.String(), "\n")
			wanted := "would append to /f (output o, file) of listener " + m.Origin.Listener +
				" about pods/" + m.Object.Namespace() + "/web" + want.text
			if asJSON {
				var line struct {
					DryRun  bool
					Objects []string
					Body    json.RawMessage
				}
				if err := json.Unmarshal([]byte(got), &line); err != nil || !line.DryRun ||
					len(line.Objects) != 1 {
					t.Fatalf("%v: %s", err, got)
				}
				got, wanted = string(line.Body), want.json
			}
			if got != wanted || !whole {
				t.Errorf("got  %q\nwant %q", got, wanted)
			}
		}
	}
}

// A line has the cluster where there are several.
func TestLinesOfClusters(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		s := shownAs(t, &sink.DryRun{To: &out, JSON: asJSON}, sink.ShowOf{Clusters: true}, "")
		if errs := s.Write(t.Context(), []sink.Message{sinktest.MessageIn(t, "eu", "web", 1)}); errs != nil {
			t.Fatal(errs)
		}
		want := " of listener all in cluster eu about pods/shop/web\n"
		if asJSON {
			want = `"to":"/f","cluster":"eu","listener":"all","objects":["pods/shop/web"]}` + "\n"
		}
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("got %s, want %s", out.String(), want)
		}
	}
}

// A message that the output would refuse fails alone, and one that cannot be shown fails.
func TestFailures(t *testing.T) {
	var out bytes.Buffer
	s := shown(t, &sink.DryRun{To: &out}, "x")
	errs := s.Write(t.Context(), []sink.Message{sinktest.Message(t, "a", 1),
		sinktest.Message(t, "bad", 1), sinktest.Message(t, "b", 1)})
	if len(errs) != 3 || errs[0] != nil || !sink.IsPermanent(errs[1]) || errs[2] != nil ||
		strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %v\n%s", errs, out.String())
	}
	s = shown(t, &sink.DryRun{To: full{}}, "x")
	if errs := s.Write(t.Context(), []sink.Message{sinktest.Message(t, "a", 1)}); errs == nil {
		t.Error("what was not shown was taken")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	errs = s.Write(ended, []sink.Message{sinktest.Message(t, "a", 1)})
	if len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("got %v", errs)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestHost(t *testing.T) {
	for text, want := range map[string]string{
		"https://u:p@hooks.example.com/services/T0/secret?key=1": "https://hooks.example.com/…",
		"http://10.0.0.1:80/": "http://10.0.0.1:80", "http://a?key=1": "http://a",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := sink.ShownURL(u); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

// The answer is one that outputs can read.
func TestAPI(t *testing.T) {
	var got []sink.Unsent
	api := sink.KubeDryRun{Show: func(w sink.Unsent) error {
		got = append(got, w)
		return nil
	}}
	for _, r := range []sink.KubeRequest{
		{Method: "POST", Version: "v1", Resource: "nodes"},
		{Method: "PATCH", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a",
			Name: "b", FieldManager: "f", DryRun: true, ContentType: sink.MergePatch},
	} {
		answer, err := api.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sink.ReadKubeMetadata(answer); err != nil {
			t.Error(err)
		}
	}
	if got[0].To != "/api/v1/nodes" || got[1].To !=
		"/apis/apps/v1/namespaces/a/deployments/b?fieldManager=f&dryRun=All" {
		t.Errorf("got %+v", got)
	}
}
