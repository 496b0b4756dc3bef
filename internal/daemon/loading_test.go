package daemon

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// guestOf is a handler of which one function runs some code: on_event, or configure.
func guestOf(export string, body []byte) string {
	number := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	section := func(id byte, content []byte) []byte {
		return slices.Concat([]byte{id}, number(len(content)), content)
	}
	text := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	event, configure := []byte{0, 0x41, 0, 0x0b}, []byte{0, 0x41, 0, 0x0b}
	if export == "configure" {
		configure = body
	} else {
		event = body
	}
	exports := slices.Concat([]byte{4}, text("memory"), []byte{2, 0}, text("informerd_abi_v1"),
		[]byte{0, 0}, text("on_event"), []byte{0, 1},
		text("configure"), []byte{0, 2})
	code := slices.Concat([]byte{3, 2, 0, 0x0b}, number(len(event)), event, number(len(configure)),
		configure)
	return preamble + hex.EncodeToString(slices.Concat(
		section(1, []byte{3, 0x60, 0, 0, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 1,
			0x7f}),
		section(3, []byte{3, 0, 1, 2}), section(5, []byte{1, 0, 1}), section(7, exports),
		section(10, code)))
}

// refusing is a handler that refuses its configuration.
func refusing() string { return guestOf("configure", []byte{0, 0x41, 7, 0x0b}) }

// slowGuest is a handler that takes minutes to compile: 100 loops, in the innermost of which 5,000
// variables change.
func slowGuest() string {
	const loops, variables = 100, 5_000
	number := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	body := slices.Concat([]byte{1}, number(variables), []byte{0x7e},
		bytes.Repeat([]byte{0x03, 0x40}, loops))
	for v := range uint64(variables) {
		// v++
		body = slices.Concat(body, []byte{0x20}, number(4+v), []byte{0x42, 1, 0x7c, 0x21},
			number(4+v))
	}
	return guestOf("on_event",
		slices.Concat(body, bytes.Repeat([]byte{0x20, 0, 0x0d, 0, 0x0b}, loops),
			[]byte{0x41, 0, 0x0b}))
}

const loading = `http: {address: "127.0.0.1:0"}
` + head + `
  slow: {informer: {resource: pods}, handler: {wasm: SLOW, limits: {load: {time: 1h, memory: 8Gi}}}, outputs: [out]}
  healthy: {informer: {resource: pods}, handler: {wasm: GUEST, grants: {kv: {}}}, outputs: [out]}
  plain: {informer: {resource: pods}, outputs: [out]}
`

// What is compiled meanwhile would take longer than the test may.
func TestAModuleThatCompilesHoldsUpNobody(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	d := start(t, parse(t, strings.NewReplacer("SLOW", writeGuest(t, slowGuest()), "GUEST",
		writeGuest(t, onceGuest)).Replace(loading)), k)
	d.out.waitForLines(t, 1, "/listeners/healthy")
	d.out.waitForLines(t, 1, "/listeners/plain")
	const want = "503 not ready: 1 of 3 listeners\nlistener \"slow\": \"its handler is being loaded\""
	if got := d.ask(t, "/readyz"); got != want {
		t.Errorf("got %q", got)
	}
	if got := d.ask(t, "/healthz"); got != "200 ok" {
		t.Errorf("got %q", got)
	}
	d.stop(t)
}

func TestCheckingEndsWhileAModuleCompiles(t *testing.T) {
	cfg := parse(t, strings.NewReplacer("SLOW", writeGuest(t, slowGuest()), "GUEST",
		writeGuest(t, onceGuest)).Replace(loading))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := Check(ctx, cfg, Options{Log: quiet})
	var mistakes config.Errors
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &mistakes) {
		t.Errorf("got %v", err)
	}
}

// A handler that cannot be loaded is a mistake for who checks the configuration. In a daemon its
// listener fails and is tried again, the others run.
func TestAHandlerThatIsRefusedHoldsUpNobody(t *testing.T) {
	cfg := parse(t, strings.NewReplacer("SLOW", writeGuest(t, refusing()), "GUEST",
		writeGuest(t, onceGuest)).Replace(loading))
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err == nil ||
		!strings.Contains(err.Error(), "refuses its configuration") {
		t.Errorf("checked: %v", err)
	}
	d := start(t, cfg, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 1, "/listeners/healthy")
	d.log.waitFor(t, `level=ERROR msg="listener failed, will try again" listener=slow `)
	for _, path := range []string{"/readyz", "/healthz"} {
		if got := d.ask(t, path); !strings.HasPrefix(got, "503 ") ||
			!strings.Contains(got, "refuses its configuration") {
			t.Errorf("%s: %q", path, got)
		}
	}
	d.stop(t)
}

func TestAListenerIsTriedAgainWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := &listener{name: "pods"}
		begun, tries := time.Now(), []time.Duration(nil)
		err := l.untilItWorks(t.Context(), plain(&log, slog.LevelInfo), func() error {
			if len(tries) > 0 && len(l.health.State().Failing) == 0 {
				t.Error("its health does not say that it fails")
			}
			tries = append(tries, time.Since(begun))
			switch len(tries) {
			case 4:
				time.Sleep(2 * time.Second)
			case 9:
				return nil
			}
			return errors.New("no")
		})
		second := time.Second
		want := []time.Duration{0, second, 3 * second, 7 * second, 27 * second, 43 * second,
			75 * second, 135 * second, 195 * second}
		if err != nil || !slices.Equal(tries, want) || len(l.health.State().Failing) > 0 {
			t.Errorf("tried after %v, %v", tries, err)
		}
		if got := log.String(); got != "level=ERROR msg=\"listener failed, will try again\" listener=pods in=1s error=no\n" {
			t.Errorf("logged %s", got)
		}
	})
}

// Opening what is not a regular file might never end.
func TestOnlyRegularFilesAreModules(t *testing.T) {
	path := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	cfg := parse(t, head+"  pods: {informer: {resource: pods}, handler: {wasm: "+path+
		"}, outputs: [out]}\n")
	expectMistakes(t, cfg, Check(t.Context(), cfg, Options{Log: quiet}),
		`c.yaml:5:54: listener "pods": cannot read the handler: `+path+" is not a regular file")
	path = writeGuest(t, slowGuest())
	cfg = parse(t, head+"  pods: {informer: {resource: pods}, handler: {wasm: "+path+
		", limits: {module: 2Ki}}, outputs: [out]}\n")
	err := Check(t.Context(), cfg, Options{Log: quiet})
	if err == nil || !strings.Contains(err.Error(),
		"at most 2048 are allowed: raise limits.module") {
		t.Errorf("got %v", err)
	}
}

// A listener has begun once its route has all that there was, and not before: a reload that comes
// earlier has another one take its place.
func TestAListenerHasNotBegunBeforeItsRoute(t *testing.T) {
	cfg := parse(t, `
apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners: {pods: {informer: {resource: pods}, outputs: [out]}}
`)
	r, err := build(t.Context(), cfg, Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.close(t.Context()) }()
	l := r.listeners[0] // it is not bound, so its route has no messages
	if begun, err := l.use(nil); begun || err == nil || l.hasBegun() {
		t.Errorf("it has begun: %t, %v", begun, err)
	}
	if changed, _ := l.change(&shard{supervisor: &supervisor{runtime: r}, cluster: &cluster{}}, l.setup()); changed {
		t.Error("a reload changes it")
	}
	l.setup().bound.Store(&binding{messages: &cloudevent.Builder{}})
	if begun, err := l.use(nil); begun || err != nil || l.hasBegun() {
		t.Errorf("it has begun although another one is in its place: %t, %v", begun, err)
	}
}
