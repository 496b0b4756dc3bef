package asking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/apply"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/defaults"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/template"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The notes of what an apply does.
const (
	makes   = "lookups find the pods that the file makes as if they were there: until they are, and before all of the file is applied, the answer may be another one for a moment."
	creates = "the cluster has no such object: this is what comes when it is created, if the server takes it; what admission adds, and the defaults of a custom kind, are not known, since the API server could not be asked: "
	merges  = "the object is merged into the one of the cluster, as an apply does it; whether the server takes it, and what admission does to it, is not known, since the API server could not be asked: "
	notes   = "the update comes although the rest stays as it is, since kubectl notes in an annotation what it applies; with --server-side it does not."
	looked  = "nothing of the object changes, but of what the listener looks up: select and rules are evaluated with that."
	stale   = "the file has another metadata.resourceVersion than the object of the cluster: a server refuses that as a conflict."
)

// applied makes of a question about an object of a file the one about the event that comes if the
// object is applied to the cluster.
func (x *Asking) applied(ctx context.Context, l *config.Listener, q plan.Question) (plan.Question,
	error) {
	switch {
	case q.Template != "":
		return x.podsApplied(ctx, q)
	case !q.IsOf(l): // which is said where it is explained
		return q, nil
	}
	found, err := x.cluster.Resource(ctx, l.Informer())
	if err != nil {
		return q, inFront(q.Object.Path, err)
	}
	create := x.creation(false)
	create.Others = found.Namespaced
	q.Object.JSON, _ = create.Of(q.Object.JSON)
	at := metadataOf(q.Object.JSON)
	if at.Name == "" {
		return q, nil // which is said where the object is read
	}
	ref := kube.Reference{Resource: l.Informer().Resource, Namespace: at.Namespace, Name: at.Name}
	is, err := x.cluster.Object(ctx, l, ref)
	var none *live.NotFoundError
	switch {
	case errors.As(err, &none):
		if tried := x.tryOut(ctx, ref.Resource, &q, q.Object.JSON, creates); tried != nil {
			q.Object.JSON = tried
		}
		return q, nil
	case err != nil:
		return q, inFront(q.Object.Path, err)
	}
	written := q.Object.JSON
	c, err := changeOf(is, written, found.OwnStatus)
	if err != nil {
		return q, invalid(fmt.Errorf("%s: it cannot be merged into %s: %w", q.Object.Path, ref, err))
	}
	q.Op, q.Old, q.Object.JSON = event.Update, plan.ObjectFile{Path: ref.String(), JSON: is}, is
	changes, more := c.differs || c.noted, c.differs
	if changes {
		q.Object.JSON = c.settled
		if tried := x.tryOut(ctx, ref.Resource, &q, c.sent, merges); tried != nil {
			q.Object.JSON, changes = tried, !apply.Same(is, tried)
		}
	}
	if of := apply.Managers(is, written); len(of) > 1 {
		q.Notes = append(q.Notes, fmt.Sprintf("%s have applied the object server-side: what one of them does not write any more stays here.",
			strings.Join(of, ", ")))
	}
	if v := metadataOf(written).ResourceVersion; v != "" && v != metadataOf(is).ResourceVersion {
		q.Notes = append(q.Notes, stale)
	}
	if !changes && (len(l.Rules) > 0 || looksUp(l.Select.Text)) && x.changesLookups(l) {
		q.Op, q.Old, q.Supposed, q.Looked = event.Add, plan.ObjectFile{}, true, true
		q.Notes = append(q.Notes, looked)
		return q, nil
	}
	switch {
	case q.NoEvent != "":
	case !changes:
		q.NoEvent = "nothing changes"
	case !more:
		q.Notes = append(q.Notes, notes)
	}
	return q, nil
}

// looksUp reports whether an expression may look objects up.
func looksUp(text string) bool {
	return strings.Contains(text, "cached") || strings.Contains(text, "byIndex")
}

// change is what an apply makes of an object.
type change struct {
	sent    []byte // to the server
	settled []byte // with the defaults that the server is known to fill in
	differs bool   // more than what kubectl notes
	noted   bool   // that does
}

// changeOf returns what comes of an apply. OwnStatus: the status is written with the object.
func changeOf(is, written []byte, ownStatus bool) (c change, err error) {
	c.sent, c.differs, err = apply.Objects{OwnStatus: ownStatus}.Merge(is, written)
	if c.settled = c.sent; err == nil && c.differs {
		c.settled, c.differs, err = apply.Settled(is, defaults.FillMerged(c.sent))
	}
	if err == nil {
		c.settled, c.noted, err = apply.Noted(is, c.settled, written)
	}
	if err == nil {
		c.sent, _, err = apply.Noted(is, c.sent, written)
	}
	return c, err
}

// podsApplied makes of a question about the pod of a template the one about what comes of pods if
// the object with the template is applied: nothing, unless new ones are made.
func (x *Asking) podsApplied(ctx context.Context, q plan.Question) (plan.Question, error) {
	written := x.templates[q.Object.Path]
	if template.Replicas(written) == 0 {
		q.NoEvent = "no new pods"
		return q, nil
	}
	resource, at := kinds.ResourceOf(written), metadataOf(written)
	is, err := x.cluster.Any(ctx,
		kube.Reference{Resource: resource, Namespace: at.Namespace, Name: at.Name})
	var none *live.NotFoundError
	switch {
	case errors.As(err, &none):
		x.podsOfTried(ctx, &q, resource, written, false)
		x.tryPod(ctx, &q)
		return q, nil
	case ctx.Err() != nil:
		return q, ctx.Err()
	case err != nil:
		q.Notes = append(q.Notes, "whether pods are made is not known, since the object of before is not: "+
			err.Error())
		return q, nil
	}
	c, err := changeOf(is, written, false)
	if err != nil {
		return q, invalid(fmt.Errorf("%s: %w", q.Object.Path, err))
	}
	merged := defaults.FillMerged(c.settled)
	if tried := x.podsOfTried(ctx, &q, resource, c.sent, true); tried != nil {
		merged = tried
	}
	before, _ := template.Pod(is)
	after, _ := template.Pod(merged)
	if q.NoEvent == "" && sameJSON(before, after) &&
		template.Replicas(merged) <= template.Replicas(is) {
		q.NoEvent = "no new pods"
	}
	created := kinds.Creation{At: time.Now()}
	q.Object.JSON, _ = created.Of(after)
	x.tryPod(ctx, &q)
	return q, nil
}

// asTemplate is why a pod is as its template has it.
const asTemplate = "the pod is as its template has it: what admission makes of it, such as a LimitRange, is not known, since the API server could not be asked: "

// tryPod asks the API server what it makes of the pod of a template, unless there is none.
func (x *Asking) tryPod(ctx context.Context, q *plan.Question) {
	if q.NoEvent != "" {
		return
	}
	if tried := x.tryOut(ctx, "pods", q, q.Object.JSON, asTemplate); tried != nil {
		q.Object.JSON = tried
	}
}

// podsOfTried returns what the API server makes of the object that a pod is made of, nil if it
// cannot be asked or refuses the object, of which there are no pods then.
func (x *Asking) podsOfTried(ctx context.Context, q *plan.Question, resource string, object []byte,
	replaces bool) []byte {
	path := strings.TrimSuffix(q.Object.Path, itsPods)
	tried, err := x.try(ctx, resource, path, object, replaces)
	var refused *live.RefusedError
	if errors.As(err, &refused) && !x.misses(refused.Reason, path) {
		x.refused[q.Object.Path] = true
		q.NoEvent = "the API server refuses the " + q.Template
		q.Notes = append(q.Notes, about(plan.ObjectFile{JSON: object})+words.Plain(refused.Error()))
	}
	if err != nil {
		return nil
	}
	return tried
}

// changesLookups reports whether the file has objects that the listener's expressions may look up.
func (x *Asking) changesLookups(l *config.Listener) bool {
	return slices.ContainsFunc(x.looksUp[l.Name], func(name string) bool {
		return slices.ContainsFunc(x.questions, func(q plan.Question) bool {
			return q.Template == "" && q.Object.IsOf(l.Informers()[name])
		})
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// withFile returns what is looked up in the informers of a listener once the objects of the file
// are applied, and whether there are pods among it that controllers make of them then.
func (x *Asking) withFile(ctx context.Context, l *config.Listener,
	found map[string][]plan.ObjectFile) (all map[string][]plan.ObjectFile, made bool) {
	all = map[string][]plan.ObjectFile{}
	for name, objects := range found {
		inf := l.Informers()[name]
		if _, known := x.afterwards[inf]; !known {
			x.afterwards[inf] = x.afterApply(ctx, inf, objects)
			x.makes[inf] = slices.ContainsFunc(x.afterwards[inf][len(objects):],
				func(o plan.ObjectFile) bool { return strings.HasSuffix(o.Path, itsPods) })
		}
		all[name], made = x.afterwards[inf], made || x.makes[inf]
	}
	return all, made
}

func (x *Asking) afterApply(ctx context.Context, inf *config.Informer,
	found []plan.ObjectFile) []plan.ObjectFile {
	resource, _ := x.cluster.Resource(ctx, inf) // which has been found for what is looked up
	as := apply.Objects{OwnStatus: resource.OwnStatus}
	all, at := slices.Clone(found), map[event.Key]int{}
	for i, o := range all {
		m := metadataOf(o.JSON)
		at[event.Key{Namespace: m.Namespace, Name: m.Name}] = i
	}
	ofPods, owners := plan.MayWatch(inf, "pods"), map[owner]bool{}
	if ofPods {
		owners = ownersOf(found)
	}
	for _, q := range x.questions {
		if q.Template != "" {
			continue
		}
		if ofPods {
			all = append(all, podsMade(q.Object, owners)...)
		}
		if !q.Object.IsOf(inf) {
			continue
		}
		m := metadataOf(q.Object.JSON)
		i, there := at[event.Key{Namespace: m.Namespace, Name: m.Name}]
		if !there {
			all = append(all, q.Object)
			continue
		}
		if merged, _, err := as.Merge(all[i].JSON, q.Object.JSON); err == nil {
			all[i].JSON = merged
		}
	}
	return all
}
