package browser

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/time/rate"
)

// TestManyListeners: the page of 300 listeners that get 2,000 events a second costs the daemon
// little, and neither of them grows. MINUTES is how long that is watched, 1 by default.
func TestManyListeners(t *testing.T) {
	minutes := 1
	if text := os.Getenv("MINUTES"); text != "" {
		var err error
		if minutes, err = strconv.Atoi(text); err != nil || minutes < 1 {
			t.Fatalf("MINUTES is a number from 1 on, not %q", text)
		}
	}
	const listeners, events = 300, 2000
	w := newWorld(t, listeners)
	const maps = 50
	for i := range maps {
		w.configMap(t, fmt.Sprint("map", i), 0)
	}
	w.load(t, maps, float64(events)/w.getting("configmaps"))
	window := time.Duration(minutes) * time.Minute / 2
	rate, alone := w.measure(t, window)
	b := open(t, w, "")
	b.says("300 listeners")
	paint := ask[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime")
	first := b.heap()
	before := w.status().Process.MemoryBytes
	var heaps []float64
	var both float64
	for range 4 {
		_, cost := w.measure(t, window/2)
		both += cost / 4
		heaps = append(heaps, b.heap())
	}
	after := w.status().Process.MemoryBytes
	t.Logf("%.0f events/s; first paint after %.0f ms; the page costs %.1f %% of a core (%.1f %% "+
		"without it, %.1f %% with it); heap of the page %.1f MB at first, then %.1f MB; daemon %.0f and %.0f MB",
		rate, paint, 100*(both-alone), 100*alone, 100*both, first/1e6, scaled(heaps),
		float64(before)/1e6, float64(after)/1e6)
	switch last := heaps[len(heaps)-1]; {
	case rate < events/2:
		t.Errorf("there are only %.0f events/s", rate)
	case both-alone > 0.05:
		t.Errorf("the page costs %.1f %% of a core", 100*(both-alone))
	case last > 1.3*heaps[0]:
		t.Errorf("the page grows from %.0f to %.0f bytes", heaps[0], last)
	case float64(after) > 1.3*float64(before):
		t.Errorf("the daemon grows from %d to %d bytes", before, after)
	}
	rows := ask[float64](b, "document.querySelectorAll('main section table tbody tr').length")
	if rows != listeners {
		t.Errorf("%v listeners are shown", rows)
	}
	b.accessible("300 listeners")
	b.pictures(w)
	b.clean()
}

// pictures takes those of docs/page.md.
func (b *tab) pictures(w *world) {
	b.t.Helper()
	b.shoot("page-light.png")
	b.look(1280, 900, true)
	b.shoot("page-dark.png")
	b.look(390, 844, false)
	b.shoot("page-phone.png")
	b.look(1280, 1000, false)
	b.visit(w, "listener/dead-output")
	b.says("connection refused")
	b.await(".plot path[d^=M]", "the plots are there")
	b.shoot("page-trouble.png")
	b.visit(w, "listener/watch-006")
	b.says("watch-006")
	b.reach("summary")
	b.press(kb.Enter)
	b.says("delivered to archive")
	b.reach("td button")
	b.press(kb.Enter)
	b.says("The event matches")
	b.shoot("page-explain.png")
}

func scaled(bytes []float64) (all []float64) {
	for _, b := range bytes {
		all = append(all, b/1e6)
	}
	return all
}

// getting returns how many listeners get the events of a resource.
func (w *world) getting(resource string) (n float64) {
	for _, l := range w.status().Listeners {
		if l.Resource == resource {
			n++
		}
	}
	return n
}

// load changes objects at a rate until the test ends.
func (w *world) load(t *testing.T, maps int, perSecond float64) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	t.Cleanup(func() { stop(); <-ended })
	limiter := rate.NewLimiter(rate.Limit(perSecond), 1)
	go func() {
		defer close(ended)
		for round := 1; limiter.Wait(ctx) == nil; round++ {
			w.configMap(t, fmt.Sprint("map", round%maps), round)
		}
	}()
}

// measure returns how many events a second listeners took for a while, and how many cores the
// daemon used.
func (w *world) measure(t *testing.T, window time.Duration) (rate, cores float64) {
	t.Helper()
	taken := func() (n uint64, cpu float64) {
		s := w.status()
		for _, l := range s.Listeners {
			for _, events := range l.Events {
				n += events
			}
		}
		return n, s.Process.CPUSeconds
	}
	events, cpu := taken()
	began := time.Now()
	select {
	case <-time.After(window):
	case <-t.Context().Done():
	}
	over := time.Since(began).Seconds()
	eventsThen, cpuThen := taken()
	return float64(eventsThen-events) / over, (cpuThen - cpu) / over
}

// heap returns how many bytes the page's scripts use, without garbage.
func (b *tab) heap() float64 {
	b.t.Helper()
	b.run(do(heapprofiler.CollectGarbage, cdp.Empty{}))
	return ask[float64](b, "performance.memory.usedJSHeapSize")
}
