package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// story is an informer whose status is a function of the time since the beginning.
type story struct {
	begun time.Time
	at    func(since time.Duration) informer.Status
}

func (s *story) Status() informer.Status { return s.at(time.Since(s.begun)) }

// TestCatchingUp: informers are waited for as awaitCaughtUp says.
func TestCatchingUp(t *testing.T) {
	type at = func(time.Duration) informer.Status
	always := func(s informer.Status) at {
		return func(since time.Duration) informer.Status {
			s.Heard = time.Now().Add(-since) // when the watch began
			return s
		}
	}
	busy := func(since time.Duration) informer.Status {
		return informer.Status{Synced: true, Heard: time.Now()}
	}
	forbidden := always(informer.Status{Err: errors.New("forbidden")})
	listed := always(informer.Status{Synced: true, Lists: 1})
	lists := func(since time.Duration) informer.Status {
		if since < time.Minute {
			return informer.Status{Heard: time.Now()}
		}
		return informer.Status{Synced: true, Lists: 1, Heard: time.Now()}
	}
	returns := func(since time.Duration) informer.Status {
		if since < time.Minute {
			return informer.Status{Err: errors.New("connection refused")}
		}
		return informer.Status{Synced: true, Heard: time.Now().Add(time.Minute - since)}
	}
	for name, c := range map[string]struct {
		all  []at
		want time.Duration // 0: at once; less: it waits for good
	}{
		"none":                         {nil, 0},
		"a list":                       {[]at{listed}, 0},
		"a bookmark":                   {[]at{always(informer.Status{Synced: true, Bookmarks: 1})}, 0},
		"a quiet watch":                {[]at{always(informer.Status{Synced: true})}, quietFor},
		"a busy watch":                 {[]at{busy}, openFor},
		"what waits to be stored":      {[]at{always(informer.Status{Synced: true, Lists: 1, Queued: 1})}, openFor},
		"a long list":                  {[]at{lists}, time.Minute},
		"a server that is away":        {[]at{returns}, time.Minute + quietFor},
		"all":                          {[]at{listed, busy}, openFor},
		"forbidden":                    {[]at{forbidden}, -1},
		"one of two is forbidden":      {[]at{forbidden, listed}, openFor},
		"one is, and one lists slowly": {[]at{forbidden, lists}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var all []*story
				for _, a := range c.all {
					all = append(all, &story{begun, a})
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				err := awaitCaughtUp(ctx, func() []*story { return all })
				took := time.Since(begun)
				if (err != nil) != (c.want < 0) {
					t.Fatalf("after %v: %v", took, err)
				}
				if err == nil && (took < c.want || took > c.want+2*lookEach) {
					t.Errorf("it took %v, want %v", took, c.want)
				}
			})
		})
	}
}

// TestCatchingUpOfAnother: an informer that never syncs is not waited for once another one has taken its
// place.
func TestCatchingUpOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		never := &story{begun, func(time.Duration) informer.Status { return informer.Status{} }}
		listed := &story{begun, func(time.Duration) informer.Status {
			return informer.Status{Synced: true, Lists: 1}
		}}
		err := awaitCaughtUp(t.Context(), func() []*story {
			if time.Since(begun) < time.Minute {
				return []*story{never}
			}
			return []*story{listed}
		})
		took := time.Since(begun)
		if err != nil || took < time.Minute || took > time.Minute+lookEach {
			t.Errorf("after %v: %v", took, err)
		}
	})
}
