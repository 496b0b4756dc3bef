package daemon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/admin"
)

// A command learns what a listener knows of an object by its rules: since when a violation is open,
// which outputs have it, and whether the listener is the same as in the configuration.
func TestCommandsLearnWhatRulesRemember(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web", "", `,"status":{"phase":"Pending"}`)}})
	dir := filepath.Join(t.TempDir(), "state")
	text := "state: {dir: " + dir + `}
apiVersion: informerd.dev/v1alpha1
kind: Config
shutdown: {drain: 100ms}
outputs: {out: {stdout: {}}, away: {webhook: {url: "http://127.0.0.1:1/"}}}
listeners:
  stuck:
    informer: {resource: pods}
    rules:
      - {name: hourly, repeat: 1h, deny: object.status.phase != "Running", message: object.status.phase}
      - {name: for-long, for: 1h, deny: object.status.phase != "Running"}
      - {name: failed, deny: object.status.phase == "Failed"}
    outputs: [out]
  half:
    informer: {resource: pods}
    rules: [{name: partly, deny: object.status.phase != "Running"}]
    outputs: [away, out]
  plain: {informer: {resource: pods}, outputs: [out]}
`
	begun := time.Now()
	cfg := parse(t, text)
	d := start(t, cfg, k)
	defer d.stop(t)
	d.out.waitForLines(t, 2, "dev.informerd.rule.violated")
	d.out.waitForLines(t, 1, "/listeners/plain")
	c, err := admin.Dial(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(listener, name string) *admin.Memory {
		t.Helper()
		known, err := c.Remembers(t.Context(),
			admin.ObjectOf{Listener: listener, Namespace: "shop", Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	// An output has a report before the book knows that.
	eventually(t, func() error {
		known := ask("stuck", "web")
		if len(known.Rules) == 2 && known.Rules[0].Reported.IsZero() {
			return fmt.Errorf("%+v", known)
		}
		return nil
	})
	known := ask("stuck", "web")
	if !known.Listener || !known.Has || known.UID != "shop-web" || known.Idle != "" ||
		known.Selected == nil || !*known.Selected || len(known.Rules) != 2 {
		t.Fatalf("%+v", known)
	}
	hourly, long := known.Rules[0], known.Rules[1]
	recent := func(at time.Time) bool { return !at.Before(begun) && !at.After(time.Now()) }
	if hourly.Rule != "hourly" || !hourly.Violated || !recent(hourly.Since) ||
		!recent(hourly.Reported) || hourly.Next != hourly.Reported.Add(time.Hour) ||
		!slices.Equal(hourly.To, []string{"out"}) || hourly.Message != "Pending" {
		t.Errorf("%+v", hourly)
	}
	if long.Rule != "for-long" || long.Violated || !recent(long.Since) ||
		long.Next != long.Since.Add(time.Hour) || len(long.To)+len(long.Waiting) > 0 {
		t.Errorf("%+v", long)
	}
	eventually(t, func() error {
		if rules := ask("half", "web").Rules; len(rules) != 1 ||
			!slices.Equal(rules[0].To, []string{"out"}) ||
			!slices.Equal(rules[0].Waiting, []string{"away"}) {
			return fmt.Errorf("%+v", rules)
		}
		return nil
	})
	for _, other := range []struct {
		listener, name string
		there, has     bool
	}{{"stuck", "db", true, false}, {"plain", "web", true, true}, {"none", "web", false, false}} {
		known := ask(other.listener, other.name)
		if known.Listener != other.there || known.Has != other.has || len(known.Rules) > 0 {
			t.Errorf("%s, %s: %+v", other.listener, other.name, known)
		}
	}

	var lines strings.Builder
	if err := known.Write(&lines); err != nil || !strings.Contains(lines.String(),
		"\n  rule hourly: violated since ") || !strings.Contains(lines.String(),
		"; reported to out; next report at ") ||
		!strings.Contains(lines.String(), "\n  rule for-long: pending since ") {
		t.Errorf("%v\n%s", err, &lines)
	}
}
