package apiserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/bench/objects"
)

func TestAWatchGivesTheChangesAfterItsVersion(t *testing.T) {
	s := serve(t, small(objects.Pods))
	next := s.watch("resourceVersion=" + version(0))
	get[Release](s, http.MethodPost, "/bench/burst?n=15")
	names := map[string]int{}
	for n := 1; n <= 15; n++ {
		f := next()
		if f.Type != "MODIFIED" || f.Object.Metadata.ResourceVersion != version(n) ||
			f.Object.Kind != "Pod" || f.Object.APIVersion != "v1" {
			t.Fatalf("frame %d: %+v", n, f)
		}
		names[f.Object.Metadata.Name]++
	}
	// Twelve objects once each, and then three of them again.
	twice := 0
	for _, n := range names {
		twice += n - 1
	}
	if len(names) != 12 || twice != 3 {
		t.Errorf("changes by object: %v", names)
	}
	if f := s.watch("resourceVersion=" +
		version(13))(); f.Object.Metadata.ResourceVersion != version(14) {
		t.Errorf("a watch from change 13 begins with %+v", f)
	}
}

func TestAWatchFromAnywhereBeginsWithWhatThereIs(t *testing.T) {
	s := serve(t, small(objects.Pods))
	get[Release](s, http.MethodPost, "/bench/burst?n=3")
	next := s.watch("resourceVersion=0")
	changed := 0
	for range 12 {
		f := next()
		if f.Type != "ADDED" || f.Object.Kind != "Pod" {
			t.Fatalf("%+v", f)
		}
		// objects as created have nine digits
		if len(f.Object.Metadata.ResourceVersion) == len(version(0)) {
			changed++
		}
	}
	if changed != 3 {
		t.Errorf("%d objects are changed ones", changed)
	}
	get[Release](s, http.MethodPost, "/bench/burst?n=1")
	if f := next(); f.Type != "MODIFIED" || f.Object.Metadata.ResourceVersion != version(4) {
		t.Errorf("%+v", f)
	}
}

func TestStreamedListsAreRefusedUnlessAllowed(t *testing.T) {
	const query = "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	st := serve(t, small(objects.Pods)).refusal(http.MethodGet, query,
		http.StatusUnprocessableEntity)
	if st.Reason != "Invalid" ||
		!strings.Contains(st.Message,
			"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled") {
		t.Errorf("%+v", st)
	}

	cfg := small(objects.Pods)
	cfg.WatchList = true
	s := serve(t, cfg)
	next := s.watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
	for range 12 {
		if f := next(); f.Type != "ADDED" {
			t.Fatalf("%+v", f)
		}
	}
	f := next()
	if f.Type != "BOOKMARK" ||
		f.Object.Metadata.Annotations["k8s.io/initial-events-end"] != "true" ||
		f.Object.Metadata.ResourceVersion != version(0) {
		t.Errorf("%+v", f)
	}
}

func TestBookmarksComeToThoseWhoAsk(t *testing.T) {
	cfg := small(objects.Pods)
	cfg.BookmarkEvery = 10 * time.Millisecond
	s := serve(t, cfg)
	get[Release](s, http.MethodPost, "/bench/burst?n=2")
	f := s.watch("resourceVersion=" + version(2) + "&allowWatchBookmarks=true")()
	if f.Type != "BOOKMARK" || f.Object.Metadata.ResourceVersion != version(2) ||
		f.Object.Metadata.Annotations != nil {
		t.Errorf("%+v", f)
	}
	unasked := s.watch("resourceVersion=" + version(2))
	// its bookmark arrives with the others'
	s.watch("resourceVersion=" + version(2) + "&allowWatchBookmarks=true")()
	get[Release](s, http.MethodPost, "/bench/burst?n=1")
	if f := unasked(); f.Type != "MODIFIED" {
		t.Errorf("%+v", f)
	}
}

func TestAWatchEndsWhenItsTimeIsOver(t *testing.T) {
	s := serve(t, small(objects.Pods))
	body := s.open(http.MethodGet, "/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion="+
		version(0), http.StatusOK)
	if text, err := io.ReadAll(body); err != nil || len(text) != 0 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWatchesThatAreRefused(t *testing.T) {
	s := serve(t, small(objects.Pods))
	if st := s.refusal(http.MethodGet, "/api/v1/pods?watch=true&resourceVersion=x",
		http.StatusBadRequest); st.Message != `resourceVersion: Invalid value: "x"` {
		t.Errorf("%+v", st)
	}
	if st := s.refusal(http.MethodGet, "/api/v1/pods?watch=true&resourceVersion="+version(1),
		http.StatusGatewayTimeout); st.Message != "Too large resource version" {
		t.Errorf("%+v", st)
	}
}

// A client that applies the watch to the list has what a later list has, and never sees an object
// recur.
func TestAWatchOfObjectsThatNeverComeTwice(t *testing.T) {
	cfg := small(objects.Pods)
	cfg.Collections[0].Churn = true
	s := serve(t, cfg)
	have, ever := map[string]bool{}, map[string]bool{}
	first := get[page](s, http.MethodGet, "/api/v1/pods")
	for _, o := range first.Items {
		have[o.Metadata.Name], ever[o.Metadata.Name] = true, true
	}
	next := s.watch("resourceVersion=" + first.Metadata.ResourceVersion)
	get[Release](s, http.MethodPost, "/bench/burst?n=30")
	for n := range 30 {
		f := next()
		name := f.Object.Metadata.Name
		if f.Object.Metadata.ResourceVersion != version(n+1) {
			t.Errorf("change %d has the version %s", n, f.Object.Metadata.ResourceVersion)
		}
		switch f.Type {
		case "ADDED":
			if ever[name] {
				t.Errorf("change %d: %s recurs", n, name)
			}
			have[name], ever[name] = true, true
		case "DELETED":
			if !have[name] {
				t.Errorf("change %d: %s is deleted but did not exist", n, name)
			}
			delete(have, name)
		default:
			t.Errorf("change %d is %s", n, f.Type)
		}
	}
	now := get[page](s, http.MethodGet, "/api/v1/pods").Items
	for _, o := range now {
		if !have[o.Metadata.Name] {
			t.Errorf("the list has %s, the watch has not", o.Metadata.Name)
		}
	}
	if len(now) != len(have) {
		t.Errorf("the list has %d objects, the watch leaves %d", len(now), len(have))
	}
}

func TestAFrameIsALine(t *testing.T) {
	d, err := newDataset(Collection{Kind: objects.Widgets, Count: 3, Size: objects.Small,
		Events: 5})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range d.json.frames {
		if strings.Count(string(f), "\n") != 1 || f[len(f)-1] != '\n' || !json.Valid(f) {
			t.Errorf("frame %d: %s", i, f)
		}
		if !json.Valid(d.json.changed[i]) ||
			!strings.Contains(string(f), string(d.json.changed[i])) {
			t.Errorf("object of frame %d: %s", i, d.json.changed[i])
		}
	}
}
