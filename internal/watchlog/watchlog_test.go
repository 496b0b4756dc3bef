package watchlog

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// reads returns the text of one read of a body.
func reads(t *testing.T, b io.Reader) (string, error) {
	t.Helper()
	p := make([]byte, 3)
	n, err := b.Read(p)
	return string(p[:n]), err
}

func TestWatch(t *testing.T) { synctest.Test(t, watch) }

func watch(t *testing.T) {
	l := New()
	l.Add(1, "one")
	ctx, cancel := context.WithCancel(t.Context())
	first, second := l.Watch(ctx, 0, "list"), l.Watch(t.Context(), 1, "")
	for _, want := range []string{"lis", "t", "one"} {
		if got, err := reads(t, first); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	// A waiting watch gets what is added, whoever else has read it.
	got := make(chan string)
	go func() {
		text, _ := reads(t, second)
		got <- text
	}()
	synctest.Wait()
	l.Add(2, "two")
	if text := <-got; text != "two" {
		t.Errorf("%q", text)
	}
	if text, _ := reads(t, first); text != "two" {
		t.Errorf("%q", text)
	}
	// A record for one watch.
	l.AddOnce(3, "err")
	if text, _ := reads(t, first); text != "err" {
		t.Errorf("%q", text)
	}
	// Each watch ends in its own way.
	cancel()
	if _, err := reads(t, first); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l.Cut()
	if text, err := reads(t, second); text != "" || err != io.EOF {
		t.Errorf("%q, %v", text, err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if opened, closed := l.Bodies(); opened != 2 || closed != 1 {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
}
