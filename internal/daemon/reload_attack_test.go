package daemon

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

const attacked = "outputs: {out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, outputs: [out]}\n"

// Whatever takes the place of the configuration changes nothing, and is no reason to end.
func TestWhatIsNoConfigurationChangesNothing(t *testing.T) {
	d := startReloadable(t, attacked, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/pods")
	remove := func() error { return os.RemoveAll(d.path) }
	for name, put := range map[string]func() error{
		"nothing":           remove,
		"empty":             func() error { return os.WriteFile(d.path, nil, 0o600) },
		"a folder":          func() error { return os.Mkdir(d.path, 0o700) },
		"a loop":            func() error { return os.Symlink(d.path, d.path) },
		"a link to nothing": func() error { return os.Symlink("nowhere", d.path) },
		"a pipe":            func() error { return syscall.Mkfifo(d.path, 0o600) },
		"a device":          func() error { return os.Symlink("/dev/zero", d.path) },
		"10 MiB": func() error {
			return os.WriteFile(d.path, make([]byte, 10<<20), 0o600)
		},
		"1 TiB, sparse": func() error {
			if err := os.WriteFile(d.path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(d.path, 1<<40)
		},
		"odd bytes": func() error {
			return os.WriteFile(d.path,
				[]byte("\x00\xff\xfe"+reloadHead+attacked+"\x1b[31m\u2028\xc3"), 0o600)
		},
		"10 MiB text": func() error {
			return os.WriteFile(d.path, []byte(strings.Repeat("a: 1\n", 2<<20)), 0o600)
		},
		"no listener": func() error {
			return os.WriteFile(d.path,
				[]byte(reloadHead+"outputs: {out: {stdout: {}}}\nlisteners: {}\n"), 0o600)
		},
		"another cluster": func() error {
			return os.WriteFile(d.path, []byte(reloadHead+"cluster: {name: other}\n"+attacked),
				0o600)
		},
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if got := d.hup(t); !strings.HasPrefix(got, "ERROR ") || len(got) > 2000 {
			t.Errorf("%s: %.3000s", name, got)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if got := d.reload(t, attacked); !strings.Contains(got, "changes=none") {
		t.Error(got)
	}
	d.stop(t)
	d.out.waitForLines(t, 3, "/listeners/pods")
	if n := strings.Count(d.out.String(), "/listeners/pods"); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
}

// Requests to reload that come during a reload are done after it, and what they find is the last
// word.
func TestManyRequestsAtOnce(t *testing.T) {
	d := startReloadable(t, attacked, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/pods")
	for n := range 20 {
		d.write(t, attacked+fmt.Sprintf("  l%d: {informer: {resource: pods}, outputs: [out]}\n", n))
		for range n % 4 {
			d.hangUp()
		}
	}
	if got := d.reload(t, attacked); strings.HasPrefix(got, "ERROR") {
		t.Error(got)
	}
	if got := d.hup(t); !strings.Contains(got, "changes=none") {
		t.Error(got)
	}
	d.stop(t)
}

// What is no listener, informer or output is in the answer as well.
func TestChangedSettings(t *testing.T) {
	d := startReloadable(t, attacked, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/pods")
	if got := d.reload(t, attacked+"deadLetters: {bytes: 2Mi, age: 1h, whenFull: drop}\n"+
		"shutdown: {drain: 20s}\n"); !strings.Contains(got,
		`changes="deadLetters changed (age, bytes, whenFull); shutdown changed (drain)"`) {
		t.Error(got)
	}
	if got := d.reload(t, attacked+"deadLetters: {bytes: 2Mi}\n"); !strings.Contains(got,
		`changes="deadLetters changed (age, whenFull); shutdown changed (drain)"`) {
		t.Error(got)
	}
	d.stop(t)
}

// A renamed listener and a renamed output are other ones.
func TestRenaming(t *testing.T) {
	d := startReloadable(t, attacked, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/pods")
	for _, c := range []struct{ from, to, want string }{
		{"  pods:", "  web:", `changes="listener web added; listener pods removed"`},
		{"out", "exit", `changes="listener web changed (outputs); output exit added; output out removed"`},
	} {
		text := attacked
		if c.from == "out" {
			text = strings.NewReplacer("{out:", "{exit:", "[out]", "[exit]", "  pods:",
				"  web:").Replace(text)
		} else {
			text = strings.Replace(text, c.from, c.to, 1)
		}
		if got := d.reload(t, text); !strings.Contains(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
		d.out.waitForLines(t, 3, "/listeners/web")
	}
	d.stop(t)
	d.expectNoFailure(t)
}

// While the API server is away, and while a resource does not exist, reloads change what they can.
func TestReloadsWhileNothingCanBeBound(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const head = "outputs: {out: {stdout: {}}}\nlisteners:\n"
	const missing = "  crd: {informer: {resource: gadgets}, outputs: [out]}\n"
	const pods = "  pods: {informer: {resource: pods}, outputs: [out]%s}\n"
	d := startReloadable(t, head+missing, k)
	d.log.waitFor(t, `msg="listener failed, will try again" listener=crd`)
	for n := range 5 {
		text := head + missing + fmt.Sprintf(pods, fmt.Sprintf(", workers: %d", n+1))
		if got := d.reload(t, text); !strings.HasPrefix(got, "INFO ") {
			t.Fatal(got)
		}
	}
	d.out.waitForLines(t, 3, "/listeners/pods")
	for n := range 5 { // the one that cannot be bound changes
		text := head + strings.Replace(missing, "outputs", fmt.Sprintf("workers: %d, outputs", n+2),
			1) +
			fmt.Sprintf(pods, ", workers: 5")
		if got := d.reload(t, text); !strings.Contains(got, "listener crd changed") {
			t.Fatal(got)
		}
	}
	if got := d.reload(t, head+fmt.Sprintf(pods, ", workers: 5")); !strings.Contains(got,
		"listener crd removed") {
		t.Fatal(got)
	}
	d.log.waitFor(t, `msg="listener stopped" listener=crd`)
	d.stop(t)
	if n := strings.Count(d.out.String(), "/listeners/pods"); n != 3 {
		t.Errorf("%d messages of pods, want 3", n)
	}
}

// A reload while the daemon stops does no harm.
func TestReloadsWhileStopping(t *testing.T) {
	out := &gate{open: make(chan struct{}), asked: make(chan struct{})}
	d := reloadableFrom(t, attacked)
	d.started = startTo(t, d.config(t), kubernetesWith(t, teamsAndPods()), out)
	d.log.waitFor(t, "msg=listening listener=pods")
	d.write(t, attacked+"  more: {informer: {resource: pods}, outputs: [out]}\n")
	d.hangup <- struct{}{}
	d.cancel()
	select {
	case d.hangup <- struct{}{}:
	case <-time.After(100 * time.Millisecond): // nobody listens any more
	}
	close(out.open)
	if err := <-d.done; err != nil {
		t.Error(err)
	}
}

// Of many listeners, the one that changes is touched, and no other one.
func TestOneOfManyListenersChanges(t *testing.T) {
	config := func(changed int) string {
		b := &strings.Builder{}
		b.WriteString("outputs: {out: {stdout: {}}}\nlisteners:\n")
		for n := range 300 {
			rest := ""
			if n == changed {
				rest = ", workers: 2"
			}
			fmt.Fprintf(b, "  l%d: {informer: {resource: pods}, select: 'label(\"team\") == \"a\"', "+
				"rules: [{name: r, deny: 'object.x == %d'}], outputs: [out]%s}\n", n, n, rest)
		}
		return b.String()
	}
	d := startReloadable(t, config(-1), kubernetesWith(t, teamsAndPods()))
	d.log.waitForLines(t, 300, "msg=listening")
	begun := time.Now()
	if got := d.reload(t, config(77)); !strings.Contains(got,
		`changes="listener l77 changed (workers)"`) {
		t.Error(got)
	}
	t.Logf("one of 300 listeners changed in %v", time.Since(begun))
	d.stop(t)
	if n := strings.Count(d.log.String(), "msg=listening"); n != 300 {
		t.Errorf("%d times listening, want 300: others were touched", n)
	}
}

// An API server that accepts requests and never answers holds up the listeners that need it, and
// neither a reload nor the other listeners. A second reload takes the place of the first one, also
// of what is under way.
func TestReloadsWhileTheServerIsSilent(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const head = "outputs: {out: {stdout: {}}}\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, resync: 1s, outputs: [out]}\n"
	d := startReloadable(t, head, k)
	d.out.waitForLines(t, 3, "/listeners/pods")
	speak := k.silence()
	begun := time.Now()
	const crd = "  crd: {informer: {resource: gadgets}, outputs: [out]}\n"
	const rest = "  maps: {informer: {resource: configmaps}, outputs: [out]}\n" +
		"  other: {informer: {resource: gizmos}, outputs: [out]}\n"
	for n := range 5 {
		for _, step := range []struct{ text, want string }{
			{head + crd + rest, "listener crd added"}, {head + rest, "listener crd removed"},
		} {
			if got := d.reload(t, step.text); !strings.Contains(got, step.want) {
				t.Errorf("got %s, want %s", got, step.want)
			}
			k.waitForSilence(t, 1)
		}
		d.log.waitForLines(t, n+1, `msg="listener stopped" listener=crd`)
	}
	d.out.reset()
	d.out.waitForLines(t, 3, "/listeners/pods") // resyncs
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("what nobody wants any more was waited for: %v", took)
	}
	speak()
	d.out.waitForLines(t, 1, "/listeners/maps")
	d.stop(t)
}

// A thousand SIGHUPs are no more than a few reloads, and the last state of the file is what runs.
func TestAStormOfRequests(t *testing.T) {
	d := reloadableFrom(t, attacked)
	hangup := make(chan struct{}, 1) // as the command has it
	d.started = startWith(t, d.config(t), kubernetesWith(t, teamsAndPods()),
		func(_ *started, o *Options) { o.Hangup = hangup })
	d.out.waitForLines(t, 3, "/listeners/pods")
	for n := range 1000 {
		if n%100 == 0 {
			d.write(t, attacked+fmt.Sprintf("  l%d: {informer: {resource: pods}, outputs: [out]}\n",
				n))
		}
		select {
		case hangup <- struct{}{}:
		default: // one is waiting
		}
	}
	d.out.waitForLines(t, 3, "/listeners/l900")
	d.stop(t)
	stopped := strings.Count(d.log.String(), `msg="listener stopped"`)
	if added := strings.Count(d.log.String(), " added"); added == 0 || stopped != added+1 {
		t.Errorf("%d listeners were added, %d stopped", added, stopped)
	}
	d.out.waitForLines(t, 3, "/listeners/pods")
	if n := strings.Count(d.out.String(), "/listeners/pods"); n != 3 {
		t.Errorf("%d messages of pods, want 3", n)
	}
}
