package contender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/bench/objects"
)

// dropper reads the bytes that informers get and drops them: pages of 500, then a watch, with
// net/http as it is. It looks at none of them, so it must be told how many there are, and makes up
// the tokens of the pages itself.
type dropper struct {
	running
	client  *http.Client
	base    string
	objects int
	expect  chan expected
}

type expected struct {
	changes int
	bytes   int64
}

// pageSize is client-go's and informerd's.
const pageSize = 500

func newDrop(cfg *rest.Config, s Setup) (*dropper, error) {
	tlsConfig, err := rest.TLSConfigFor(tlsOnly(cfg))
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = tlsConfig
	return &dropper{
		client: &http.Client{Transport: transport}, base: cfg.Host + s.Kind.Path(), objects: s.Objects,
		expect: make(chan expected, 1),
	}, nil
}

// Expect tells that the watch will bring changes of so many bytes.
func (d *dropper) Expect(changes int, bytes int64) { d.expect <- expected{changes, bytes} }

// Start implements Contender.
func (d *dropper) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	return d.start(ctx, func(ctx context.Context) error {
		defer d.client.CloseIdleConnections()
		return d.run(ctx, t)
	})
}

func (d *dropper) run(ctx context.Context, t *Tally) error {
	for item := 0; item < d.objects; item += pageSize {
		q := url.Values{"limit": {fmt.Sprint(pageSize)}, "resourceVersion": {"0"}}
		if item > 0 {
			q = url.Values{"limit": q["limit"], "continue": {apiserver.Continue(objects.FirstFreeVersion, item)}}
		}
		body, err := d.open(ctx, q)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, body)
		if err = errors.Join(err, body.Close()); err != nil {
			return fmt.Errorf("reading the list: %w", err)
		}
	}
	t.Listed.Add(int64(d.objects))
	body, err := d.open(ctx, url.Values{
		"watch": {"true"}, "resourceVersion": {fmt.Sprint(objects.FirstFreeVersion)}, "allowWatchBookmarks": {"true"},
	})
	if err != nil {
		return err
	}
	defer body.Close()
	for {
		select {
		case e := <-d.expect:
			if _, err := io.CopyN(io.Discard, body, e.bytes); err != nil {
				return fmt.Errorf("reading the watch: %w", err)
			}
			t.Changes.Add(int64(e.changes))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *dropper) open(ctx context.Context, q url.Values) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("GET %s: %s", req.URL, resp.Status), resp.Body.Close())
	}
	return resp.Body, nil
}
