package informer

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
)

// serve starts a server of the protocol inside a bubble. stop ends it and the client's idle
// connections.
func serve(t *testing.T, protocol string, h http.Handler, change func(*rest.Config)) (
	client *Client, stop func()) {
	t.Helper()
	cfg, _, server := wiretest.Serve(protocol, h)
	if change != nil {
		change(cfg)
	}
	client, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, func() {
		client.CloseIdleConnections()
		server.Close()
	}
}

// gzipServer is a fakeServer's HTTP side. It compresses its answers, to those who accept that,
// watches included.
type gzipServer struct {
	*fakeServer
	// badList and badWatch, unless empty, are what is wrong with the next answer, once: half (of it
	// is missing), truncated (nothing is missing but the end of the gzip stream), checksum.
	badList, badWatch string

	mu       sync.Mutex
	accepted map[string]bool // values of Accept-Encoding
}

func (s *gzipServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	opts := metav1.ListOptions{ResourceVersion: query.Get("resourceVersion"),
		Continue: query.Get("continue")}
	opts.Limit, _ = strconv.ParseInt(query.Get("limit"), 10, 64)
	open, bad := s.List, &s.badList
	if query.Has("watch") {
		open, bad = s.Watch, &s.badWatch
	}
	if query.Has("sendInitialEvents") {
		opts.SendInitialEvents = new(bool)
	}
	body, err := open(r.Context(), opts)
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		w.WriteHeader(int(status.Status().Code))
		_ = json.NewEncoder(w).Encode(status.Status())
		return
	}
	defer body.Close()
	encoding := r.Header.Get("Accept-Encoding")
	s.mu.Lock()
	if s.accepted == nil {
		s.accepted = map[string]bool{}
	}
	s.accepted[encoding] = true
	end := *bad
	*bad = ""
	s.mu.Unlock()
	if encoding != "gzip" {
		_, _ = io.Copy(flushing{w, func() error { return nil }, w.(http.Flusher)}, body)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	out := &badChecksum{Writer: w}
	z := gzip.NewWriter(out)
	if end == "half" {
		_, _ = io.CopyN(z, body, 100)
		_ = z.Flush()
		return
	}
	_, _ = io.Copy(flushing{z, z.Flush, w.(http.Flusher)}, body)
	if out.on = end == "checksum"; end != "truncated" {
		_ = z.Close()
	}
}

// flushing passes on all that is written at once.
type flushing struct {
	io.Writer
	inner func() error
	outer http.Flusher
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.inner()
	}
	f.outer.Flush()
	return n, err
}

// badChecksum spoils what a gzip.Writer writes last: 8 bytes, which begin with the checksum.
type badChecksum struct {
	io.Writer
	on bool
}

func (b *badChecksum) Write(p []byte) (int, error) {
	if b.on && len(p) == 8 {
		p = append([]byte{^p[0]}, p[1:]...)
	}
	return b.Writer.Write(p)
}
