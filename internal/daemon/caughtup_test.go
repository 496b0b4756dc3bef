package daemon

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What has become due while nobody ran is reported of objects as they are by then, and not of those
// that are gone or other ones, whether that is known by a watch or by a list.
func TestWhatIsDueAfterARestart(t *testing.T) {
	const long = 4 * time.Second
	config := func(rule, resync string) string {
		return `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  pods:
    informer: {resource: pods}
    filter: op != "resync"
` + resync + `    rules:
      - {name: stuck, deny: object.status.phase == "Pending"` + rule + `}
    checkpoint: true
    outputs: [audit]
outputs:
  audit: {file: {path: audit.jsonl}}
`
	}
	const once = "[bad violated stuck gone delete good update]"
	for _, c := range []struct {
		rule, resync, want string
		expired            bool
	}{
		{", for: 4s", "", once, false},
		{", for: 4s", "", once, true},
		{", for: 4s", "    resync: 3s\n", once, false},
		{", repeat: 4s", "", "[bad violated stuck gone delete gone resolved stuck good resolved stuck good update]",
			false},
	} {
		t.Run(fmt.Sprint(c.rule, c.resync, c.expired), func(t *testing.T) {
			t.Parallel()
			w := newDocWorld(t)
			for _, name := range []string{"bad", "good", "gone"} {
				w.set(name, "Pending")
			}
			began := time.Now()
			w.life(config(c.rule, c.resync))
			w.set("good", "Running")
			w.set("gone", "")
			if c.expired {
				w.pods.expire()
			}
			time.Sleep(time.Until(began.Add(long + time.Second))) // what is waited for is the time
			wantTold(t, w.life(config(c.rule, c.resync)), c.want)
		})
	}
}

func wantTold(t *testing.T, lines []docLine, want string) {
	t.Helper()
	var got []string
	for _, l := range lines {
		got = append(got, l.pod()+" "+l.what())
	}
	slices.Sort(got)
	if said := "[" + strings.Join(got, " ") + "]"; said != want {
		t.Errorf("got  %s\nwant %s", said, want)
	}
}

// A reload while a restart catches up has rules ask once that is over, too.
func TestReloadWhileARestartCatchesUp(t *testing.T) {
	t.Parallel()
	config := func(severity string) string {
		return `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  pods:
    informer: {resource: pods}
    filter: op != "resync"
    rules:
      - {name: stuck, deny: object.status.phase == "Pending", for: 3s, severity: ` + severity + `}
    checkpoint: true
    outputs: [audit]
outputs:
  audit: {file: {path: audit.jsonl}}
`
	}
	w := newDocWorld(t)
	w.set("bad", "Pending")
	w.set("good", "Pending")
	began := time.Now()
	w.life(config("low"))
	w.set("good", "Running")
	time.Sleep(time.Until(began.Add(4 * time.Second))) // what is waited for is the time

	w.held = make(chan struct{})
	lines := w.lifeWith(config("low"), func(d *started) {
		d.log.waitFor(t, "msg=listening")
		w.config(config("high"))
		d.hangup <- struct{}{}
		d.log.waitFor(t, "reason=SIGHUP")
		close(w.held)
	})
	wantTold(t, lines, "[bad violated stuck good update]")
}

// What a rule has reported that a restart takes away is resolved of an object that was deleted
// while nobody ran, although nothing else asks about deletes.
func TestARuleAndItsObjectAreGoneAfterARestart(t *testing.T) {
	t.Parallel()
	config := func(rules string) string {
		return `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  pods:
    informer: {resource: pods}
    filter: op == "update" || object.metadata.name startsWith "marker"
` + rules + `    checkpoint: true
    outputs: [audit]
outputs:
  audit: {file: {path: audit.jsonl}}
`
	}
	w := newDocWorld(t)
	w.set("gone", "Pending")
	wantTold(t, w.life(config("    rules: [{name: stuck, deny: object.status.phase == \"Pending\"}]\n")),
		"[gone violated stuck]")
	w.set("gone", "")
	w.held = make(chan struct{})
	lines := w.lifeWith(config(""), func(d *started) {
		d.log.waitFor(t, "ended what is remembered of objects that are gone")
		close(w.held)
		eventually(t, func() error {
			if len(w.written()) == 0 {
				return errors.New("nothing has come")
			}
			return nil
		})
	})
	wantTold(t, lines, "[gone resolved stuck]")
}
