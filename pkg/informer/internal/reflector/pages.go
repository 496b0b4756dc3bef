package reflector

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// PageSize is how many objects a page of a list holds, as in client-go.
	PageSize = 500
	// ListSilence is how long nothing may come of a page before the connection is taken for dead.
	// API servers answer lists within a minute or not at all.
	ListSilence = 2 * time.Minute
)

// listPages reads a list in pages, and returns its items and its version.
func (r *Reflector) listPages(ctx context.Context, version string) (items []*object.Object,
	at string, err error) {
	opts := metav1.ListOptions{ResourceVersion: version}
	if version == "" || version == "0" || r.paged {
		opts.Limit = PageSize
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
func (r *Reflector) listPage(ctx context.Context, opts metav1.ListOptions,
	items *[]*object.Object) (wire.Page, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opts.ShardSelector = r.Selector
	silence := time.AfterFunc(ListSilence, cancel)
	page, err := func() (wire.Page, error) {
		body, err := r.ListWatcher.List(ctx, opts)
		if err != nil {
			return wire.Page{}, err
		}
		defer body.Close()
		heard := heardReader{r.heard.of(body), silence}
		return wire.ReadList(heard, r.Parser, func(o *object.Object) {
			if o == nil {
				r.Foreign.Add(1)
			} else {
				*items = append(*items, o)
			}
		}, r.skipInList)
	}()
	if !silence.Stop() {
		return page, ErrListSilent
	}
	switch by := page.Metadata.ShardInfo.Selector; {
	case r.refusesSelector(err):
		return r.listPage(ctx, opts, items)
	case err != nil || by == "" || by == r.Selector || r.Selector == "":
		return page, err
	default: // own objects may be missing
		r.unselect("selected", by)
		return page, errOtherShard
	}
}

// errOtherShard has the consequences of a version that has expired: a new list.
var errOtherShard = apierrors.NewResourceExpired("the API server has selected another shard")

// refusesSelector reports whether a request has failed because of its selector. Then none is asked
// for any more: the parameter is young, and a later server may read another text.
func (r *Reflector) refusesSelector(err error) bool {
	if r.Selector == "" || err == nil || !strings.Contains(err.Error(), "shard selector") {
		return false
	}
	r.unselect("error", err)
	return true
}

// unselect has the server send all objects from now on.
func (r *Reflector) unselect(what string, is any) {
	r.Log.Warn("the API server does not select the shard that it was asked for, so all objects are asked for",
		"asked", r.Selector, what, is)
	r.Selector = ""
}

// ErrListSilent ends a list of which nothing comes for too long.
var ErrListSilent = fmt.Errorf("nothing came of the list for %v", ListSilence)

// heardReader postpones the end of a silent request with each read.
type heardReader struct {
	io.Reader
	silence *time.Timer
}

func (r heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 && r.silence.Stop() {
		r.silence.Reset(ListSilence)
	}
	return n, err
}
