package progress

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer"
)

func status(plural string, received uint64, synced bool) informer.Status {
	resource := schema.GroupVersionResource{Version: "v1", Resource: plural}
	return informer.Status{Resource: informer.Resource{GroupVersionResource: resource},
		Received: received, Synced: synced, Objects: 7}
}

func TestText(t *testing.T) {
	failing := status("nodes", 0, false)
	failing.Err = errors.New("no")
	inShop := status("pods", 3<<20, false)
	inShop.Scope.Namespace = "shop\x1b[2J"
	for _, c := range []struct {
		all  []informer.Status
		want string
	}{
		{nil, ""},
		{[]informer.Status{status("pods", 9, true)}, ""},
		{[]informer.Status{status("a", 9, true), inShop}, "first lists: 1 of 2, 7 objects; pods in shop[2J: 3.0 MiB, 1.5 MiB/s"},
		{[]informer.Status{failing}, "first lists: 0 of 1, 0 objects; nodes: waiting, see the log"},
		{[]informer.Status{status("a", 0, false), status("b", 512, false), status("c", 1, false)},
			"first lists: 0 of 3, 0 objects; a: 0 B; b: 512 B, 256 B/s; and 1 more"},
	} {
		if got := Text(c.all, 2*time.Second); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// screen is what a terminal shows.
func screen(text string) string {
	var lines []string
	line := ""
	for text != "" {
		switch {
		case strings.HasPrefix(text, clear):
			line, text = "", text[len(clear):]
		case text[0] == '\n':
			lines, line, text = append(lines, line), "", text[1:]
		default:
			line, text = line+text[:1], text[1:]
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// The line and what others write never share a line of the terminal, and in the end only what
// others wrote is there.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := New(&out, func() int { return 31 })
		var mu sync.Mutex
		done := false
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.Run(context.Background(), func() []informer.Status {
				mu.Lock()
				defer mu.Unlock()
				return []informer.Status{status("pods", 2048, done)}
			})
		}()
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		l.mu.Lock()
		if out.Len() > 0 {
			t.Errorf("there is a line at once: %q", out.String())
		}
		l.mu.Unlock()
		time.Sleep(time.Second)
		if n, err := l.Write([]byte("log one\n")); n != 8 || err != nil {
			t.Errorf("Write is %d, %v", n, err)
		}
		if n, err := l.With(&out).Write([]byte("an event\n")); n != 9 || err != nil {
			t.Errorf("Write is %d, %v", n, err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		l.mu.Lock()
		if got, want := screen(out.String()), "log one\nan event\nfirst lists: 0 of 1, 0 objects"; got !=
			want[:len("log one\nan event\n")+30] {
			t.Errorf("the terminal shows %q", got)
		}
		l.mu.Unlock()
		mu.Lock()
		done = true
		mu.Unlock()
		<-ended
		if _, err := l.Write([]byte("log two\n")); err != nil {
			t.Error(err)
		}
		if got := screen(out.String()); got != "log one\nan event\nlog two\n" {
			t.Errorf("in the end the terminal shows %q", got)
		}
	})
}

// It ends with its context.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
		defer end()
		New(&out, func() int { return 80 }).Run(ctx, func() []informer.Status {
			return []informer.Status{status("pods", 1, false)}
		})
		if got := screen(out.String()); got != "" {
			t.Errorf("the terminal shows %q", got)
		}
	})
}
