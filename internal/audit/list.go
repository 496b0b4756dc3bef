package audit

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/pkg/informer/object"
)

// page is what an audit reads of a page of a list.
type page struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue"`
	} `json:"metadata"`
	Items []struct {
		Metadata struct {
			Namespace       string `json:"namespace"`
			Name            string `json:"name"`
			UID             string `json:"uid"`
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	} `json:"items"`
}

// list lists all parts, and calls each with the objects of every page.
func (a *auditor) list(ctx context.Context, each func([]subject)) error {
	listed := uint64(0)
	for i := range a.Parts {
		version, err := a.listPart(ctx, i, each)
		if err != nil {
			return wrapped(err)
		}
		if i == 0 || !ledger.Reaches(version, listed) {
			listed = version
		}
	}
	a.listed = listed
	return nil
}

// maxBegun is how often a list is begun again whose pages have expired.
const maxBegun = 5

// listPart lists one part, and returns the version of the list. If the API server does not have the
// next page any more, the list begins again, without what it had.
func (a *auditor) listPart(ctx context.Context, part int, each func([]subject)) (version uint64,
	err error) {
	next, begun := "", 1
	for {
		got, err := a.page(ctx, part, next)
		if next != "" && apierrors.IsResourceExpired(err) && begun < maxBegun {
			next, begun = "", begun+1
			continue
		}
		if err != nil {
			return 0, err
		}
		if next == "" && version == 0 {
			version = ledger.ParseVersion(got.Metadata.ResourceVersion)
		}
		subjects := make([]subject, 0, len(got.Items))
		for _, item := range got.Items {
			o := item.Metadata
			s := subject{Object: Object{Namespace: o.Namespace, Name: o.Name, UID: o.UID,
				Version: o.ResourceVersion}, part: part,
				hash:    object.Key{Namespace: o.Namespace, Name: o.Name}.Hash(),
				version: ledger.ParseVersion(o.ResourceVersion)}
			if _, had := a.seen[s.hash]; !had {
				a.seen[s.hash] = struct{}{}
				subjects = append(subjects, s)
			}
		}
		each(subjects)
		if a.Progress != nil {
			a.Progress(len(a.seen))
		}
		if next = got.Metadata.Continue; next == "" {
			return version, nil
		}
	}
}

// page requests one page.
func (a *auditor) page(ctx context.Context, part int, next string) (got page, err error) {
	body, err := a.Parts[part].List(ctx, metav1.ListOptions{Limit: pageSize, Continue: next})
	if err != nil {
		return got, err
	}
	err = json.NewDecoder(body).Decode(&got)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return got, errors.Join(err, body.Close())
}
