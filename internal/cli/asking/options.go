package asking

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config/objects"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/apply"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Options are the flags of informerd explain: the events to explain, and the listeners.
type Options struct {
	Listeners       []string // none: all of the object's kind
	Object, Old, Op string
	Caches          []string // NAME=FILE
	Rules           []string // none: all, and the event itself
	SkipRules       []string // of these, all rules but some are asked about
	Initial         bool
	Apply           bool   // the objects of a file are applied to the cluster
	Namespace       string // of objects of a file that say none
	Pods            bool   // those of templates are asked about, too
	PodsGiven       bool   // Pods was given; else it follows from Violated
	Violated        bool   // is an error
	Now             string // a time, or how much later than the present one it is
	OnlyComing      bool   // what nothing comes of is left out
	Summary, JSON   bool   // else the texts are written
	Connect         live.Options

	op       event.Op
	now      time.Time       // zero: the present time
	live     *kube.Reference // the object is one of the cluster
	lookedUp bool            // the object is one of a file, and lookups are asked of the cluster
}

// Streams are those of the command.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Check checks the options alone: their mistakes are reported before those in files. It finds out
// whether the object is one of the cluster.
func (o *Options) Check() (err error) {
	if o.Object == "" {
		return words.Usage(errors.New("--object is required"))
	}
	o.op = event.Add
	if o.Old != "" {
		o.op = event.Update
	}
	if o.Op != "" {
		if o.op, err = event.ParseOp(o.Op); err != nil {
			return words.Usage(fmt.Errorf("--op: %w", err))
		}
	}
	switch {
	case o.op == event.Update && o.Old == "":
		return words.Usage(errors.New("--op update needs --old FILE, the object before the update"))
	case o.op != event.Add && o.Initial:
		return words.Usage(fmt.Errorf("--initial is about an add, and this is --op %s", o.op))
	case o.op != event.Update && o.Old != "":
		return words.Usage(fmt.Errorf("--old is the object before an update, and this is --op %s: leave one of them out",
			o.op))
	case o.Pods && (o.Old != "" || o.Op != "" && o.op != event.Add):
		return words.Usage(errors.New("--pods is about new pods: those of a changed template are others; leave --old and --op out"))
	case len(o.Rules) > 0 && len(o.SkipRules) > 0:
		return words.Usage(errors.New("--rule names the rules that are asked about, and --skip-rule leaves some out of all: give one of them"))
	case o.Pods && inCluster(o.Object) != nil:
		return words.Usage(fmt.Errorf("--pods is about objects of files, and %s is one of the cluster, whose pods are there: explain these, or the text of the object, as kubectl get -o yaml prints it",
			o.Object))
	case o.Summary && o.JSON:
		return words.Usage(errors.New("--summary is text; the JSON has it as verdicts"))
	}
	if err := o.find(); err != nil {
		return err
	}
	return o.setNow()
}

func (o *Options) setNow() (err error) {
	if o.Now == "" {
		return nil
	}
	if later, err := time.ParseDuration(o.Now); err == nil {
		o.now = time.Now().Add(later)
		return nil
	}
	if o.now, err = time.Parse(time.RFC3339, o.Now); err != nil {
		return words.Usage(fmt.Errorf("--now %q: write a time, as 2030-01-31T12:00:00Z, or how much later it is, as 2h",
			o.Now))
	}
	return nil
}

// find finds out whether the cluster is asked about objects.
func (o *Options) find() error {
	o.live = inCluster(o.Object)
	switch {
	case inCluster(o.Old) != nil && o.live != nil:
		return words.Usage(fmt.Errorf("--old %s: the cluster does not have the object of before: write it to a file with kubectl get -o yaml, before it changes",
			o.Old))
	case inCluster(o.Old) != nil:
		return words.Usage(fmt.Errorf("--old %s: it takes a file; what comes if the object is applied to the cluster is asked with --apply",
			o.Old))
	case o.Apply && o.live != nil:
		return words.Usage(fmt.Errorf("--apply is about objects of files, and %s is one of the cluster",
			o.Object))
	case o.Apply && (o.Op != "" || o.Old != "" || o.Initial):
		return words.Usage(errors.New("--apply finds out what the event is: leave --op, --old and --initial out"))
	case o.Namespace != "" && o.live != nil && o.live.Namespace == "":
		o.live.Namespace = o.Namespace
	case o.Namespace != "" && o.live != nil && o.live.Namespace != o.Namespace:
		return words.Usage(fmt.Errorf("%s is an object of the namespace %s, and -n says %s: leave one of them out",
			o.Object, o.live.Namespace, o.Namespace))
	}
	o.lookedUp = !o.OfCluster() && (o.Connect.Kubeconfig != "" || o.Connect.Context != "")
	return nil
}

const inDefault = "an object without metadata.namespace is taken as one in default, where kubectl creates it; -n names another namespace."

// unknownIn notes what an API server does not take of an object that none has taken so far.
func unknownIn(f plan.ObjectFile) (notes []string) {
	if metadataOf(f.JSON).UID != "" { // it may be a later server than the one that is known here
		return nil
	}
	dropped, refused := apply.Unknown(f.JSON)
	if refused != "" {
		notes = append(notes, about(f)+"an API server refuses this object: "+refused)
	}
	if len(dropped) > 0 {
		notes = append(notes, about(f)+"informerd knows no such fields of the kind; kubectl refuses the object, or an API server drops them: "+
			strings.Join(dropped, ", "))
	}
	return notes
}

// about begins a note about one object of several.
func about(f plan.ObjectFile) string {
	o := identityOf(f)
	if o.name == "" {
		return ""
	}
	return words.Plain(o.kind + " " + o.name + ": ")
}

// creation returns what objects of files are given that say no more. A kind that Kubernetes does
// not have may be in no namespace, unless a namespace is given.
func (o *Options) creation(unsure bool) kinds.Creation {
	c := kinds.Creation{Namespace: cmp.Or(o.Namespace, metav1.NamespaceDefault),
		Others: !unsure && !o.Apply}
	if o.op == event.Add {
		c.At = time.Now()
	}
	return c
}

// inCluster returns the object of the cluster that a flag names, nil if it is none. A file of that
// name takes precedence.
func inCluster(flag string) *kube.Reference {
	ref, ok := kube.ParseReference(flag)
	if !ok {
		return nil
	}
	if _, err := os.Lstat(flag); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &ref
}

// OfCluster reports whether the cluster is asked about objects, once the options are checked.
func (o *Options) OfCluster() bool { return o.live != nil || o.Apply }

// read makes a question of each object.
func (x *Asking) read() (err error) {
	found, several := []objects.Object{{}}, false
	if x.live != nil {
		found[0].At = x.live.String()
	} else if found, several, err = objects.All(x.Object, x.Stdin); err != nil {
		var empty *objects.EmptyError
		if x.Violated && errors.As(err, &empty) { // to CI, none of nothing violates a rule
			fmt.Fprintf(x.Stderr, "informerd: %s, so nothing is judged\n", words.Plain(err.Error()))
			return nil
		}
		return invalid(x.noFile(err))
	}
	q := plan.Question{Op: x.op, Old: plan.ObjectFile{Path: x.Old}, Initial: x.Initial,
		Rules: x.Rules, Now: x.now,
		Supposed: x.live != nil && x.Op == "" && x.Old == "" && !x.Initial}
	if x.Old != "" {
		if several {
			return words.Usage(fmt.Errorf("--old belongs to one object, and %s is a list",
				x.Object))
		}
		if q.Old.JSON, err = objects.One(x.Old); err != nil {
			return invalid(err)
		}
	}
	for _, o := range found {
		q.Object = plan.ObjectFile{Path: o.At, JSON: o.JSON}
		q.Notes = nil
		if x.live == nil {
			var placed bool
			q.Object.JSON, placed = x.creation(x.Namespace == "").Of(o.JSON)
			if placed && x.Namespace == "" {
				q.Notes = []string{inDefault}
			}
			if !x.Apply { // else the server says that
				unknown := unknownIn(plan.ObjectFile{Path: o.At, JSON: o.JSON})
				q.Notes, x.refused[o.At] = append(q.Notes, unknown...), len(unknown) > 0
			}
		}
		q.Source = x.source(o.At)
		x.questions = append(x.questions, q)
		if x.Pods {
			x.addPod(q)
		}
	}
	return nil
}
