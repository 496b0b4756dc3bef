package admin

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/deadletter"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("ADMIN_TEST_DIAL"); dir != "" { // a process of another user
		dialAndReload(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// dialAndReload is what a process of another user does.
func dialAndReload(dir string) {
	c, err := Dial(context.Background(), dir)
	if err == nil {
		_, err = c.Reload(context.Background())
	}
	fmt.Printf("as %d: %v\n", os.Geteuid(), err)
}

// serve serves functions in a folder until the test ends, or until the result is called.
func serve(t *testing.T, dir string, f Functions) (stop func()) {
	t.Helper()
	s, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, f, slog.New(slog.DiscardHandler)) }()
	done := false
	stop = func() {
		if done {
			return
		}
		done = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func dial(t *testing.T, dir string) *Client {
	t.Helper()
	c, err := Dial(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// store returns one with letters of pods with these names.
func store(t *testing.T, names ...string) *deadletter.Store {
	t.Helper()
	s, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, name := range names {
		l := deadletter.Letter{Listener: "pods", Reason: deadletter.Refused, Name: name,
			ResourceVersion: fmt.Sprint(i), Object: []byte(`{"<html>":"` + name + `"}`)}
		if _, err := s.Put(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// named is a Filter that knows the expressions "name NAME", and "fails NAME" for one that fails.
func named(expression string) (func(*deadletter.Letter) (bool, error), error) {
	verb, name, ok := strings.Cut(expression, " ")
	if !ok {
		return nil, fmt.Errorf("no expression: %q", expression)
	}
	return func(l *deadletter.Letter) (bool, error) {
		if verb == "fails" && l.Name == name {
			return false, fmt.Errorf("it failed")
		}
		return verb == "fails" || l.Name == name, nil
	}, nil
}

// names lists letters and errors about them.
func names(t *testing.T, d DeadLetters, s Selection) (text string) {
	t.Helper()
	for l, err := range d.List(t.Context(), s) {
		if err != nil {
			text += "!" + strings.Replace(err.Error(), "letter "+l.ID+":", "letter ID:", 1)
			continue
		}
		text += l.Name + " "
	}
	return text
}

// letterOf returns a letter with an object of that size.
func letterOf(size int) deadletter.Letter {
	return deadletter.Letter{Listener: "pods",
		Object: []byte(`"` + strings.Repeat("x", size) + `"`)}
}
