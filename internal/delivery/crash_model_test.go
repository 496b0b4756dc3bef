package delivery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// crashing is an outbox whose process is killed at any time, and goes on with what the last cut
// has. What was offered since comes again, as a subscription's events do.
type crashing struct {
	*story
	random *rand.Rand
	mood   string
	cuts   []recordtest.Cut
	since  []offer // the last cut
	// heard has what the receiver got, and settled what of it a cut knew of.
	heard   []string
	known   int // how many of them are of earlier lives
	settled map[string]bool
	all     []string // in the order in which they were offered first
	wrong   []string
}

// offer is what came of an event.
type offer struct {
	event event.Event
	made  int
}

// TestModelOfCrashes: whatever is cut and whenever the process is killed, each message arrives,
// each object's in their order, and twice only what was taken after the last cut.
func TestModelOfCrashes(t *testing.T) {
	twice := 0
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		pace := drawPace(rt)
		var steps []string
		for range rapid.IntRange(1, 50).Draw(rt, "steps") {
			steps = append(steps, rapid.SampledFrom([]string{"a", "a", "b", "c", "a 2", "b 3",
				"cut", "cut", "whole", "crash", "takes", "takes", "fails", "differs", "10ms",
				"1s"}).Draw(rt, "step"))
		}
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			c := &crashing{random: rand.New(rand.NewPCG(seed, 0)), settled: map[string]bool{}}
			c.live(newStory(t, keep, pace))
			for _, step := range steps {
				c.do(step, pace)
			}
			c.do("crash", pace)
			c.do("takes", pace)
			c.wait(time.Hour)
			c.die()
			wrong = c.check()
			twice += len(c.heard) - len(c.all)
		})
		if len(wrong) > 0 {
			rt.Fatalf("%+v, %q:\n%s", pace, steps, strings.Join(wrong, "\n"))
		}
	})
	if twice == 0 && !testing.Short() {
		t.Error("nothing came twice: this test says nothing")
	}
}

func (c *crashing) do(step string, pace sink.Pace) {
	if d, err := time.ParseDuration(step); err == nil {
		c.wait(d)
		return
	}
	switch step {
	case "takes", "fails", "differs":
		c.out.mu.Lock()
		c.mood = step
		c.out.mu.Unlock()
	case "cut", "whole":
		synctest.Wait() // what was taken is settled
		if c.since = nil; step == "cut" {
			c.cuts = appendCut(c.cuts, c.Outbox)
		} else {
			c.cuts = []recordtest.Cut{wholeOf(c)}
		}
		c.out.mu.Lock()
		for _, h := range c.heard[c.known:] {
			c.settled[h] = true
		}
		c.out.mu.Unlock()
	case "crash":
		c.die()
		next := newStory(c.t, keep, pace)
		next.last = c.last
		if err := next.Restore(backlog(c.t, c.cuts...), next.by); err != nil {
			c.t.Fatal(err)
		}
		again := c.since
		c.since = nil
		c.live(next)
		for _, o := range again {
			c.put(o)
		}
	default:
		var name string
		o := offer{}
		if _, err := fmt.Sscan(step, &name, &o.made); err != nil {
			name = step
		}
		version := 1
		if last := c.last[name]; last != nil {
			if _, err := fmt.Sscan(last.ResourceVersion(), &version); err != nil {
				c.t.Fatal(err)
			}
			version++
		}
		o.event = c.event(fmt.Sprint(name, version))
		c.put(o)
		if o.made == 0 {
			c.all = append(c.all, fmt.Sprint(name, version))
		}
		for i := range o.made {
			c.all = append(c.all, fmt.Sprintf("%s%d:%d", name, version, i))
		}
	}
}

// put offers what came of an event.
func (c *crashing) put(o offer) {
	var made []string
	for i := range o.made {
		made = append(made, fmt.Sprint(i))
	}
	c.since = append(c.since, o)
	c.story.put(o.event, c.entry(o.event, made))
}

// live runs a story.
func (c *crashing) live(s *story) {
	c.story = s
	c.known = len(c.heard)
	s.out.set(func(messages []sink.Message) []error {
		errs := make([]error, len(messages))
		s.out.mu.Lock()
		slow := time.Duration(c.random.IntN(20)) * time.Millisecond
		s.out.mu.Unlock()
		time.Sleep(slow)
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		for i := range messages {
			text := textOfMessage(&messages[i])
			switch {
			case c.mood == "fails" || c.mood == "differs" && c.random.IntN(2) == 0:
				errs[i] = sink.Alone(errDown)
				continue
			case c.settled[text]:
				c.wrong = append(c.wrong, text+" comes again, although the cut knew of it")
			case slices.Contains(c.heard[c.known:], text):
				c.wrong = append(c.wrong, text+" comes twice")
			}
			c.heard = append(c.heard, text)
		}
		return errs
	})
	s.run()
}

// die ends the life.
func (c *crashing) die() {
	c.cancel()
	<-c.ended
}

// check compares what was heard first with what was offered.
func (c *crashing) check() []string {
	for _, name := range []string{"a", "b", "c"} {
		var got, want []string
		for _, h := range c.heard {
			if strings.HasPrefix(h, name) && !slices.Contains(got, h) {
				got = append(got, h)
			}
		}
		for _, o := range c.all {
			if strings.HasPrefix(o, name) {
				want = append(want, o)
			}
		}
		if !slices.Equal(got, want) {
			c.wrong = append(c.wrong, fmt.Sprintf("heard %q\nwant  %q", got, want))
		}
	}
	return c.wrong
}
