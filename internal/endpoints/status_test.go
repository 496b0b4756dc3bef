package endpoints

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

func someStatus() *Server {
	listeners := someListeners()
	listeners[1].State = func() State {
		return State{Failing: []string{strings.Repeat("é\xff", 300)}, Starting: []string{"later"}}
	}
	listeners[2].State = func() State { return State{Starting: []string{"soon"}} }
	return &Server{Cluster: "prod", Version: "v1", Listeners: listeners, Informers: someInformers,
		Letters: func() deadletter.Stats {
			return deadletter.Stats{Letters: 1, Bytes: 2, MaxBytes: 3, Waiting: 4,
				Listeners: map[string]deadletter.ListenerStats{"pods": {Letters: 5}}}
		},
		Checkpoint: func() keeper.Stats {
			return keeper.Stats{Current: noon, Took: time.Second / 2, Commits: 6, Written: 7,
				Failed: errors.New("no space left on device")}
		},
		Reload: func() status.Reload { return status.Reload{Successful: true, Last: noon} },
		Leads:  func() bool { return true },
	}
}

// The answer is what testdata has: its names are for others to rely on.
func TestStatusz(t *testing.T) {
	r := serve(t, someStatus())
	res, body := r.get("/statusz")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	var s status.Status
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	if s.Process.Goroutines == 0 || s.Process.MemoryBytes == 0 || s.Process.CPUSeconds == 0 ||
		time.Since(s.Time) > time.Minute || s.Started.After(s.Time) {
		t.Errorf("%+v of %v, %v", s.Process, s.Started, s.Time)
	}
	s.Time, s.Started, s.Process = noon, noon, status.Process{}
	got, err := json.MarshalIndent(&s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/status.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("got\n%s\nwhich is not %s (%v)", got, file, err)
	}
}

func TestAServerOfNothingHasAStatus(t *testing.T) {
	s := (&Server{}).Status()
	if s.Informers == nil || s.Listeners == nil || !s.Ready || s.DeadLetters != nil {
		t.Errorf("%+v", s)
	}
}

func TestTextsOfOthersAreCut(t *testing.T) {
	for _, text := range []string{"", "x", strings.Repeat("é", 149) + "xx", strings.Repeat("é", 151),
		strings.Repeat("\xff", 500), "x" + strings.Repeat("日", 200)} {
		got := wording.Cut(text, maxStatusText)
		if len(got) > maxStatusText || !utf8.ValidString(got) {
			t.Errorf("%q became %q", text, got)
		}
		if len(text) <= maxStatusText && utf8.ValidString(text) && got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
