package keeper

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// What a listener was about is known after a second restart, too, when it is at no informer and has
// not sent everything.
func TestWhatAListenerWasAbout(t *testing.T) {
	want := informer.Resource{Kind: "Deployment", GroupVersionResource: schema.GroupVersionResource{
		Group: "apps", Version: "v1", Resource: "deployments"}}
	l, err := readListener(recordtest.Apply(recordtest.Of(func(to record.Writer) {
		to.Put(ResourcePart, event.Key{}, &want, nil)
	})))
	if err != nil || l.Resource != want {
		t.Errorf("got %v, %v, want %v", l, err, want)
	}
}

// Since when an event waits is in the checkpoint, to the millisecond.
func TestTheArrivalIsInTheCheckpoint(t *testing.T) {
	key := event.Key{Namespace: "shop", Name: "web"}
	for _, want := range []time.Duration{0, time.Millisecond, time.Minute, 1000 * time.Hour} {
		of := informer.Unfinished{Key: key, Present: true, Same: true}
		if want > 0 {
			of.Arrived = event.Now() - event.Instant(want)
		}
		records := recordtest.Apply(recordtest.Of(func(to record.Writer) {
			to.Put("unfinished l", key, flags(&of), nil)
		}))
		all, _, err := readUnfinished(records["unfinished l"])
		if err != nil || len(all) != 1 || !all[0].Present || !all[0].Same || all[0].State != nil ||
			(all[0].Arrived == 0) != (want == 0) ||
			time.Duration(all[0].Arrived-of.Arrived).Abs() > 2*time.Millisecond {
			t.Errorf("%v ago: got %+v, %v", want, all, err)
		}
	}
}
