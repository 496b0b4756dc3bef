package replica

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/kube/lease"
)

// A listener that has got half of very many objects has more unfinished than a record has room for.
// Its successor hands it all of them, and the ends of those that went meanwhile.
func TestALeaderIsKilledInALargeFirstList(t *testing.T) {
	const objects = 64_000 // with names that cannot be packed
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range objects {
			name := fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(i))))[:40]
			w.pods.objects[name] = podText(name, fmt.Sprint("u", i), 100, "")
		}
		w.pods.past[100] = w.pods.objects
		var out lockedBuffer
		w.log = slog.New(slog.NewTextHandler(&out, nil))
		w.stopAfter = objects / 4
		a := w.start("a")
		<-a.led
		b := w.start("b")
		time.Sleep(10 * time.Second)
		if !strings.Contains(out.String(), "more unfinished than a standby can be told") {
			t.Errorf("it has published %d bytes of %d objects: %s", len(w.leases.Object(theRecord)),
				objects-len(w.delivered), out.String())
		}
		if size := len(w.leases.Object(theRecord)); size > lease.MaxRecord*4/3+4096 { // base64
			t.Errorf("the record has %d bytes", size)
		}
		got := strings.Fields(w.take())
		if len(got) != objects/4 {
			t.Fatalf("%d are delivered", len(got))
		}
		a.kill()
		w.mu.Lock()
		w.stopAfter = 0
		w.mu.Unlock()
		var gone []string
		for i, word := range []string{got[0], got[len(got)-1]} {
			name, _, _ := strings.Cut(strings.TrimPrefix(word, "add:"), "/")
			w.pods.remove(name)
			if i == 0 {
				w.pods.apply(name, "new", "")
			}
			gone = append(gone, name)
		}
		<-b.led
		time.Sleep(30 * time.Second)
		got = strings.Fields(w.take())
		adds, deletes := 0, []string(nil)
		for _, word := range got {
			if op, what, _ := strings.Cut(word, ":"); op == "add" {
				adds++
			} else {
				name, _, _ := strings.Cut(what, "/")
				deletes = append(deletes, name)
			}
		}
		slices.Sort(gone)
		slices.Sort(deletes)
		if adds != objects-1 || !slices.Equal(deletes, gone) {
			t.Errorf("%d adds, deletes of %q, want those of %q", adds, deletes, gone)
		}
		a.bury(t)
		b.end(t)
	})
}
