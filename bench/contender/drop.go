package contender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/bench/objects"
)

// dropper reads the bytes that informers get and drops them: pages of 500, then a watch, with
// net/http's defaults, or one of each for every part of the collection. It parses nothing, so it
// must be told the number of objects, and computes the pages' tokens itself.
type dropper struct {
	running
	client *http.Client
	base   string
	parts  []*dropped
}

// dropped is the state that one informer would have.
type dropped struct {
	selector string
	objects  int
	expect   chan expected
}

// expected is changes that will arrive. For a pace the length of each is known.
type expected struct {
	apiserver.Share
	first int
	sizes []int
}

// pageSize is that of client-go and informerd.
const pageSize = 500

func newDrop(cfg *rest.Config, s Setup) (*dropper, error) {
	tlsConfig, err := rest.TLSConfigFor(tlsOnly(cfg))
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = tlsConfig
	d := &dropper{client: &http.Client{Transport: transport}, base: cfg.Host + s.Kind.Path()}
	selectors := s.selectors()
	for i, selector := range selectors {
		objects := (s.Objects - i + len(selectors) - 1) / len(selectors) // assigned in turns
		d.parts = append(d.parts,
			&dropped{selector: selector, objects: objects, expect: make(chan expected, 1)})
	}
	return d, nil
}

// Expect announces the changes that the watches will bring.
func (d *dropper) Expect(r apiserver.Release) {
	shares := r.Parts
	if len(shares) == 0 {
		shares = []apiserver.Share{{Count: r.Count, Bytes: r.Bytes}}
	}
	for i, share := range shares {
		d.parts[i].expect <- expected{share, r.First, r.Sizes}
	}
}

// Start implements Contender.
func (d *dropper) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	return d.start(ctx, func(ctx context.Context) error {
		defer d.client.CloseIdleConnections()
		var wg sync.WaitGroup
		errs := make([]error, len(d.parts))
		for i, p := range d.parts {
			wg.Go(func() { errs[i] = d.run(ctx, p, t) })
		}
		wg.Wait()
		return errors.Join(errs...)
	})
}

func (d *dropper) run(ctx context.Context, p *dropped, t *Tally) error {
	for item := 0; item < p.objects; item += pageSize {
		q := url.Values{"limit": {fmt.Sprint(pageSize)}, "resourceVersion": {"0"}}
		if item > 0 {
			q = url.Values{"limit": q["limit"], "continue": {
				apiserver.Continue(objects.FirstFreeVersion, item)}}
		}
		body, err := d.open(ctx, p, q)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, body)
		if err = errors.Join(err, body.Close()); err != nil {
			return fmt.Errorf("reading the list: %w", err)
		}
	}
	t.Listed.Add(int64(p.objects))
	// Without bookmarks, which it could not distinguish from changes.
	body, err := d.open(ctx, p, url.Values{"watch": {"true"}, "resourceVersion": {
		fmt.Sprint(objects.FirstFreeVersion)}})
	if err != nil {
		return err
	}
	defer body.Close()
	for {
		select {
		case e := <-p.expect:
			to := io.Discard
			if len(e.sizes) > 0 {
				to = &arrivals{expected: e, tally: t}
			}
			if _, err := io.CopyN(to, body, e.Bytes); err != nil {
				return fmt.Errorf("reading the watch: %w", err)
			}
			t.Changes.Add(int64(e.Count))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// arrivals drops bytes, and records when the last byte of each change has arrived.
type arrivals struct {
	expected
	tally *Tally
	n     int // bytes of the current change
}

func (a *arrivals) Write(b []byte) (int, error) {
	for a.n += len(b); len(a.sizes) > 0 && a.n >= a.sizes[0]; a.sizes = a.sizes[1:] {
		a.n -= a.sizes[0]
		a.first++
		a.tally.See(strconv.Itoa(objects.FirstFreeVersion + a.first))
	}
	return len(b), nil
}

func (d *dropper) open(ctx context.Context, p *dropped, q url.Values) (io.ReadCloser, error) {
	if p.selector != "" {
		q.Set("labelSelector", p.selector)
	}
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
