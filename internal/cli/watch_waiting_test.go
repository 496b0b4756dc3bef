package cli

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// It is said once the lists are complete that there is nothing, and only then.
func TestWaiting(t *testing.T) {
	const nothing = "informerd: there is no such object yet; waiting for one\n"
	begun := informer.Status{}
	empty, full := informer.Status{Synced: true}, informer.Status{Synced: true, Objects: 2}
	for name, test := range map[string]struct {
		all  []informer.Status
		want string
		ends bool
	}{
		"no informer yet":      {nil, "", false},
		"one is not complete":  {[]informer.Status{empty, begun}, "", false},
		"there is nothing":     {[]informer.Status{empty, empty}, nothing, true},
		"one has objects":      {[]informer.Status{empty, full}, "", true},
		"all of them are full": {[]informer.Status{full}, "", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out strings.Builder
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				waitForObjects(&out)(ctx, func() []informer.Status { return test.all })
			}()
			time.Sleep(time.Second) // in the bubble's time
			synctest.Wait()
			select {
			case <-ended:
				if !test.ends {
					t.Errorf("%s: it has ended", name)
				}
			default:
				if test.ends {
					t.Errorf("%s: it goes on", name)
				}
			}
			cancel()
			<-ended
			if out.String() != test.want {
				t.Errorf("%s: it says %q", name, out.String())
			}
		})
	}
}
