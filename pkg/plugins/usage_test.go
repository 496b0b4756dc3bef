package plugins

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// countingGuest calls clock.v1 now_ns twice for each event and crashes at a delete.
func countingGuest() []byte {
	m := guestModule(imported(abi.ModuleClock, "now_ns"))
	return onEvent(m, invoke(0), drop, invoke(0), drop,
		local(0), konst(3), []byte{
			0x46 /* i32.eq */, 0x04, 0x40}, unreachable, []byte{0x0b}, konst(0))
}

func TestUsage(t *testing.T) {
	host, _ := testHost(t)
	spec := testSpec(countingGuest())
	spec.CountCalls = true
	i := instance(t, host, spec)
	now := HostFunction{abi.ModuleClock, "now_ns"}
	expect := func(calls uint64) {
		t.Helper()
		u := i.Usage()
		want := map[HostFunction]uint64{now: calls}
		if calls == 0 {
			want = map[HostFunction]uint64{}
		}
		if !maps.Equal(u.Calls, want) || u.Memory != 1<<16 && calls > 0 {
			t.Errorf("got %+v, want %d calls", u, calls)
		}
	}
	expect(0)
	for range 2 {
		if _, err := i.Handle(t.Context(), podAdd(t)); err != nil {
			t.Fatal(err)
		}
		expect(2)
	}
	if _, err := i.HandleBatch(t.Context(),
		[]event.Event{podAdd(t), podAdd(t), podAdd(t)}); err != nil {
		t.Fatal(err)
	}
	expect(6)
	gone := podAdd(t)
	gone.Op = event.Delete
	if _, err := i.Handle(t.Context(), gone); err == nil {
		t.Fatal("it did not crash")
	}
	expect(2)
	if _, err := i.Handle(t.Context(), podAdd(t)); err != nil { // another guest
		t.Fatal(err)
	}
	expect(2)
}

// A command has ended when its usage is asked for.
func TestUsageOfCommands(t *testing.T) {
	for _, do := range []string{"", "panic"} {
		spec := commandSpec(t, do)
		spec.CountCalls = true
		i := instance(t, goHost(t), spec)
		_, err := i.HandleBatch(t.Context(), []event.Event{podAdd(t), podAdd(t)})
		if (err != nil) != (do == "panic") {
			t.Fatal(err)
		}
		u := i.Usage()
		if u.Calls[HostFunction{abi.ModuleWASI, "fd_write"}] == 0 || u.Memory < 1<<20 {
			t.Errorf("%s: got %+v", do, u)
		}
	}
}

func TestUsageIsNotCountedUnlessAsked(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(countingGuest()))
	if _, err := i.Handle(t.Context(), podAdd(t)); err != nil {
		t.Fatal(err)
	}
	if u := i.Usage(); u.Calls != nil || u.Memory != 0 {
		t.Errorf("got %+v", u)
	}
}

// What is in Values is what the guest finds, and the other way round.
func TestValues(t *testing.T) {
	host, _ := testHost(t)
	m := guestModule(imported(abi.ModuleKV, "delete"), imported(abi.ModuleKV, "set"))
	m.Data(16, "knew")
	i := instance(t, host, testSpec(onEvent(m,
		konst(16), konst(1), invoke(0), // delete k: 0 if it was there, which is done
		konst(17), konst(1), konst(16), konst(4), konst64(0), invoke(1), drop)))
	if err := i.handler.store.Set([]byte("k"), []byte("before"), 0); err != nil {
		t.Fatal(err)
	}
	r, err := i.Handle(t.Context(), podAdd(t))
	if err != nil || r.Verdict != Done {
		t.Errorf("got %v, %v", r, err)
	}
	if got := i.handler.Values(); !maps.Equal(got, map[string]string{"n": "knew"}) {
		t.Errorf("got %v", got)
	}
}

// roundTrip answers in place of the network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A Transport takes the place of the network, and what the grant refuses does not get to it.
func TestHTTPTransport(t *testing.T) {
	asked := ""
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		asked += r.Method + " " + r.URL.String() + "\n"
		answer := httptest.NewRecorder()
		answer.WriteHeader(http.StatusTeapot)
		return answer.Result(), nil
	})
	grant := HTTPGrant{Allow: []string{"http://127.0.0.1/a"}, Transport: transport}
	grant.setDefaults()
	client, err := outbound.New(grant.client())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for url, want := range map[string]string{"http://127.0.0.1/a/b": "418",
		"http://127.0.0.1/b": "denied"} {
		if got := fetched(t, client, url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
	if asked != "GET http://127.0.0.1/a/b\n" {
		t.Errorf("it was asked for %s", asked)
	}
}

// fetched makes a request and returns the status of its answer, or that of the failure.
func fetched(t *testing.T, client *outbound.Client, url string) string {
	t.Helper()
	head, err := outbound.ParseHead([]byte(`{"url":"` + url + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	request, err := client.Prepare(head, 0)
	if errors.Is(err, outbound.ErrDenied) {
		return "denied"
	}
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(t.Context(), request, nil)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(answer.Status)
}
