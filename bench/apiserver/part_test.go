package apiserver

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

func TestThePartsAreTheWhole(t *testing.T) {
	const parts = 5
	s := serve(t, small(objects.Pods))
	names := func(query string) (all []string) {
		for _, o := range get[page](s, http.MethodGet, "/api/v1/pods?"+query).Items {
			all = append(all, o.Metadata.Name)
		}
		return all
	}
	whole := names("")
	var listed []string
	var next []func() frame
	for i := range parts {
		selector := "labelSelector=" + url.QueryEscape(PartSelector(i, parts))
		own := names(selector)
		if first := names(selector + "&limit=2"); !slices.Equal(first, own[:2]) {
			t.Errorf("the first page of part %d is %v of %v", i, first, own)
		}
		listed = append(listed, own...)
		next = append(next, s.watch(selector+"&resourceVersion="+version(0)))
	}
	slices.Sort(listed)
	if all := slices.Sorted(slices.Values(whole)); !slices.Equal(listed, all) {
		t.Errorf("the parts list %v, the whole %v", listed, all)
	}

	r := get[Release](s, http.MethodPost, "/bench/burst?n=20&parts=5")
	if len(r.Parts) != parts {
		t.Fatalf("%+v", r)
	}
	count, bytes := 0, int64(0)
	seen := map[string]bool{}
	for i, share := range r.Parts {
		count, bytes = count+share.Count, bytes+share.Bytes
		for range share.Count {
			f := next[i]()
			seen[f.Object.Metadata.ResourceVersion] = true
			if at := slices.Index(whole, f.Object.Metadata.Name); at%parts != i {
				t.Errorf("part %d has a change of object %d", i, at)
			}
		}
	}
	if count != r.Count || bytes != r.Bytes || len(seen) != 20 {
		t.Errorf("parts of %d changes and %d bytes, with %d versions: %+v", count, bytes, len(seen),
			r)
	}
	if state := get[State](s, http.MethodGet, "/bench/state"); state.Written != 20 ||
		state.Watches != parts {
		t.Errorf("%+v", state)
	}
}

func TestPartsThatThereAreNot(t *testing.T) {
	s := serve(t, small(objects.Pods))
	for _, selector := range []string{"app=x", PartSelector(5, 5), PartSelector(-1, 5),
		partLabel + "=1", partLabel + "=x-of-y"} {
		for _, query := range []string{"", "watch=true&"} {
			if st := s.refusal(http.MethodGet, "/api/v1/pods?"+query+"labelSelector="+
				url.QueryEscape(selector), http.StatusBadRequest); st.Reason != "BadRequest" {
				t.Errorf("%s: %+v", selector, st)
			}
		}
	}
	cfg := small(objects.Pods)
	cfg.Collections[0].Churn = true
	serve(t, cfg).refusal(http.MethodGet, "/api/v1/pods?labelSelector="+
		url.QueryEscape(PartSelector(0, 2)), http.StatusBadRequest)
}
