package daemon

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// startRuntime starts a daemon as Run does, and returns its runtime.
func (d *reloadable) startRuntime(t *testing.T, k *kubernetes) *runtime {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d.started = &started{cancel: cancel, done: make(chan error, 1), hangup: make(chan struct{})}
	o := Options{Kubeconfig: kubeconfig(t, k.url), Stdout: io.Discard,
		Log: slog.New(slog.NewTextHandler(&d.log, nil)), Version: "test", Hangup: d.hangup,
		Load: func() (*config.Config, error) { return config.Load(d.path) }}
	cfg := d.config(t)
	r, err := build(ctx, cfg, Options{Log: o.Log, Stdout: o.Stdout, running: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		err := r.run(ctx, c, o)
		if closing := r.close(context.WithoutCancel(ctx)); err == nil {
			err = closing
		}
		c.close()
		d.done <- err
	}()
	return r
}

// A handler is closed when no listener uses it any more: after an exchange, after a reload that
// fails, with its listener, and also if that has not begun.
func TestHandlersAreClosed(t *testing.T) {
	path := writeGuest(t, passGuest)
	const head = "outputs: {out: {stdout: {}}}\ninformers: {teams: {resource: configmaps}}\nlisteners:\n" +
		"  still: {informer: {resource: pods}, outputs: [out]}\n"
	pods := "  pods: {informer: {resource: pods}, handler: {wasm: " + path +
		"}, outputs: [out]%s}\n"
	k := kubernetesWith(t, teamsAndPods())
	d := reloadableFrom(t, head+fmt.Sprintf(pods, ""))
	r := d.startRuntime(t, k)
	open := func(want int) {
		t.Helper()
		eventually(t, func() error {
			n := r.host.Handlers()
			if guests := r.host.Guests(); n != want || int(guests) > want {
				return fmt.Errorf("%d handlers, %d guests, want %d handlers:\n%s", n, guests, want,
					d.log.String())
			}
			return nil
		})
	}
	d.log.waitForLines(t, 2, "msg=listening")
	open(1)
	for n, guest := range []string{dropGuest, passGuest, dropGuest} {
		wasm, err := hex.DecodeString(guest)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, wasm, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := d.hup(t); strings.HasPrefix(got, "ERROR") {
			t.Fatal(got)
		}
		open(1)
		wrong := fmt.Sprintf(pods, fmt.Sprintf(", workers: %d", n+2)) + strings.Replace(
			fmt.Sprintf(pods, ""), "pods:", "more:", 1) +
			"  wrong: {informer: {resource: pods}, filter: 'object.x ==', outputs: [out]}\n"
		if got := d.reload(t, head+wrong); !strings.Contains(got, "mistakes=1") {
			t.Fatal(got)
		}
		open(1)
		d.reload(t, head+fmt.Sprintf(pods, ""))
	}
	release := k.withhold("configmaps") // those that come wait for a cache
	waits := fmt.Sprintf(pods, `, filter: 'cached("teams", "shop", "a") != nil'`)
	more := strings.Replace(waits, "pods:", "more:", 1)
	for range 3 {
		d.reload(t, head+waits+more)
		open(2)
		d.reload(t, head+waits)
		open(1)
	}
	d.reload(t, head)
	open(0)
	release()
	d.stop(t)
}
