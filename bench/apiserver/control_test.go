package apiserver

import (
	"bufio"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/bench/objects"
)

func TestTheBenchmarksHandles(t *testing.T) {
	s := serve(t, small(objects.Pods))
	body := bufio.NewReader(s.open(http.MethodGet, "/api/v1/pods?watch=true&resourceVersion="+
		version(0), http.StatusOK))
	before := time.Now().UnixNano()
	r := get[Release](s, http.MethodPost, "/bench/burst?n=5")
	if r.First != 0 || r.Count != 5 {
		t.Errorf("%+v", r)
	}
	var read int64
	for range 5 {
		line, err := body.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		read += int64(len(line))
	}
	if read != r.Bytes {
		t.Errorf("received %d bytes, %d were announced", read, r.Bytes)
	}
	if r := get[Release](s, http.MethodPost, "/bench/paced?n=2&rate=1000"); r.First != 5 ||
		r.Count != 2 {
		t.Errorf("%+v", r)
	}
	for range 2 {
		if _, err := body.ReadBytes('\n'); err != nil {
			t.Fatal(err)
		}
	}
	times := get[[]int64](s, http.MethodGet, "/bench/written?from=0&n=8")
	if len(times) != 8 || !slices.IsSorted(times[:7]) || times[0] < before ||
		times[6] > time.Now().UnixNano() || times[7] != 0 {
		t.Errorf("%v, begun at %d", times, before)
	}
	want := State{Objects: 12, Events: 30, Out: 7, Written: 7, Watches: 1,
		Version: objects.FirstFreeVersion}
	if got := get[State](s, http.MethodGet, "/bench/state"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}

	// A reset withdraws the changes and ends the watches.
	want.Out, want.Written, want.Watches = 0, 0, 0
	if got := get[State](s, http.MethodPost, "/bench/reset"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if line, err := body.ReadBytes('\n'); err == nil {
		t.Errorf("the watch continues: %s", line)
	}
	if f := func() frame {
		next := s.watch("resourceVersion=" + version(0))
		get[Release](s, http.MethodPost, "/bench/burst?n=1")
		return next()
	}(); f.Object.Metadata.ResourceVersion != version(1) {
		t.Errorf("%+v", f)
	}
}

func TestHandlesThatAreMisused(t *testing.T) {
	s := serve(t, small(objects.Pods))
	for _, c := range []struct{ method, path, want string }{
		{http.MethodPost, "/bench/burst", `n="" is not a number of changes`},
		{http.MethodPost, "/bench/burst?n=-1", `n="-1" is not a number of changes`},
		{http.MethodPost, "/bench/burst?n=0", `cannot release 0 changes, 30 remain`},
		{http.MethodPost, "/bench/burst?n=31", `cannot release 31 changes, 30 remain`},
		{http.MethodPost, "/bench/paced?n=31&rate=1", `cannot release 31 changes, 30 remain`},
		{http.MethodPost, "/bench/paced?n=1", `rate="" is not a number of changes a second`},
		{http.MethodPost, "/bench/paced?n=1&rate=0",
			`rate="0" is not a number of changes a second`},
		{http.MethodGet, "/bench/written?from=29&n=2", `there are 30 changes`},
		{http.MethodGet, "/bench/state?resource=nodes", `resource="nodes" is not served`},
	} {
		if st := s.refusal(c.method, c.path, http.StatusBadRequest); st.Message != c.want {
			t.Errorf("%s: %q, want %q", c.path, st.Message, c.want)
		}
	}
}

func TestAPaceIsEven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChanges(10)
		start := time.Now()
		if _, err := c.paced(4, 600*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 4; n++ {
			_, more := c.state()
			<-more
			if out, _ := c.state(); out != n ||
				time.Since(start) != time.Duration(n)*600*time.Millisecond {
				t.Errorf("after %v %d changes are released", time.Since(start), out)
			}
		}
		// A stopped pace releases no more changes.
		if _, err := c.paced(4, time.Second); err != nil {
			t.Fatal(err)
		}
		c.stop()
		time.Sleep(time.Minute)
		if out, _ := c.state(); out != 4 {
			t.Errorf("%d changes are released", out)
		}
	})
}

func TestCollectionsThatCannotBeServed(t *testing.T) {
	pods := Collection{Kind: objects.Pods, Count: 1, Size: 1}
	for _, c := range []struct {
		collections []Collection
		want        string
	}{
		{nil, "a server needs a collection"},
		{[]Collection{{}}, "collection without a kind"},
		{[]Collection{{Kind: objects.Pods, Size: 1}},
			"collection of pods: count and size must be positive, events not negative"},
		{[]Collection{{Kind: objects.Widgets, Count: 1, Size: 1, Protobuf: true}},
			"collection of widgets: only pods are served as protobuf"},
		{[]Collection{pods, pods}, "collection of pods: configured twice"},
	} {
		if _, err := New(Config{Collections: c.collections}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
