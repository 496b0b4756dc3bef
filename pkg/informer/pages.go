package informer

import (
	"context"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// pageSize is how many objects a page of a list holds, as in client-go.
	pageSize = 500
	// listSilence is how long nothing may come of a page before the connection is taken for dead.
	// API servers answer lists within a minute or not at all.
	listSilence = 2 * time.Minute
)

// listPages reads a list in pages, and returns its items and its version.
func (r *reflector) listPages(ctx context.Context, version string) (items []*object.Object,
	at string, err error) {
	opts := metav1.ListOptions{ResourceVersion: version}
	if version == "" || version == "0" || r.paged {
		opts.Limit = pageSize
	}
	for {
		page, err := r.listPage(ctx, opts, &items)
		if err != nil {
			if opts.Continue != "" && wire.IsExpired(err) {
				// The rest of the list has expired: one list of everything, without pages.
				items, opts = items[:0], metav1.ListOptions{ResourceVersion: version}
				if page, err = r.listPage(ctx, opts, &items); err == nil {
					return items, page.Metadata.ResourceVersion, nil
				}
			}
			return nil, "", err
		}
		if at == "" {
			at = page.Metadata.ResourceVersion
		}
		if page.Metadata.Continue == "" {
			r.paged = r.paged || version == "0" && opts.Continue != ""
			return items, at, nil
		}
		opts.Continue, opts.ResourceVersion = page.Metadata.Continue, ""
	}
}

// listPage reads one page into items.
func (r *reflector) listPage(ctx context.Context, opts metav1.ListOptions,
	items *[]*object.Object) (wire.Page, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(listSilence, cancel)
	page, err := func() (wire.Page, error) {
		body, err := r.lw.List(ctx, opts)
		if err != nil {
			return wire.Page{}, err
		}
		defer body.Close()
		heard := heardReader{body, silence}
		return wire.ReadList(heard, r.parser, func(o *object.Object) {
			*items = append(*items, o)
		}, r.skipInList)
	}()
	if !silence.Stop() {
		return page, errListSilent
	}
	return page, err
}

var errListSilent = fmt.Errorf("nothing came of the list for %v", listSilence)

// heardReader postpones the end of a silent request with each read.
type heardReader struct {
	io.Reader
	silence *time.Timer
}

func (r heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 && r.silence.Stop() {
		r.silence.Reset(listSilence)
	}
	return n, err
}
