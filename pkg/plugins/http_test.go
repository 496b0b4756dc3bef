package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// Where a guest that asks for something has its texts: the head of a request, its body and the name
// of a header. What it gets is at address 0 (the status), 8 (a header's length), 16 (the
// body's) and from 1024 and 2048 on.
const atHead, atBody, atName = 8192, 32768, 40960

// asking is a guest that makes a request for each event, some times, and reads the answer.
func asking(head, body, name string, times int32) []byte {
	m := guestModule(imported(abi.ModuleHTTP, "request"), imported(abi.ModuleHTTP, "header"),
		imported(abi.ModuleHTTP, "body"))
	m.Data(atHead, head)
	m.Data(atBody, body)
	m.Data(atName, name)
	request := [][]byte{konst(atHead), konst(int32(len(head))), konst(atBody),
		konst(int32(len(body))), invoke(0)}
	code := [][]byte{
		wasmtest.Times(4, times, wasmtest.Store(0, join(request...))),
		wasmtest.Store(8, join(konst(atName), konst(int32(len(name))), konst(1024), konst(100),
			invoke(1))),
		wasmtest.Store(16, join(konst(2), konst(2048), konst(10), invoke(2))),
		konst(0),
	}
	return onEvent(m, code...)
}

func join(code ...[]byte) (all []byte) {
	for _, c := range code {
		all = append(all, c...)
	}
	return all
}

// httpServer answers on a loopback address.
func httpServer(t testing.TB, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// ask runs one event through a guest, and returns the status, what it read of the header and of the
// body.
func ask(t *testing.T, grant HTTPGrant, wasm []byte) (result int32, header, body string) {
	t.Helper()
	host, _ := testHost(t)
	spec := testSpec(wasm)
	spec.Grants.HTTP = &grant
	return asked(t, instance(t, host, spec))
}

func asked(t *testing.T, i *Instance) (result int32, header, body string) {
	t.Helper()
	expectVerdict(t, i, podAdd(t), Done)
	mem := i.guest.memory
	number := func(at uint32) int32 {
		n, _ := mem.ReadUint32Le(at)
		return int32(n)
	}
	text := func(at uint32, length int32) string {
		if length < 0 {
			return abi.Status(length).String()
		}
		b, _ := mem.Read(at, uint32(length))
		return fmt.Sprintf("%q", b)
	}
	return number(0), text(1024, number(8)), text(2048, number(16))
}

func TestHTTP(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Seen", fmt.Sprintf("%s %s", r.Method, r.Header.Get("X-Own")))
		w.Header().Add("X-Seen", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "12%s", body)
	})
	head := fmt.Sprintf(`{"method":"POST","url":"%s/in/a","headers":{"x-own":"mine"}}`, url)
	result, header, body := ask(t,
		HTTPGrant{Allow: []string{url + "/in"},
			Headers: map[string]string{"Authorization": "theirs"}},
		asking(head, "a body\x00 of bytes", "x-seen", 1))
	// A window of the body, as with objects.
	if result != 202 || header != `"POST mine, theirs"` || body != `"a body\x00 of"` {
		t.Errorf("got %d, %s, %s", result, header, body)
	}
}

func TestHTTPStatuses(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 50))
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	hung := make(chan struct{})
	slow := httpServer(t, func(http.ResponseWriter, *http.Request) { <-hung })
	defer close(hung)
	head := func(url string) string { return fmt.Sprintf(`{"url":%q}`, url) }
	allow := []string{url + "/in/", gone.URL, slow}
	for _, test := range []struct {
		name       string
		grant      HTTPGrant
		head, body string
		times      int32
		want       int32
	}{
		{"as granted", HTTPGrant{}, head(url + "/in/"), "", 1, 200},
		{"as often as granted", HTTPGrant{PerEvent: 2}, head(url + "/in/"), "", 2, 200},
		{"more often", HTTPGrant{PerEvent: 2}, head(url + "/in/"), "", 3, int32(abi.Quota)},
		{"more often than the default", HTTPGrant{}, head(url + "/in/"), "", 5, int32(abi.Quota)},
		{"a refused request does not count", HTTPGrant{PerEvent: 2}, head(url + "/out/"), "", 9,
			int32(abi.Denied)},
		{"as large as granted", HTTPGrant{MaxRequest: 5, MaxResponse: 50}, head(url + "/in/"),
			"12345", 1, 200},
		{"a larger body", HTTPGrant{MaxRequest: 5}, head(url + "/in/"), "123456", 1,
			int32(abi.Quota)},
		{"a larger answer", HTTPGrant{MaxResponse: 49}, head(url + "/in/"), "", 1,
			int32(abi.Quota)},
		{"another path", HTTPGrant{}, head(url + "/out"), "", 1, int32(abi.Denied)},
		{"another server", HTTPGrant{}, head("http://169.254.169.254/in/"), "", 1,
			int32(abi.Denied)},
		{"another method", HTTPGrant{Methods: []string{"PUT"}}, head(url + "/in/"), "", 1,
			int32(abi.Denied)},
		{"a header of the connection", HTTPGrant{},
			fmt.Sprintf(`{"url":"%s/in/","headers":{"host":"x"}}`, url), "", 1, int32(abi.Denied)},
		{"a line break in a header", HTTPGrant{},
			fmt.Sprintf(`{"url":"%s/in/","headers":{"x":"y\nz: 1"}}`, url), "", 1,
			int32(abi.BadArgument)},
		{"dots in the path", HTTPGrant{}, head(url + "/in/../out"), "", 1, int32(abi.BadArgument)},
		{"a user name", HTTPGrant{}, head(strings.Replace(url, "//", "//u:p@", 1) + "/in/"), "", 1,
			int32(abi.BadArgument)},
		{"no JSON", HTTPGrant{}, "GET / HTTP/1.1", "", 1, int32(abi.BadArgument)},
		{"nothing", HTTPGrant{}, "", "", 1, int32(abi.BadArgument)},
		{"a long head", HTTPGrant{}, head(url+"/in/") + strings.Repeat(" ", abi.MaxHTTPHead), "", 1,
			int32(abi.BadArgument)},
		{"nobody answers", HTTPGrant{}, head(gone.URL), "", 1, int32(abi.Unavailable)},
		{"somebody answers late", HTTPGrant{Timeout: 50 * time.Millisecond}, head(slow), "", 1,
			int32(abi.Unavailable)},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.grant.Allow = allow
			result, header, body := ask(t, test.grant,
				asking(test.head, test.body, "Content-Length", test.times))
			if result != test.want {
				t.Errorf("got %d, want %d", result, test.want)
			}
			want := abi.NotFound.String()
			if test.want == 200 {
				want = `"50"`
			}
			if header != want || (body == abi.NotFound.String()) != (test.want != 200) {
				t.Errorf("it read %s and %s", header, body)
			}
		})
	}
}

// An answer is that of one request and one event; so is the number of requests.
func TestHTTPEndsWithTheEvent(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "answer") })
	m := guestModule(imported(abi.ModuleHTTP, "request"), imported(abi.ModuleHTTP, "body"))
	head := fmt.Sprintf(`{"url":%q}`, url)
	m.Data(atHead, head)
	request := join(konst(atHead), local(4), konst(0), konst(0), invoke(0))
	isResync := join(local(0), konst(4), []byte{0x46})
	// For a resync it makes no request, and for a delete a bad one after a good one.
	wasm := onEvent(m,
		konst(int32(len(head))), []byte{0x21, 4},
		isResync, []byte{0x45}, wasmtest.If(wasmtest.Store(0, request)),
		local(0), konst(3), []byte{0x46}, wasmtest.If(konst(1), []byte{0x21, 4}, request, drop),
		wasmtest.Store(16, join(konst(0), konst(2048), konst(10), invoke(1))), konst(0))
	host, _ := testHost(t)
	spec := testSpec(wasm)
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}, PerEvent: 1}
	i := instance(t, host, spec)
	deleted := podAdd(t)
	deleted.Op = 3
	for _, test := range []struct {
		name string
		run  func() error
		want int32
	}{
		{"add", func() error { _, err := i.Handle(t.Context(), podAdd(t)); return err }, 6},
		{"resync", func() error {
			_, err := i.Handle(t.Context(), resyncEvent(t))
			return err
		}, int32(abi.NotFound)},
		{"add again", func() error { _, err := i.Handle(t.Context(), podAdd(t)); return err }, 6},
		{"delete", func() error {
			_, err := i.Handle(t.Context(), deleted)
			return err
		}, int32(abi.NotFound)},
	} {
		if err := test.run(); err != nil {
			t.Fatal(err)
		}
		if n, _ := i.guest.memory.ReadUint32Le(16); int32(n) != test.want {
			t.Errorf("%s: body returns %d, want %d", test.name, int32(n), test.want)
		}
	}
}

func TestHTTPHeaderOfALongName(t *testing.T) {
	for length, want := range map[int64]int64{abi.MaxHTTPHead: int64(abi.NotFound),
		abi.MaxHTTPHead + 1: int64(abi.BadArgument)} {
		host, _ := testHost(t)
		i := instance(t, host,
			withRights(t, testSpec(probe(imported(abi.ModuleHTTP, "header"), nil, 1024, length, 0,
				0))))
		if result, _, _ := asked(t, i); int64(result) != want {
			t.Errorf("%d bytes: got %d, want %d", length, result, want)
		}
	}
}

func TestHTTPAnswersToBadPointers(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", "1234")
		fmt.Fprint(w, "1234")
	})
	head := fmt.Sprintf(`{"url":%q}`, url)
	for _, test := range []struct {
		code []byte
		want string
	}{
		{join(konst(atName), konst(1), konst(65534), konst(4), invoke(1)),
			"it passed a range of 4 bytes at address 65534, its memory has 65536 bytes"},
		{join(konst(atName), konst(1), konst(-1), konst(-1), invoke(1)),
			"it passed a range of 4 bytes at address 4294967295, its memory has 65536 bytes"},
		{join(konst(0), konst(65534), konst(9), invoke(2)),
			"it passed a range of 4 bytes at address 65534, its memory has 65536 bytes"},
		{join(konst(1), konst(-1), konst(-1), invoke(2)),
			"it passed a range of 3 bytes at address 4294967295, its memory has 65536 bytes"},
	} {
		m := guestModule(imported(abi.ModuleHTTP, "request"), imported(abi.ModuleHTTP, "header"),
			imported(abi.ModuleHTTP, "body"))
		m.Data(atHead, head)
		m.Data(atName, "X")
		wasm := onEvent(m, konst(atHead), konst(int32(len(head))), konst(0), konst(0), invoke(0),
			drop, test.code, drop, konst(0))
		host, _ := testHost(t)
		spec := testSpec(wasm)
		spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}}
		expectProtocolError(t, instance(t, host, spec), "answer", test.want)
	}
}

// A request is given up before the deadline, and the verdict is the guest's.
func TestSlowServerLeavesTimeForAVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for seconds")
	}
	hung := make(chan struct{})
	url := httpServer(t, func(http.ResponseWriter, *http.Request) { <-hung })
	defer close(hung)
	host, log := testHost(t)
	spec := testSpec(asking(fmt.Sprintf(`{"url":"%s/a?token=s3cret"}`, url), "", "x", 1))
	spec.Limits.Deadline = 3 * time.Second
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}}
	if result, _, _ := asked(t, instance(t, host, spec)); result != int32(abi.Unavailable) {
		t.Errorf("got %d", result)
	}
	want := `level=WARN msg="request of the handler failed" listener=pods from="handler http" method=GET host=127.0.0.1 ` +
		`error="context deadline exceeded"` + "\n"
	if log.String() != want {
		t.Errorf("logged %swant   %s", log, want)
	}
}

// A caller that gives up ends the request too, and that is not a crash.
func TestRequestEndsWithItsContext(t *testing.T) {
	begun, hung := make(chan struct{}), make(chan struct{})
	url := httpServer(t, func(http.ResponseWriter, *http.Request) { close(begun); <-hung })
	defer close(hung)
	host, log := testHost(t)
	spec := testSpec(asking(fmt.Sprintf(`{"url":%q}`, url), "", "x", 1))
	spec.Limits.Deadline = time.Hour
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}, Timeout: time.Hour}
	i := instance(t, host, spec)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-begun
		cancel()
	}()
	if _, err := i.Handle(ctx, podAdd(t)); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if i.guest != nil || log.String() != "" {
		t.Errorf("the instance: %v, logged: %s", i.guest, log)
	}
}

// The deadline ends the request as well, even if it leaves the guest no time to be told.
func TestRequestEndsWithTheDeadline(t *testing.T) {
	hung := make(chan struct{})
	url := httpServer(t, func(http.ResponseWriter, *http.Request) { <-hung })
	defer close(hung)
	host, _ := testHost(t)
	spec := testSpec(asking(fmt.Sprintf(`{"url":%q}`, url), "", "x", 1<<30))
	spec.Limits.Deadline = 200 * time.Millisecond
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}, PerEvent: 1 << 30}
	_, err := instance(t, host, spec).Handle(t.Context(), podAdd(t))
	var crash *CrashError
	if !errors.As(err, &crash) || crash.Reason != ReasonDeadline ||
		untimed(crash.Cause) != "it ran longer than 200ms" {
		t.Errorf("got %v", err)
	}
}

func TestFailedRequestsAreLoggedWithinLimits(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	host, log := testHost(t)
	spec := testSpec(asking(fmt.Sprintf(`{"url":%q}`, gone.URL), "", "x", 100))
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{gone.URL}, PerEvent: 100}
	asked(t, instance(t, host, spec))
	if n := strings.Count(log.String(), "connection refused"); n < burst ||
		n > burst+10 ||
		n != strings.Count(log.String(), "\n") {
		t.Errorf("%d lines were logged:\n%s", n, log)
	}
}

func TestHTTPGrantIsChecked(t *testing.T) {
	host, _ := testHost(t)
	allow := []string{"https://h/"}
	for _, test := range []struct {
		grant HTTPGrant
		want  string
	}{
		{HTTPGrant{}, "allow is empty: name at least one URL prefix, such as https://hooks.example.com/"},
		{HTTPGrant{Allow: []string{"https://h/", "h"}},
			`allow "h": it must begin with https:// or http:// and a host`},
		{HTTPGrant{Allow: allow, Methods: []string{"CONNECT"}},
			`method "CONNECT": handlers are not given it`},
		{HTTPGrant{Allow: allow, MaxRequest: -1},
			"max request is -1 bytes, it must be between 1 and 16777216"},
		{HTTPGrant{Allow: allow, MaxResponse: 1 << 30},
			"max response is 1073741824 bytes, it must be between 1 and 16777216"},
		{HTTPGrant{Allow: allow, Timeout: -1}, "timeout is -1ns, it must be positive"},
		{HTTPGrant{Allow: allow, PerEvent: -1}, "requests per event is -1, it must be positive"},
		{HTTPGrant{Allow: allow, Headers: map[string]string{"Host": "s3cret"}},
			`header "Host": it cannot be set`},
	} {
		spec := testSpec(nothing())
		spec.Grants.HTTP = &test.grant
		_, err := host.Load(t.Context(), spec)
		if want := `listener "pods": handler guest.wasm: grants: http: ` + test.want; err == nil ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
