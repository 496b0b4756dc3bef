package apiserver

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

func TestAListComesInPages(t *testing.T) {
	for _, kind := range objects.Kinds {
		s := serve(t, small(kind))
		path := kind.Path()
		var names []string
		next := ""
		for _, want := range []struct{ items, remaining int }{{5, 7}, {5, 2}, {2, 0}} {
			p := get[page](s, http.MethodGet, path+"?limit=5&continue="+next)
			next = p.Metadata.Continue
			if len(p.Items) != want.items || p.Metadata.RemainingItemCount != want.remaining ||
				(next == "") != (want.remaining == 0) {
				t.Fatalf("%s: %d items, %d remaining, continue %q; want %v", kind.ID, len(p.Items),
					p.Metadata.RemainingItemCount, next, want)
			}
			if p.Kind != kind.Name+"List" || p.APIVersion != kind.APIVersion() ||
				p.Metadata.ResourceVersion != version(0) {
				t.Errorf("%s: %+v of kind %s, %s", kind.ID, p.Metadata, p.Kind, p.APIVersion)
			}
			if next != "" && next != Continue(objects.FirstFreeVersion, len(names)+len(p.Items)) {
				t.Errorf("%s: the continue token is %q", kind.ID, next)
			}
			for _, o := range p.Items {
				names = append(names, o.Metadata.Name)
				if hasType := o.Kind != ""; hasType == kind.BuiltIn() {
					t.Errorf("%s: an item has the kind %q", kind.ID, o.Kind)
				}
			}
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != 12 {
			t.Errorf("%s: %d different items", kind.ID, len(names))
		}
		if all := get[page](s, http.MethodGet, path); len(all.Items) != 12 ||
			all.Metadata.Continue != "" {
			t.Errorf("%s: without a limit there are %d items, continue %q", kind.ID, len(all.Items),
				all.Metadata.Continue)
		}
	}
}

func TestAListGivesTheNewestState(t *testing.T) {
	s := serve(t, small(objects.Pods))
	first := get[page](s, http.MethodGet, "/api/v1/pods?limit=6")
	get[Release](s, http.MethodPost, "/bench/burst?n=20")
	versions := map[string]int{}
	for _, o := range get[page](s, http.MethodGet, "/api/v1/pods").Items {
		versions[o.Metadata.ResourceVersion]++
	}
	// Twenty changes of twelve objects in rounds: only the last twelve are visible.
	for n := 9; n <= 20; n++ {
		if versions[version(n)] != 1 {
			t.Errorf("%d objects are of change %d", versions[version(n)], n)
		}
	}
	// The rest of the list that started earlier has its version, from when versions had nine
	// digits.
	rest := get[page](s, http.MethodGet, "/api/v1/pods?continue="+first.Metadata.Continue)
	if rest.Metadata.ResourceVersion != version(0) || len(rest.Items) != 6 ||
		len(rest.Items[0].Metadata.ResourceVersion) != 9 {
		t.Errorf("the second page is of %s", rest.Metadata.ResourceVersion)
	}
}

// Alternating additions and deletions of the oldest leave as many as there were, or one more.
func TestAListOfObjectsThatNeverComeTwice(t *testing.T) {
	cfg := small(objects.Pods)
	cfg.Collections[0].Churn = true
	s := serve(t, cfg)
	names := func() (all []string) {
		for _, o := range get[page](s, http.MethodGet, "/api/v1/pods").Items {
			all = append(all, o.Metadata.Name)
		}
		return all
	}
	before := names()
	get[Release](s, http.MethodPost, "/bench/burst?n=1")
	more := names()
	if len(more) != 13 || !slices.Equal(more[:12], before) || slices.Contains(before, more[12]) {
		t.Errorf("after an addition: %v, before: %v", more, before)
	}
	get[Release](s, http.MethodPost, "/bench/burst?n=1")
	if now := names(); !slices.Equal(now, more[1:]) {
		t.Errorf("after a deletion: %v, before: %v", now, more)
	}
	get[Release](s, http.MethodPost, "/bench/burst?n=28")
	if now := names(); len(now) != 12 || slices.Contains(now, more[12]) {
		t.Errorf("after more deletions than there were objects: %v", now)
	}
}

func TestListsThatAreRefused(t *testing.T) {
	s := serve(t, small(objects.Pods))
	for _, token := range []string{"x", "x-1", "1000000000-x", "1000000000--1", "1000000000-13",
		"999999999-0", "1000000001-0"} {
		if st := s.refusal(http.MethodGet, "/api/v1/pods?continue="+token,
			http.StatusBadRequest); st.Message != "continue key is not valid" {
			t.Errorf("%s: %+v", token, st)
		}
	}
	st := s.refusal(http.MethodGet, "/api/v1/pods?sendInitialEvents=true",
		http.StatusUnprocessableEntity)
	if !strings.Contains(st.Message, "sendInitialEvents is forbidden for list") {
		t.Errorf("%+v", st)
	}
	if st := s.refusal(http.MethodGet, "/api/v1/services",
		http.StatusNotFound); st.Reason != "NotFound" {
		t.Errorf("%+v", st)
	}
}
