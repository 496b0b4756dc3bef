package outbound

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDo(t *testing.T) {
	url := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s %s %q", r.Method, r.Host, r.RequestURI,
			r.Proto, body))
		for _, name := range []string{"User-Agent", "X-Own", "Authorization", "Accept-Encoding",
			"Content-Length"} {
			w.Header().Add("X-Headers", fmt.Sprintf("%s=%q", name, r.Header[name]))
		}
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "short and stout")
	})
	c := client(t, Config{Allow: []string{url},
		Headers: map[string]string{"authorization": "Bearer s3cret"}})
	answer, err := send(t.Context(), c,
		Head{"POST", url + "/a%20b?c=d%2F..#e",
			map[string]string{"x-own": "1", "Authorization": "mine"}}, "hi\x00")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status != 418 || string(answer.Body) != "short and stout" {
		t.Errorf("got %d, %q", answer.Status, answer.Body)
	}
	want := "POST " + strings.TrimPrefix(url, "http://") + ` /a%20b?c=d%2F.. HTTP/1.1 "hi\x00"`
	if got := answer.Header.Get("X-Seen"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = `User-Agent=["informerd"], X-Own=["1"], Authorization=["Bearer s3cret"], Accept-Encoding=[], Content-Length=[]`
	want = strings.Replace(want, "Content-Length=[]", "Content-Length=[\"3\"]", 1)
	if got := strings.Join(answer.Header["X-Headers"], ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a name leads to counts, and that it is named is not enough.
func TestNamesDoNotLeadToRefusedAddresses(t *testing.T) {
	reached := 0
	url := server(t, func(http.ResponseWriter, *http.Request) { reached++ })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	named := "http://hooks.example.com:" + port + "/"
	for address, want := range map[[4]byte]string{
		{127, 0, 0, 1}:       "127.0.0.1 is a loopback address, which the grant does not name",
		{169, 254, 169, 254}: "169.254.169.254 is a link-local address, which the grant does not name",
		{0, 0, 0, 0}:         "0.0.0.0 is an unspecified address, which the grant does not name",
	} {
		// the very address is allowed, for itself
		c := client(t, Config{Allow: []string{named, url}, Resolver: names(address)})
		_, err := get(t, c, named)
		if !errors.Is(err, ErrDenied) || !strings.HasSuffix(err.Error(), "denied: "+want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if reached != 0 {
		t.Error("the server was reached")
	}
}

// The second address of the machine is not the one that is named.
func TestLiteralsAreAllowedOnlyIfNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("this system has one loopback address only")
	}
	defer listener.Close()
	c := client(t, Config{Allow: []string{"http://127.0.0.1/"}})
	_, err = c.dial(t.Context(), "tcp", listener.Addr().String())
	if want := "127.0.0.2 is a loopback address, which the grant does not name"; !errors.Is(err,
		ErrDenied) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	c = client(t, Config{Allow: []string{"http://127.0.0.2/"}})
	conn, err := c.dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestRedirects(t *testing.T) {
	other := server(t, func(http.ResponseWriter, *http.Request) {
		t.Error("the other server was reached")
	})
	var url string
	var seen []string
	url = server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %s %s %s", r.Method, r.URL.Path, body,
			r.Header.Get("X-Fixed")))
		if to := r.URL.Query().Get("to"); to != "" {
			status := http.StatusFound
			if r.URL.Query().Has("keep") {
				status = http.StatusTemporaryRedirect
			}
			w.Header().Set("Location", to)
			w.WriteHeader(status)
			fmt.Fprint(w, "moved")
		}
	})
	port := url[strings.LastIndexByte(url, ':'):]
	loop := "/in/loop?to=/in/loop%3Fto=/in/loop%253Fto=/in/loop%25253Fto=/in/loop%2525253Fto=/in/loop"
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/in/a?to=/in/b", 200, "GET /in/a  f, GET /in/b  f"},
		{"GET", "/in/a?to=b", 200, "GET /in/a  f, GET /in/b  f"},
		{"GET", "/in/a?to=" + url + "/in/b", 200, "GET /in/a  f, GET /in/b  f"},
		{"GET", "/in/a?to=/out/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=../out/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=/in/%252e%252e/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=" + other + "/in/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=http://localhost" + port + "/in/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=http://169.254.169.254/in/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=https://127.0.0.1" + port + "/in/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=http://u:p@127.0.0.1" + port + "/in/b", 302, "GET /in/a  f"},
		{"GET", "/in/a?to=ftp://127.0.0.1/", 302, "GET /in/a  f"},
		{"GET", loop, 302, "GET /in/loop  f, GET /in/loop  f, GET /in/loop  f, GET /in/loop  f"},
		{"PUT", "/in/a?to=/in/b", 302, "PUT /in/a x f"}, // it would become a GET
		{"PUT", "/in/a?keep&to=/in/b", 200, "PUT /in/a x f, PUT /in/b x f"},
	} {
		methods := []string{test.method}
		c := client(t, Config{Allow: []string{url + "/in/", other + "/in/"}, Methods: methods,
			Headers: map[string]string{"X-Fixed": "f"}})
		seen = nil
		body := ""
		if test.method == "PUT" {
			body = "x"
		}
		answer, err := send(t.Context(), c, Head{test.method, url + test.path, nil}, body)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		if answer.Status != test.status ||
			(string(answer.Body) == "moved") != (answer.Status != 200) {
			t.Errorf("%s: got %d, %q", test.path, answer.Status, answer.Body)
		}
		if got := strings.Join(seen, ", "); got != test.want {
			t.Errorf("%s: got  %s\nwant %s", test.path, got, test.want)
		}
	}
}

// TestMain names a proxy in the environment. A client that asked it would come to an address that
// is allowed here, and find nobody.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	c := client(t, Config{Allow: []string{"http://hooks.example.com/", "http://127.0.0.1/"},
		Resolver: names([4]byte{127, 0, 0, 2})})
	_, err := get(t, c, "http://hooks.example.com/")
	if want := "127.0.0.2 is a loopback address, which the grant does not name"; !errors.Is(err,
		ErrDenied) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// raw is a server that answers each connection with some text, which need not be HTTP.
func raw(t *testing.T, answer func(c net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				answer(c)
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return "http://" + listener.Addr().String()
}

func TestBadAnswers(t *testing.T) {
	text := func(s string) func(net.Conn) {
		return func(c net.Conn) { _, _ = io.WriteString(c, s) }
	}
	endless := func(begin, part string) func(net.Conn) {
		return func(c net.Conn) {
			_, err := io.WriteString(c, begin)
			for err == nil {
				_, err = io.WriteString(c, part)
			}
		}
	}
	full := strings.Repeat("x", 1000)
	for _, test := range []struct {
		name   string
		answer func(net.Conn)
		kind   error
		want   string // how the error ends; none: an answer
	}{
		{"all of what is allowed", text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + full),
			nil, ""},
		{"a byte too much", text("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\nx" + full),
			ErrTooLarge, "too large: the answer has more than 1000 bytes"},
		{"without end", endless("HTTP/1.1 200 OK\r\n\r\n", full), ErrTooLarge,
			"too large: the answer has more than 1000 bytes"},
		{"chunks without end", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
			"5\r\nxxxxx\r\n"), ErrTooLarge,
			"too large: the answer has more than 1000 bytes"},
		{"headers without end", endless("HTTP/1.1 200 OK\r\n", "A: "+full+"\r\n"), nil,
			"server response headers exceeded 65536 bytes; aborted"},
		{"a header without end", endless("HTTP/1.1 200 OK\r\nA: ", full), nil,
			"server response headers exceeded 65536 bytes; aborted"},
		{"cut off", text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxxx"), nil,
			"unexpected EOF"},
		{"nothing", text(""), nil, "EOF"},
		{"another protocol", text("SSH-2.0-OpenSSH_9.9\r\n"), nil,
			`malformed HTTP response "SSH-2.0-OpenSSH_9.9"`},
		{"switching protocols",
			text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxx"),
			nil,
			"the server answered with status 101"},
		{"too many chances to go on",
			endless("", "HTTP/1.1 103 Early Hints\r\nA: "+full+"\r\n\r\n"), nil,
			"server response headers exceeded 65536 bytes; aborted"},
		{"a bad redirect", text("HTTP/1.1 302 Found\r\nLocation: http://h:x/\r\n\r\n"), nil,
			"invalid port \":x\" after host"},
		{"a redirect to nowhere", text("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := raw(t, test.answer)
			c := client(t, Config{Allow: []string{url}})
			answer, err := get(t, c, url)
			if test.want == "" && err == nil && answer.Status != 0 {
				return
			}
			if err == nil || !strings.HasSuffix(err.Error(), test.want) || test.want == "" ||
				test.kind != nil && !errors.Is(err, test.kind) ||
				test.kind == nil && (errors.Is(err, ErrTooLarge) || errors.Is(err, ErrDenied) ||
					errors.Is(err, ErrBad)) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), url) {
				t.Errorf("the URL is in %v", err)
			}
		})
	}
}

// A small answer does not become a large one.
func TestAnswersAreNotDecompressed(t *testing.T) {
	url := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "\x1f\x8b, they say")
	})
	answer, err := get(t, client(t, Config{Allow: []string{url}}), url)
	if err != nil || string(answer.Body) != "\x1f\x8b, they say" {
		t.Errorf("got %v, %v", answer, err)
	}
}

// A request ends with its context, be the server slow to begin or slow to end.
func TestSlowServers(t *testing.T) {
	for _, begin := range []string{"", "HTTP/1.1 200 OK\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx"} {
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		url := raw(t, func(c net.Conn) {
			_, _ = io.WriteString(c, begin)
			cancel()
			<-over
		})
		_, err := send(ctx, client(t, Config{Allow: []string{url}}), Head{Method: "GET", URL: url},
			"")
		close(over)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %q: got %v", begin, err)
		}
	}
}

func TestTLS(t *testing.T) {
	for _, test := range []struct {
		version uint16
		want    string
	}{
		{tls.VersionTLS11, "remote error: tls: protocol version not supported"},
		{tls.VersionTLS12, ""},
		{tls.VersionTLS13, ""},
	} {
		s := httptest.NewUnstartedServer(
			http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: test.version}
		s.Config.ErrorLog = quiet
		s.StartTLS()
		c := client(t, Config{Allow: []string{s.URL}})
		_, err := get(t, c, s.URL)
		if want := "tls: failed to verify certificate: x509: certificate signed by unknown authority"; test.want == "" && errorText(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		c.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
		if _, err = get(t, c, s.URL); errorText(err) != test.want {
			t.Errorf("version %x: got %v, want %s", test.version, err, test.want)
		}
		c.Close()
		s.Close()
	}
}

// Close leaves no connection behind.
func TestClose(t *testing.T) {
	states := make(chan http.ConnState, 10)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) { states <- state }
	s.Start()
	defer s.Close()
	c := client(t, Config{Allow: []string{s.URL}})
	for range 2 { // on one connection
		if _, err := get(t, c, s.URL); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	var got []http.ConnState
	for range 6 {
		select {
		case state := <-states:
			got = append(got, state)
		case <-time.After(30 * time.Second):
			t.Fatalf("after %v nothing more came", got)
		}
	}
	want := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle, http.StateActive,
		http.StateIdle, http.StateClosed}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
