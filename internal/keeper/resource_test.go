package keeper

import (
	"testing"

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
