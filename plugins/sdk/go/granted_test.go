//go:build !wasip1

package informerd_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// runEvent runs f for one event of a guest in a host.
func runEvent(t *testing.T, h *informerdtest.Host, f func()) informerdtest.Result {
	t.Helper()
	configure = func() error { return nil }
	onEvent = func(*informerd.Event) informerd.Verdict { f(); return informerd.Done }
	return h.Start(t, "").Add(text)
}

// expectError checks that err wraps one of the package's errors and has this text.
func expectError(t *testing.T, err, is error, want string) {
	t.Helper()
	if !errors.Is(err, is) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestKV(t *testing.T) {
	var h informerdtest.Host
	runEvent(t, &h, func() {
		if v, err := informerd.KVGet("a"); v != nil || err != informerd.ErrNotFound {
			t.Errorf("got %q, %v", v, err)
		}
		if err := informerd.KVDelete("a"); err != informerd.ErrNotFound {
			t.Errorf("got %v", err)
		}
		large := bytes.Repeat([]byte("x"), 64<<10)
		for _, value := range [][]byte{[]byte("1"), {}, nil, large} {
			if err := informerd.KVSet("a", value, 0); err != nil {
				t.Error(err)
			}
			if v, err := informerd.KVGet("a"); err != nil || v == nil || !bytes.Equal(v, value) {
				t.Errorf("got %d bytes, %v, want %d", len(v), err, len(value))
			}
		}
		first, _ := informerd.KVGet("a")
		_ = informerd.KVSet("b", []byte("y"), 0)
		if _, err := informerd.KVGet("b"); err != nil || !bytes.Equal(first, large) {
			t.Errorf("a returned value changed later (%v)", err)
		}
		if err := informerd.KVDelete("a"); err != nil {
			t.Error(err)
		}
		expectError(t, informerd.KVSet("", nil, 0), informerd.ErrBadArgument,
			"kv set: bad argument")
		expectError(t, informerd.KVSet("c", make([]byte, 64<<10+1), 0), informerd.ErrQuota,
			`kv set "c": quota`)
		_, err := informerd.KVGet(strings.Repeat("k", 257))
		if !errors.Is(err, informerd.ErrBadArgument) {
			t.Errorf("got %v", err)
		}
	})
	if got := h.Keys(); !reflect.DeepEqual(got, []string{"b"}) {
		t.Errorf("the store's keys are %q", got)
	}
}

func TestKVEnds(t *testing.T) {
	var h informerdtest.Host
	runEvent(t, &h, func() {
		for ttl, wantEnd := range map[time.Duration]time.Duration{
			time.Minute: time.Minute, time.Nanosecond: time.Millisecond,
			1500 * time.Microsecond: 2 * time.Millisecond,
		} {
			if err := informerd.KVSet("k", nil, ttl); err != nil {
				t.Error(err)
			}
			h.Advance(wantEnd - 1)
			if _, ok := h.Value("k"); !ok {
				t.Errorf("with %v it ended before %v", ttl, wantEnd)
			}
			h.Advance(1)
			if _, err := informerd.KVGet("k"); err != informerd.ErrNotFound {
				t.Errorf("with %v it had not ended after %v: %v", ttl, wantEnd, err)
			}
		}
		expectError(t, informerd.KVSet("k", nil, -1), informerd.ErrBadArgument,
			`kv set "k": bad argument`)
		_ = informerd.KVSet("k", nil, 0)
		h.Advance(1e6 * time.Hour)
		if _, err := informerd.KVGet("k"); err != nil {
			t.Errorf("a value without a ttl ended: %v", err)
		}
	})
}

func TestKVCAS(t *testing.T) {
	var h informerdtest.Host
	runEvent(t, &h, func() {
		for n, step := range []struct {
			old, value []byte
			want       bool
		}{
			{[]byte("1"), []byte("2"), false}, // there is none
			{[]byte{}, []byte("2"), false},    // nor an empty one
			{nil, []byte{}, true},
			{nil, []byte("2"), false}, // the key exists now
			{[]byte("1"), []byte("2"), false},
			{[]byte{}, []byte("2"), true},
			{[]byte("2"), []byte("3"), true},
		} {
			if swapped, err := informerd.KVCAS("k", step.old, step.value,
				time.Second); err != nil || swapped != step.want {
				t.Errorf("step %d: got %v, %v", n, swapped, err)
			}
		}
		h.Advance(time.Second)
		if swapped, err := informerd.KVCAS("k", nil, []byte("1"), 0); err != nil || !swapped {
			t.Errorf("the value has not ended: %v, %v", swapped, err)
		}
		_, err := informerd.KVCAS("k", nil, nil, -time.Second)
		expectError(t, err, informerd.ErrBadArgument, `kv cas "k": bad argument`)
		h.LimitKeys(1)
		_, err = informerd.KVCAS("other", nil, nil, 0)
		expectError(t, err, informerd.ErrQuota, `kv cas "other": quota`)
	})
}

func TestHTTP(t *testing.T) {
	const url = "https://hooks.example.com/x?a=1&b=<2>"
	body := strings.Repeat("0123456789", 2000) // more than the buffer
	var h informerdtest.Host
	h.Answer("POST", url, informerdtest.Answer{Status: 201,
		Header: map[string]string{"X-Kind": "a, b"}, Body: body})
	h.Answer("GET", "https://a.example.com/", informerdtest.Answer{})
	h.Answer("GET", "https://b.example.com/", informerdtest.Answer{Err: informerd.ErrDenied})
	runEvent(t, &h, func() {
		r, err := informerd.HTTP(informerd.Request{Method: "POST", URL: url,
			Header: map[string]string{"A": "1"}, Body: []byte("hi")})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != 201 || r.Header("x-kind") != "a, b" || r.Header("none") != "" {
			t.Errorf("got %+v with %q", r, r.Header("x-kind"))
		}
		for range 2 {
			if got, err := r.Body(); err != nil || string(got) != body {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
		}
		empty, err := informerd.HTTP(informerd.Request{URL: "https://a.example.com/"})
		if err != nil || empty.Status != 200 {
			t.Errorf("got %+v, %v", empty, err)
		}
		if got, err := empty.Body(); err != nil || got == nil || len(got) != 0 {
			t.Errorf("got %q, %v", got, err)
		}
		if got, err := r.Body(); got != nil || err != informerd.ErrNotFound ||
			r.Header("x-kind") != "" {
			t.Errorf("the response of another request was returned: %q, %v", got, err)
		}
		_, err = informerd.HTTP(informerd.Request{URL: "https://b.example.com/"})
		expectError(t, err, informerd.ErrDenied, "http: denied")
		_, err = informerd.HTTP(informerd.Request{URL: "https://c.example.com/"})
		expectError(t, err, informerd.ErrUnavailable, "http: unavailable")
		_, err = informerd.HTTP(informerd.Request{URL: "c"})
		expectError(t, err, informerd.ErrBadArgument, "http: bad argument")
	})
	got := h.Requests()
	want := informerdtest.Request{Method: "POST", URL: url, Header: map[string]string{"A": "1"},
		Body: "hi"}
	if len(got) != 4 || !reflect.DeepEqual(got[0], want) || got[1].Method != "GET" ||
		got[1].Body != "" {
		t.Errorf("requests are %+v", got)
	}
}

// A response is valid during its event only.
func TestHTTPAnswerOfAnotherEvent(t *testing.T) {
	var h informerdtest.Host
	h.Answer("GET", "https://a.example.com/",
		informerdtest.Answer{Body: "x", Header: map[string]string{"A": "x"}})
	configure = func() error {
		_, err := informerd.HTTP(informerd.Request{URL: "https://a.example.com/"})
		expectError(t, err, informerd.ErrWrongPhase, "http: wrong phase")
		return nil
	}
	var r *informerd.Response
	onEvent = func(*informerd.Event) informerd.Verdict {
		if r == nil {
			r, _ = informerd.HTTP(informerd.Request{URL: "https://a.example.com/"})
		} else if got, err := r.Body(); got != nil || err != informerd.ErrNotFound ||
			r.Header("a") != "" {
			t.Errorf("got %q, %v", got, err)
		}
		return informerd.Done
	}
	g := h.Start(t, "")
	g.Add(text)
	g.Add(text)
}

func TestCache(t *testing.T) {
	var h informerdtest.Host
	h.SetObjects("pods", `{"metadata":{"namespace":"shop","name":"a"},"items":[0,{"n":1}]}`,
		`{"metadata":{"namespace":"shop","name":"b"},"items":[0,{"n":2}]}`)
	h.SetObjects("nodes", `{"metadata":{"name":"n1"},"truth":true,"null":null}`)
	h.SetIndex("pods", "node", "n1", "shop/a", "shop/b")
	runEvent(t, &h, func() {
		pods, err := informerd.Cache("pods")
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := informerd.Cache("nodes")
		if err != nil {
			t.Fatal(err)
		}
		node, err := nodes.Get("", "n1")
		if err != nil || !node.Exists() || node.String(name) != "n1" || !node.Bool(truth) ||
			!node.Has(null) || node.Has(none) {
			t.Errorf("the node is %s, %v", node.JSON(), err)
		}
		if text := `{"metadata":{"name":"n1"},"truth":true,"null":null}`; string(
			node.JSON()) != text || node.Size() != len(text) {
			t.Errorf("the node is %s, of %d bytes", node.JSON(), node.Size())
		}
		pod, err := pods.Get("shop", "b")
		if err != nil || pod.Int(second) != 2 || pod.Get(app).Exists() ||
			node.String(name) != "n1" {
			t.Errorf("the pod is %s, %v", pod.JSON(), err)
		}
		if _, err := pods.Get("shop", "c"); err != informerd.ErrNotFound {
			t.Errorf("got %v", err)
		}
		var found []string
		for o, err := range pods.ByIndex("node", "n1") {
			found = append(found, fmt.Sprint(o.String(name), o.Int(second), err))
		}
		for range pods.ByIndex("node", "n2") {
			t.Error("found a pod on n2")
		}
		if want := []string{"a1 <nil>", "b2 <nil>"}; !reflect.DeepEqual(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
		_, err = informerd.Cache("secrets")
		expectError(t, err, informerd.ErrDenied, `cache "secrets": denied`)
		_, err = informerd.CacheReader{}.Get("", "n1")
		expectError(t, err, informerd.ErrBadArgument, `cache get "/n1": bad argument`)
		for o, err := range (informerd.CacheReader{}).ByIndex("node", "n1") {
			expectError(t, err, informerd.ErrBadArgument, `cache index "node": bad argument`)
			if o.Exists() {
				t.Error("an object came with the error")
			}
		}
	})
}

// The number of open objects is bounded; closed objects and iterations that ended early do not
// count.
func TestCacheObjectsAreClosed(t *testing.T) {
	var h informerdtest.Host
	h.SetObjects("nodes", `{"metadata":{"name":"n1"}}`)
	h.SetIndex("nodes", "all", "", "n1", "n1", "n1")
	runEvent(t, &h, func() {
		nodes, _ := informerd.Cache("nodes")
		for range 100 {
			for o := range nodes.ByIndex("all", "") {
				o.String(name)
				break
			}
			o, err := nodes.Get("", "n1")
			if err != nil {
				t.Fatal(err)
			}
			o.Close()
		}
		for range 16 {
			if _, err := nodes.Get("", "n1"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := nodes.Get("", "n1")
		expectError(t, err, informerd.ErrQuota, `cache get "/n1": quota`)
	})
	var e informerd.Object
	e.Close() // no effect: an event's object is not from a cache
}

// In Configure, Cache may be called, but not Get.
func TestCacheInConfigure(t *testing.T) {
	var h informerdtest.Host
	h.SetObjects("nodes", `{"metadata":{"name":"n1"}}`)
	configure = func() error {
		nodes, err := informerd.Cache("nodes")
		if err != nil {
			return err
		}
		_, err = nodes.Get("", "n1")
		return err
	}
	_, err := h.Load("")
	if err == nil || err.Error() != `cache get "/n1": wrong phase` {
		t.Errorf("got %v", err)
	}
}

func TestClockAndRandom(t *testing.T) {
	var h informerdtest.Host
	var times []time.Time
	random := make([]byte, 100_000)
	want := make([]byte, len(random))
	_, _ = rand.NewChaCha8([32]byte{7}).Read(want)
	h.SetSeed(7)
	runEvent(t, &h, func() {
		times = append(times, informerd.Now())
		h.Advance(time.Hour)
		times = append(times, informerd.Now())
		h.SetTime(time.Unix(5, 6))
		times = append(times, informerd.Now())
		informerd.Random(random[:3])
		informerd.Random(nil)
		informerd.Random(random[3:])
	})
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if want := []time.Time{begin, begin.Add(time.Hour), time.Unix(5, 6).UTC()}; !reflect.DeepEqual(
		times, want) {
		t.Errorf("got %v, want %v", times, want)
	}
	if !bytes.Equal(random, want) {
		t.Errorf("got %x…, want %x…", random[:20], want[:20])
	}
}
