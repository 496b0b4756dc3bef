package kube

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/secret/tlstest"
	"github.com/informerd/informerd/internal/sink"
)

// A Writer sends nothing that its fence refuses, however long it has connected, and gives up what
// is not answered when the fence is cut. An answer counts in any case.
func TestWriterBehindAFence(t *testing.T) {
	var refusing, late atomic.Bool
	other := errors.New("another one leads")
	f := sink.NewFence(func() error {
		if refusing.Load() {
			return other
		}
		return nil
	})
	var requests atomic.Int64
	i := tlstest.New(t, "one")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		requests.Add(1)
		switch _, _ = io.Copy(io.Discard, r.Body); r.Method {
		case http.MethodPost:
			refusing.Store(true)
			w.WriteHeader(http.StatusConflict)
		case http.MethodPatch:
			refusing.Store(true)
			f.Cut()
			<-r.Context().Done()
		}
	}))
	s.EnableHTTP2, s.Config.ErrorLog = true, log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{i.Pair},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			refusing.Store(late.Load())
			return nil, nil
		}}
	s.StartTLS()
	t.Cleanup(s.Close)
	connect := func() *Writer {
		w, err := NewWriter(&rest.Config{Host: s.URL,
			TLSClientConfig: rest.TLSClientConfig{CAData: i.Cert}}, f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.CloseIdleConnections)
		return w
	}
	w := connect()
	do := func(method string) error {
		r := ofPod
		r.Method = method
		_, err := sink.CallKube(t.Context(), w, sink.KubeTimeout, r)
		return err
	}
	expect := func(err error) {
		t.Helper()
		if !errors.Is(err, other) || sink.IsPermanent(err) ||
			err.Error() != "nothing may be sent now: another one leads" {
			t.Errorf("got %v", err)
		}
	}
	if err := do(http.MethodPost); !answered(err) {
		t.Errorf("the answer was %v", err)
	}
	expect(do(http.MethodGet))
	refusing.Store(false)
	w = connect() // on the other's connection, HTTP/2 may have been refused a frame of its own
	expect(do(http.MethodPatch))
	refusing.Store(false)
	w = connect()
	late.Store(true)
	expect(do(http.MethodGet))
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests have come", n)
	}
}
