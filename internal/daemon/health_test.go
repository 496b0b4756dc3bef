package daemon

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// forbid refuses all lists and watches whose path ends so, as an API server does without rights.
func (k *kubernetes) forbid(suffix string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = func(r *http.Request) (int, string) {
		if !strings.HasSuffix(r.URL.Path, suffix) {
			return 0, ""
		}
		return http.StatusForbidden,
			fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"%s is forbidden"}`, suffix[1:])
	}
}

// allow refuses nothing any more.
func (k *kubernetes) allow() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = nil
}

func (d *started) askUntil(t *testing.T, path, want string) {
	t.Helper()
	pattern := regexp.MustCompile("^(?s:" + want + ")$")
	eventually(t, func() error {
		if got := d.ask(t, path); !pattern.MatchString(got) {
			return fmt.Errorf("%s: %s, want %s", path, got, want)
		}
		return nil
	})
}

// A listener that may not list what it wants, or whose resource is not there, is named with the
// reason by /readyz, /healthz and the log; the others work. When the rights come, everything is
// well again.
func TestHealthNamesListenersWithoutRights(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web", "", "")}, "configmaps": nil})
	k.forbid("/namespaces/shop/configmaps")
	d := start(t, parse(t, `http: {address: "127.0.0.1:0"}
health: {address: "127.0.0.1:0"}
`+head+`
  good: {informer: {resource: pods}, outputs: [out]}
  poor: {informer: {resource: configmaps, namespaces: [shop, pay]}, outputs: [out]}
  lost: {informer: {resource: podz}, outputs: [out]}
  curious: {informer: {resource: pods}, filter: 'cached("maps", "shop", "x") == nil', outputs: [out]}
informers: {maps: {resource: configmaps, namespaces: [shop]}}
`), k)
	d.out.waitForLines(t, 1, "/listeners/good")
	curious := `\nlistener "curious": "failed to list configmaps: namespaces/shop/configmaps is forbidden"`
	lost := `\nlistener "lost": "no resource \\"podz\\" on .*"`
	poor := `\nlistener "poor": "failed to list configmaps: namespaces/shop/configmaps is forbidden"`
	d.askUntil(t, "/readyz", `503 not ready: 3 of 4 listeners`+poor+lost+curious)
	d.askUntil(t, "/healthz", `503 failing: 3 of 4 listeners`+poor+lost+curious)
	d.askUntil(t, "/livez", `200 ok`)
	d.log.waitFor(t, `namespace=shop listeners="[poor curious (lookups)]" error="failed to list configmaps: namespaces/shop/configmaps is forbidden"`)
	k.allow()
	d.askUntil(t, "/readyz", `503 not ready: 1 of 4 listeners`+lost)
	d.stop(t)
}

// A server that cannot be reached keeps all listeners from being ready, and says so.
func TestHealthWithoutAServer(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": nil})
	k.url = "http://127.0.0.1:1"
	d := start(t, parse(t, "http: {address: \"127.0.0.1:0\"}\n"+head+
		"  a: {informer: {resource: pods}, outputs: [out]}\n"), k)
	d.askUntil(t, "/readyz", `503 not ready: 1 of 1 listeners\nlistener "a": "the API server http://127.0.0.1:1 cannot be reached: .*refused"`)
	d.askUntil(t, "/healthz", `503 failing: .*`)
	d.stop(t)
}

// How long listeners may take to finish is the configuration's to say.
func TestShutdownTakesAsLongAsItMay(t *testing.T) {
	for _, drain := range []time.Duration{0, 2 * time.Second} {
		k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
		cfg := parse(t, fmt.Sprintf("shutdown: {drain: %s}\n", drain)+head+
			"  a: {informer: {resource: pods}, outputs: [out]}\n")
		reader, writer := io.Pipe() // of which nobody reads more than the beginning
		d := startTo(t, cfg, k, writer)
		if _, err := reader.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		d.cancel()
		d.log.waitFor(t, fmt.Sprintf("grace=%s", drain))
		d.log.waitFor(t, "listener stopped")
		if took := time.Since(begun); took < drain {
			t.Errorf("stopped after %v of %v", took, drain)
		}
		if err := errors.Join(reader.Close(), <-d.done); err != nil {
			t.Error(err)
		}
	}
}
