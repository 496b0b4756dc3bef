package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/audit"
)

// An audit comes through object by object, and says how far it has come.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	var asked audit.Options
	serve(t, dir, Functions{Audit: func(_ context.Context, listener string, o audit.Options,
		report func(audit.Object)) (audit.Summary, error) {
		asked = o
		switch listener {
		case "missing":
			return audit.Summary{}, audit.Unknown("missing", []string{"pods"})
		case "broken":
			return audit.Summary{}, errors.New("the cluster cannot be listed")
		}
		o.Progress(500)
		for i := range 3 {
			report(audit.Object{Name: fmt.Sprint("p", i), Outcome: "waiting"})
		}
		return audit.Summary{Listener: listener, Objects: 3, Counts: map[string]int{"waiting": 3}},
			nil
	}})
	c := dial(t, dir)
	var got []string
	report := func(o audit.Object) error {
		got = append(got, o.Name)
		return nil
	}
	progress := func(n int) { got = append(got, fmt.Sprint(n)) }
	request := Audit{Listener: "pods", All: true, Patience: 3 * time.Second}
	s, err := c.Audit(t.Context(), request, report, progress)
	if want := []string{"500", "p0", "p1", "p2"}; err != nil || !slices.Equal(got, want) ||
		s.Listener != "pods" || s.Counts["waiting"] != 3 || !asked.All ||
		asked.Patience != 3*time.Second {
		t.Errorf("%v, %q, %+v, %+v", err, got, s, asked)
	}
	var unknown *audit.UnknownError
	_, err = c.Audit(t.Context(), Audit{Listener: "missing"}, report, progress)
	if !errors.As(err, &unknown) ||
		err.Error() != `there is no listener "missing"; the listeners are pods` {
		t.Error(err)
	}
	_, err = c.Audit(t.Context(), Audit{Listener: "broken"}, report, progress)
	if err == nil || err.Error() != "the cluster cannot be listed" || errors.As(err, &unknown) {
		t.Error(err)
	}
	full := errors.New("the disk is full")
	_, err = c.Audit(t.Context(), request, func(audit.Object) error { return full }, progress)
	if !errors.Is(err, full) {
		t.Error(err)
	}
}

// A second audit is refused while one is under way, and one ends when its client leaves.
func TestOneAudit(t *testing.T) {
	dir, began := t.TempDir(), make(chan struct{})
	serve(t, dir, Functions{Audit: func(ctx context.Context, _ string, _ audit.Options,
		_ func(audit.Object)) (audit.Summary, error) {
		close(began)
		<-ctx.Done()
		return audit.Summary{}, ctx.Err()
	}})
	c := dial(t, dir)
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Audit(ctx, Audit{Listener: "a"}, nil, nil)
		ended <- err
	}()
	<-began
	_, err := c.Audit(t.Context(), Audit{Listener: "a"}, nil, nil)
	if err == nil || err.Error() != "another audit is under way: wait for its end" {
		t.Error(err)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A daemon that has none says so.
func TestNoAudit(t *testing.T) {
	dir := t.TempDir()
	serve(t, dir, Functions{})
	c := dial(t, dir)
	if _, err := c.Audit(t.Context(), Audit{}, nil, nil); !errors.Is(err, errNotAvailable) &&
		(err == nil || err.Error() != errNotAvailable.Error()) {
		t.Error(err)
	}
}
